"""Tagging: from a corpus to a saved tagger, from text to tags, and back from a file, beside MBT on the same files.

Times are those that a core was had for, so that what else the machine does counts for neither side; MBT makes its two
case bases in two threads. The rate of MBT is that of tagging alone: what it needs to load its tagger, which a text of
one word shows, is taken off.
"""

import random
import resource
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from statistics import median

import casebase as cb
from benchmarks.report import REPEATS, Row
from casebase.apps.tagger import Tagger
from casebase.datasets import DataNotFoundError, local_lines
from casebase.formats.corpora import read_corpus, written

HAS_MBT = shutil.which("mbt") is not None and shutil.which("mbtg") is not None
FIRST = ["The", "old", "man", "the", "boats", "."]


def brown() -> tuple[list[list[str]], list[list[str]]]:
    """Return the lines of the sentences that are learnt from, nine tenths of all, and of those that are tagged."""
    sentences: list[list[str]] = [[]]
    for line in local_lines("brown.tsv.gz"):
        if line:
            sentences[-1].append(line)
        elif sentences[-1]:
            sentences.append([])
    sentences = [sentence for sentence in sentences if sentence]
    random.Random(1).shuffle(sentences)
    cut = int(len(sentences) * 0.9)
    return sentences[:cut], sentences[cut:]


def tagger() -> Iterator[Row]:
    try:
        train, test = brown()
    except DataNotFoundError:
        return
    n_words = sum(map(len, test))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _write(folder / "train.tsv", train, "")
        (folder / "test.txt").write_text(
            "".join(" ".join(line.split("\t")[0] for line in sentence) + "\n" for sentence in test), encoding="utf-8"
        )
        peer = _mbt(folder, train, test) if HAS_MBT else None
        for compat, what, target in (("mbt", "MBT's patterns, equal output", 15), (None, "the default", 4)):
            model = folder / f"{compat}.cb"
            seconds = median(_core_seconds(partial(_train, folder / "train.tsv", model, compat)) for _ in range(3))
            loading = median(_core_seconds(partial(_first_sentence, model)) for _ in range(REPEATS))
            loaded = Tagger.load(model)
            rate = n_words / median(_core_seconds(partial(_tag, loaded, folder)) for _ in range(REPEATS))
            if peer:
                yield Row(
                    f"tagger: {sum(map(len, train)):,} words of Brown, text to saved tagger, {what}",
                    f"{seconds:.2f} s", f"{peer[0]:.1f} s", peer[0] / seconds, 10,
                )  # fmt: skip
                yield Row(
                    f"tagger: text to tagged text, {what}",
                    f"{rate:,.0f} words/s", f"{peer[1]:,.0f} words/s", rate / peer[1], target,
                )  # fmt: skip
            yield Row(
                f"tagger: loading a saved one and tagging a first sentence, {what}, in seconds",
                f"{loading:.3f} s", "–", loading, 0.2, True,
            )  # fmt: skip


def _train(corpus: Path, model: Path, compat: str | None) -> None:
    Tagger(compat=compat).fit(read_corpus(corpus, format="tsv").sentences).save(model)


def _first_sentence(model: Path) -> None:
    loaded = cb.load(model)
    assert isinstance(loaded, Tagger)
    loaded.tag(FIRST)


def _tag(tagger: Tagger, folder: Path) -> None:
    corpus = read_corpus(folder / "test.txt", format="tokens", tagged=False)
    text = written(corpus, tagger.tag_sentences(corpus.sentences))
    (folder / "answers.txt").write_text(text, encoding="utf-8")


def _core_seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def _mbt(folder: Path, train: list[list[str]], test: list[list[str]]) -> tuple[float, float]:
    """Return the seconds that MBT learns, and how many words a second it tags."""
    _write(folder / "train", train, "<utt>")
    for name, sentences in (("test", test), ("one", [["The\tat"]])):
        words = (" ".join(line.split("\t")[0] for line in sentence) + " <utt>\n" for sentence in sentences)
        (folder / name).write_text("".join(words), encoding="utf-8")
    learning = _seconds_of(["mbtg", "-T", "train", "-s", "settings"], folder)
    loading, all_of_it = (
        median(_seconds_of(["mbt", "-s", "settings", "-t", name, "-o", "out"], folder) for _ in range(3))
        for name in ("one", "test")
    )
    return learning, sum(map(len, test)) / (all_of_it - loading)


def _seconds_of(command: list[str], folder: Path) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _write(path: Path, sentences: list[list[str]], mark: str) -> None:
    path.write_text("".join("\n".join([*sentence, mark]) + "\n" for sentence in sentences), encoding="utf-8")
