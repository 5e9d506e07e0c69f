"""Hyphenation: learning from few and from many words, growth, and applying patterns against pyphen."""

import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from casebase.datasets import DataNotFoundError, MissingExtraError
from casebase.hyphenation.induction import Settings, learn
from casebase.hyphenation.matcher import CompiledPatterns
from casebase.hyphenation.pattern_files import read_patterns
from casebase.hyphenation.words import hyphenated_words
from lab.bench.hyphenation_languages import hyphenation_languages
from lab.bench.report import Row, alone, beside, fitted_exponent
from lab.bench.sizes import Sizes
from lab.bench.timing import Runs, alternating, casebase_command, command_seconds, core_clock, runs_of, side
from lab.local import local_lines
from lab.papers.rules.words import FINNISH, LEFT_MIN, RIGHT_MIN, english
from lab.peers import hyphenators

GIGABYTE = 2**30


def paper_sized(sizes: Sizes) -> Iterator[Row]:
    """The whole windowing, from a list of texts to patterns."""
    try:
        lines = [line for line in local_lines(FINNISH) if line]
    except DataNotFoundError:
        return
    if not sizes.is_full:
        lines = lines[: sizes.words[0]]
    seconds = runs_of(lambda: learn(hyphenated_words(lines), Settings(depth=2)), sizes.repeats)
    yield alone(f"hyphenation: {len(lines):,} Finnish words, depth 2, all windows, in seconds", seconds, 10)


def language_sized(sizes: Sizes) -> Iterator[Row]:
    """From a file of words to a saved model, one run each; the words are English, hyphenated by pyphen."""
    few, many = sizes.words
    try:
        lists = {n: english(n, 0).with_hyphens() for n in sizes.words}
    except (DataNotFoundError, MissingExtraError):
        return
    edges = ["--left-min", str(LEFT_MIN), "--right-min", str(RIGHT_MIN)]
    for short in (None, 3):
        pieces = "classes in pieces of any length" if short is None else f"classes in pieces of {short}"
        options = [*edges, "--max-class-length", str(short or 0)]
        seconds, peak = {}, {}
        with tempfile.TemporaryDirectory() as folder:
            words, model = Path(folder) / "words.txt", str(Path(folder) / "words.cb")
            for n, lines in lists.items():
                words.write_text("\n".join(lines) + "\n", encoding="utf-8")
                train = ["hyphen", "train", str(words), "-o", model, "--depth", "3", "-j", "1", *options]
                before = core_clock()
                _, peak[n] = command_seconds(casebase_command(*train))
                seconds[n] = core_clock() - before
        what = f"hyphenation: {many:,} English words, depth 3, {pieces}"
        yield alone(f"{what}, text to saved model, in seconds of a core", Runs((seconds[many],)), 600)
        yield alone(f"{what}: peak memory, in GB", Runs((peak[many] / GIGABYTE,)), 4, "GB")
        exponent = fitted_exponent(sizes.words, [seconds[n] for n in sizes.words])
        assert exponent is not None
        yield Row(
            f"{what}: growth of the time from {few:,} to {many:,} words, as a power of their number",
            f"{seconds[many]:.1f} s",
            f"{seconds[few]:.1f} s",
            exponent,
            2,
            True,
        )


def applying(sizes: Sizes) -> Iterator[Row]:
    """Both sides use the same patterns; pyphen's cache does not know the words."""
    if not hyphenators.has_pyphen():
        return
    try:
        words = list(english(sizes.words[1], 0).words)
    except DataNotFoundError:
        return
    path = hyphenators.dictionary("en_US")
    compiled = CompiledPatterns(read_patterns(path))
    ask_pyphen = hyphenators.asking_pyphen(path, LEFT_MIN, RIGHT_MIN)
    assert compiled.positions(words) == ask_pyphen(words)
    taken = alternating(
        {
            "one call for all": side(partial(compiled.positions, words), sizes.repeats),
            "one call a word": side(lambda: [compiled.positions([word]) for word in words], sizes.repeats),
            "peer": side(partial(ask_pyphen, words), sizes.repeats),
        }
    )
    rates = {name: runs.rate(len(words)) for name, runs in taken.items()}
    for what in ("one call for all", "one call a word"):
        yield beside(
            f"hyphenating {len(words):,} English words by the same patterns, {what}, against pyphen, not cached",
            rates[what],
            rates["peer"],
            10,
            "/s",
        )


def hyphenation(sizes: Sizes) -> Iterator[Row]:
    yield from paper_sized(sizes)
    yield from applying(sizes)
    yield from language_sized(sizes)
    yield from hyphenation_languages(sizes)
