"""Hyphenation: learning at the size of the paper and of a language, growth between them, and applying beside pyphen."""

import math
import resource
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.report import REPEATS, Row
from benchmarks.timing import casebase_command, command_seconds, median_seconds
from casebase.apps.pattern_files import read_patterns
from casebase.data.words import hyphenated_words
from casebase.datasets import DataNotFoundError, MissingExtraError, local_lines
from casebase.learners.applying import CompiledPatterns
from casebase.learners.hyphenation import Settings, learn
from casebase.reproduce.rules.words import FINNISH, LEFT_MIN, RIGHT_MIN, english

try:
    import pyphen
except ImportError:
    pyphen = None

FEW, MANY = 5_000, 50_000
GIGABYTE = 2**30


def paper_sized() -> Iterator[Row]:
    """The whole windowing, from a list of texts to patterns."""
    try:
        lines = [line for line in local_lines(FINNISH) if line]
    except DataNotFoundError:
        return
    seconds = median_seconds(lambda: learn(hyphenated_words(lines), Settings(depth=2)), REPEATS)
    yield Row(
        f"hyphenation: {len(lines):,} Finnish words, depth 2, all windows, in seconds",
        f"{seconds:.2f} s", "–", seconds, 10, True,
    )  # fmt: skip


def language_sized() -> Iterator[Row]:
    """From a file of words to a saved model; the words are English ones that pyphen has hyphenated."""
    try:
        lists = {n: english(n, 0).spelled() for n in (FEW, MANY)}
    except (DataNotFoundError, MissingExtraError):
        return
    edges = ["--left-min", str(LEFT_MIN), "--right-min", str(RIGHT_MIN)]
    for short in (None, 3):
        what = "classes in pieces of any length" if short is None else f"classes in pieces of {short}"
        options = [*edges] if short is None else [*edges, "--max-class-length", str(short)]
        seconds, peak = {}, {}
        with tempfile.TemporaryDirectory() as folder:
            words, model = Path(folder) / "words.txt", str(Path(folder) / "words.cb")
            for n, spelled in lists.items():
                words.write_text("\n".join(spelled) + "\n", encoding="utf-8")
                train = ["hyphen", "train", str(words), "-o", model, "--depth", "3", "-j", "1", *options]
                before = _seconds_of_children()
                _, peak[n] = command_seconds(casebase_command(*train))
                seconds[n] = _seconds_of_children() - before
        yield Row(
            f"hyphenation: {MANY:,} English words, depth 3, {what}, text to saved model, in seconds of a core",
            f"{seconds[MANY]:.0f} s", "–", seconds[MANY], 600, True,
        )  # fmt: skip
        yield Row(
            "the same: peak memory, in GB", f"{peak[MANY] / GIGABYTE:.2f} GB", "–", peak[MANY] / GIGABYTE, 4, True
        )  # fmt: skip
        exponent = math.log(seconds[MANY] / seconds[FEW]) / math.log(MANY / FEW)
        yield Row(
            f"the same: growth of the time from {FEW:,} to {MANY:,} words, as a power of their number",
            f"{seconds[MANY]:.1f} s", f"{seconds[FEW]:.1f} s", exponent, 2, True,
        )  # fmt: skip


def _seconds_of_children() -> float:
    """The time that programs started from here have had a core: what others do meanwhile does not count."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def applying() -> Iterator[Row]:
    """The same patterns on both sides, and words that pyphen has not seen yet."""
    if pyphen is None:
        return
    try:
        words = list(english(MANY, 0).words)
    except DataNotFoundError:
        return
    path = pyphen.LANGUAGES["en_US"]
    compiled = CompiledPatterns(read_patterns(path))
    peer = pyphen.Pyphen(filename=path, left=LEFT_MIN, right=RIGHT_MIN)

    def ask_pyphen() -> list[list[int]]:
        peer.hd.cache.clear()
        return [peer.positions(word) for word in words]

    assert compiled.positions(words) == [list(map(int, places)) for places in ask_pyphen()]
    for what, ask in (
        ("one call for all", lambda: compiled.positions(words)),
        ("one call a word", lambda: [compiled.positions([word]) for word in words]),
    ):
        ours, theirs = (len(words) / median_seconds(work, REPEATS) for work in (ask, ask_pyphen))
        yield Row(
            f"hyphenating {len(words):,} English words by the same patterns, {what}, against pyphen, not cached",
            f"{ours:,.0f}/s", f"{theirs:,.0f}/s", ours / theirs, 10,
        )  # fmt: skip


def hyphenation() -> Iterator[Row]:
    yield from paper_sized()
    yield from applying()
    yield from language_sized()
