"""MBT: train a tagger with `mbtg`, tag text with `mbt`, and read their output (Debian: mbt)."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lab.peers import programs

Tagged = Sequence[Sequence[tuple[str, ...]]]

SETTINGS = "settings"  # the file by which mbt finds what mbtg has made


def is_installed() -> bool:
    """Return whether both programs are there."""
    return programs.has_program("mbtg") and programs.has_program("mbt")


def make(folder: Path, corpus: str, *options: str, kind: str = "-T") -> None:
    """Train a tagger on a corpus, in a folder; `kind` is -E where words have further columns."""
    programs.run(["mbtg", kind, corpus, "-s", SETTINGS, *options], folder).checked()


def tag(folder: Path, text: str, *options: str, kind: str = "-T", out: str = "out") -> None:
    """Tag a file with the tagger of a folder: -T with its tags beside it, -E with columns, -t words alone."""
    programs.run(["mbt", "-s", SETTINGS, kind, text, "-o", out, *options], folder).checked()


@dataclass
class Generated:
    """The output of mbtg, and the folder that contains it."""

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
        tag(self.folder, "test", "-B", str(beam), kind="-E" if self.is_enriched else "-T")
        lines = (self.folder / "out").read_text(encoding="utf-8").splitlines()
        fields = [line.split("\t") for line in lines if line not in ("<utt>", "")]
        return [(word, sign == "/", assigned) for word, sign, *_, assigned in fields]


def text_of(sentences: Tagged) -> str:
    """Return a corpus with one token per line and tabs between columns."""
    return "".join("".join("\t".join(token) + "\n" for token in sentence) + "<utt>\n" for sentence in sentences)


def plain_text_of(sentences: Tagged) -> str:
    """Return the words alone, one sentence per line."""
    return "".join(" ".join(token[0] for token in sentence) + " <utt>\n" for sentence in sentences)


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
    """Run mbtg on sentences, of (word, tag) or of (word, further columns …, tag), and keep all that it writes."""
    is_enriched = len(sentences[0][0]) > 2
    (folder / "corpus").write_text(text_of(sentences), encoding="utf-8")
    words = ["-X", "-p", known, "-P", unknown, "-%", str(threshold), "-M", str(n_frequent), "-n", str(hapax_limit)]
    make(folder, "corpus", *words, *([] if options is None else [f"-O{options}"]), kind="-E" if is_enriched else "-T")
    return Generated(folder, known, unknown, threshold, is_enriched)
