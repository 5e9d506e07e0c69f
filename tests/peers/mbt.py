"""Debian's MBT as a witness: make a tagger of a corpus with `mbtg`, tag text with `mbt`, read back what they wrote."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.peers.timbl import skip_or_fail

Tagged = Sequence[Sequence[tuple[str, ...]]]


def require_mbt() -> None:
    """Skip the test if MBT is absent, or fail it where peers are required."""
    if shutil.which("mbtg") is None or shutil.which("mbt") is None:
        skip_or_fail("mbt is not installed")


@dataclass
class Generated:
    """What mbtg wrote about a corpus, and the folder it is in."""

    folder: Path
    known: str
    unknown: str
    threshold: int
    is_enriched: bool = False

    def lines(self, suffix: str) -> list[bytes]:
        return (self.folder / f"corpus{suffix}").read_bytes().split(b"\n")[:-1]

    @property
    def lexicon(self) -> dict[str, tuple[int, dict[str, int]]]:
        """Each word's frequency, and how often it has each tag."""
        words = {}
        for line in self.lines(".lex"):
            frequency, word, *tags = line.decode().split()
            counts = (tag.rsplit(":", 1) for tag in tags)
            words[word] = int(frequency), {tag: int(n) for tag, n in counts}
        return words

    @property
    def ambitags(self) -> dict[str, str]:
        return dict(line.decode().split(" ") for line in self.lines(f".lex.ambi.{self.threshold:02d}"))

    def instances(self, which: str) -> list[bytes]:
        """The lines of the "known" or "unknown" instances, as bytes: letters may be cut in two."""
        return self.lines(f".{which}.inst.{getattr(self, which)}")

    def tag(self, sentences: Tagged, *, beam: int = 1) -> list[tuple[str, bool, str]]:
        """Return word, whether it is known, and tag, token by token."""
        (self.folder / "test").write_text(text_of(sentences), encoding="utf-8")
        kind = "-E" if self.is_enriched else "-T"
        _run(["mbt", "-s", "settings", kind, "test", "-o", "out", "-B", str(beam)], self.folder)
        lines = (self.folder / "out").read_text(encoding="utf-8").splitlines()
        fields = [line.split("\t") for line in lines if line not in ("<utt>", "")]
        return [(word, sign == "/", assigned) for word, sign, *_, assigned in fields]


def text_of(sentences: Tagged) -> str:
    return "".join("".join("\t".join(token) + "\n" for token in sentence) + "<utt>\n" for sentence in sentences)


def generate(
    sentences: Tagged,
    folder: Path,
    *,
    known: str = "ddfa",
    unknown: str = "dFapsss",
    threshold: int = 5,
    n_frequent: int = 100,
    hapax_limit: int = 5,
    options: str | None = None,
) -> Generated:
    """Run mbtg on sentences, of (word, tag) or of (word, further columns …, tag)."""
    is_enriched = len(sentences[0][0]) > 2
    (folder / "corpus").write_text(text_of(sentences), encoding="utf-8")
    command = ["mbtg", "-E" if is_enriched else "-T", "corpus", "-s", "settings", "-X", "-p", known, "-P", unknown]
    command += ["-%", str(threshold), "-M", str(n_frequent), "-n", str(hapax_limit)]
    _run(command + ([] if options is None else [f"-O{options}"]), folder)
    return Generated(folder, known, unknown, threshold, is_enriched)


def _run(command: list[str], folder: Path) -> None:
    ran = subprocess.run(command, cwd=folder, capture_output=True)
    assert ran.returncode == 0, ran.stderr.decode(errors="replace")[-2000:]
