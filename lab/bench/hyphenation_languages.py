"""Learning the hyphenation of eight languages, beside patgen: words entirely right, patterns, processor time.

`python -m lab.bench.hyphenation_languages [LANGUAGE…]` prints the table of `docs/hyphenator.md`.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass

from casebase.datasets import DataNotFoundError, MissingExtraError
from casebase.hyphenation.hyphenator import Hyphenator
from casebase.hyphenation.patterns import PatternSet
from lab.bench.report import Row, beside
from lab.bench.sizes import Sizes
from lab.bench.timing import Runs, core_clock
from lab.papers.rules.languages import LANGUAGES, Language, drawn
from lab.papers.rules.measuring import percent_right
from lab.peers import patgen


@dataclass(frozen=True)
class Side:
    """Percent of training words and of other words entirely right, number of patterns, seconds of a core."""

    training: float
    others: float
    n_patterns: int
    seconds: float


def both_sides(language: Language, n_training: int, n_others: int) -> tuple[Side, Side]:
    """Learn by casebase, with its defaults, and by patgen, from the same list of hyphenated words."""
    training, others = drawn(language, n_training, n_others)
    lines = training.with_hyphens()
    left, right = language.left_min, language.right_min

    def side(patterns: PatternSet, n_patterns: int, seconds: float) -> Side:
        of_training, of_others = (percent_right(patterns, words.words, words.places)[1] for words in (training, others))
        return Side(of_training, of_others, n_patterns, seconds)

    before = core_clock()
    ours = Hyphenator(left_min=left, right_min=right, search="levels").fit(lines).patterns_
    between = core_clock()
    theirs = patgen.patterns_by_patgen(lines, left_min=left, right_min=right)
    behind = core_clock()
    return side(ours, len(ours), between - before), side(theirs.patterns, theirs.n_lines, behind - between)


def hyphenation_languages(sizes: Sizes) -> Iterator[Row]:
    """Rows for each language whose words are there: time, and the words that are wrong."""
    if not patgen.is_installed():
        return
    n_training = sizes.words[1]
    for language in LANGUAGES:
        try:
            ours, theirs = both_sides(language, n_training, max(n_training // 10, 10))
        except (DataNotFoundError, MissingExtraError):
            continue
        what = f"hyphenation: {n_training:,} words, {language.name}"
        seconds = Runs((ours.seconds,)), Runs((theirs.seconds,))
        yield beside(f"{what}: learning against patgen, in seconds of a core", *seconds, 1)
        ratio = (100 - ours.others) / (100 - theirs.others) if theirs.others < 100 else 1.0
        wrong, by_peer = (f"{100 - side.others:.2f} %" for side in (ours, theirs))
        yield Row(f"{what}: other words not entirely right, beside patgen's", wrong, by_peer, ratio, 1, True, n_peer=1)


def main(names: list[str]) -> None:
    """Print the table, one row as soon as it is measured."""
    print(
        "| language | casebase: other words right | patterns | seconds | patgen: other words right | lines | seconds |"
    )
    print("|---|---|---|---|---|---|---|")
    for language in LANGUAGES:
        if names and language.name not in names:
            continue
        ours, theirs = both_sides(language, 50_000, 5_000)
        assert ours.training == 100.0, language
        cells = (f"{s.others:.2f} % | {s.n_patterns:,} | {s.seconds:.1f}" for s in (ours, theirs))
        print(f"| {language.name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
