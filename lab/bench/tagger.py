"""Tagging against MBT on the same files: from a corpus to a saved tagger, from text to tags, and loading a tagger.

Times are CPU times, so that other work on the machine affects neither side, but for the row of several threads; MBT
builds its two case bases in two threads. MBT's rate is that of tagging alone: its loading time, measured with a text of
one word, is subtracted.
"""

import random
import tempfile
import time
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

import casebase as cb
from casebase.base.threads import n_cores
from casebase.datasets import DataNotFoundError
from casebase.tagging.corpora import corpus_text, read_corpus
from casebase.tagging.tagger import Tagger
from lab.bench.report import Row, alone, beside
from lab.bench.sizes import Sizes
from lab.bench.timing import Clock, ReportedSeconds, Runs, Side, alternating, core_clock, runs_of, side
from lab.local import local_lines
from lab.peers import mbt

FIRST = ["The", "old", "man", "the", "boats", "."]


def brown(n_sentences: int | None) -> tuple[list[list[str]], list[list[str]]]:
    """Return the lines of the training sentences, nine tenths of all, and of the test sentences."""
    sentences: list[list[str]] = [[]]
    for line in local_lines("brown.tsv.gz"):
        if line:
            sentences[-1].append(line)
        elif sentences[-1]:
            sentences.append([])
    sentences = [sentence for sentence in sentences if sentence]
    random.Random(1).shuffle(sentences)
    sentences = sentences[:n_sentences]
    cut = int(len(sentences) * 0.9)
    return sentences[:cut], sentences[cut:]


def tagger(sizes: Sizes) -> Iterator[Row]:
    try:
        train, test = brown(sizes.sentences)
    except DataNotFoundError:
        return
    n_learnt, n_tagged = (sum(map(len, sentences)) for sentences in (train, test))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lines = ("\n".join(sentence) + "\n\n" for sentence in train)
        (folder / "train.tsv").write_text("".join(lines), encoding="utf-8")
        (folder / "test.txt").write_text(
            "".join(" ".join(line.split("\t")[0] for line in sentence) + "\n" for sentence in test), encoding="utf-8"
        )
        whats = {"mbt": ("MBT's patterns, equal output", 15), None: ("the default", 20)}
        models = {compat: folder / f"{compat}.cb" for compat in whats}
        sides = {
            f"{compat}": side(partial(_train, folder / "train.tsv", models[compat], compat), sizes.repeats)
            for compat in whats
        }
        if mbt.is_installed():
            _write_for_mbt(folder, train, test)
            sides["peer"] = side(partial(mbt.make, folder, "train"), sizes.repeats)
        learning = alternating(sides, core_clock)
        tagging = _tagging({compat: Tagger.load(path) for compat, path in models.items()}, folder, n_tagged, sizes)
        for compat, (what, target) in whats.items():
            if mbt.is_installed():
                yield beside(
                    f"tagger: {n_learnt:,} words of Brown, text to saved tagger, {what}, against MBT",
                    learning[f"{compat}"],
                    learning["peer"],
                    10,
                )
                yield beside(
                    f"tagger: text to tagged text, {what}, against MBT",
                    tagging[f"{compat}"],
                    tagging["peer"],
                    target,
                    "words/s",
                )
            loading = runs_of(partial(_first_sentence, models[compat]), sizes.repeats, core_clock)
            yield alone(f"tagger: loading a saved one and tagging a first sentence, {what}, in seconds", loading, 0.2)
        if mbt.is_installed():
            threaded = Tagger.load(models[None])
            threaded.n_jobs = n_cores()
            wall = _tagging({"threads": threaded}, folder, n_tagged, sizes, time.perf_counter)
            yield beside(
                f"tagger: text to tagged text, the default, {n_cores()} threads, wall clock, against MBT",
                wall["threads"],
                wall["peer"],
                None,
                "words/s",
            )


def _tagging(
    taggers: Mapping[str | None, Tagger], folder: Path, n_words: int, sizes: Sizes, clock: Clock = core_clock
) -> dict[str, Runs]:
    """Return words per second of each tagger and of MBT, from text to tagged text; runs alternate."""
    sides: dict[str, Side] = {
        f"{compat}": side(partial(_tag, tagger, folder), sizes.repeats) for compat, tagger in taggers.items()
    }
    if mbt.is_installed():
        sides["peer"] = side(partial(_mbt_seconds, folder, clock), sizes.repeats)
    return {name: runs.rate(n_words) for name, runs in alternating(sides, clock).items()}


def _train(corpus: Path, model: Path, compat: str | None) -> None:
    Tagger(compat=compat).fit(read_corpus(corpus, format="tsv").sentences).save(model)


def _first_sentence(model: Path) -> None:
    loaded = cb.load(model)
    assert isinstance(loaded, Tagger)
    loaded.tag(FIRST)


def _tag(tagger: Tagger, folder: Path) -> None:
    corpus = read_corpus(folder / "test.txt", format="tokens", tagged=False)
    text = corpus_text(corpus, tagger.tag_sentences(corpus.sentences))
    (folder / "answers.txt").write_text(text, encoding="utf-8")


def _mbt_seconds(folder: Path, clock: Clock) -> ReportedSeconds:
    """Return MBT's time for the text minus its time for a single word."""
    taken = []
    for name in ("one", "test"):
        before = clock()
        mbt.tag(folder, name, kind="-t")
        taken.append(clock() - before)
    return ReportedSeconds(max(taken[1] - taken[0], 1e-3))  # on a few words the difference is noise


def _write_for_mbt(folder: Path, train: list[list[str]], test: list[list[str]]) -> None:
    (folder / "train").write_text(mbt.text_of(_tokens(train)), encoding="utf-8")
    for name, sentences in (("test", test), ("one", [["The\tat"]])):
        (folder / name).write_text(mbt.plain_text_of(_tokens(sentences)), encoding="utf-8")


def _tokens(sentences: list[list[str]]) -> list[list[tuple[str, ...]]]:
    return [[tuple(line.split("\t")) for line in sentence] for sentence in sentences]
