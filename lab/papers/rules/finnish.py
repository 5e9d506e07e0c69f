"""Section 3: patterns for Finnish, learnt from all words, and from nine tenths of them."""

import time
from dataclasses import replace
from typing import Any

import numpy as np

from casebase.hyphenation.induction import Settings, learn
from casebase.hyphenation.words import hyphenated_words
from lab.papers.judging import is_positive, points
from lab.papers.records import Claim, Part, Row
from lab.papers.rules.measuring import consonant_before_vowel, percent_of_proposed, percent_right
from lab.papers.rules.words import Words, finnish
from lab.papers.running import Results
from lab.peers import patgen

WHERE, UNSEEN = "Section 3", "Section 3, unseen words"
DATA = "Finnish"
DEPTHS = (1, 2, 3)
SHORT = 3  # classes in a pattern, so that it can be written out with letters
METHODS: dict[Any, tuple[str, dict[str, Any]]] = {
    **{depth: (f"rules of depth {depth}", {"depth": depth, "max_class_length": None}) for depth in DEPTHS},
    "short": (f"rules of depth 2, classes in pieces of {SHORT}", {"depth": 2, "max_class_length": SHORT}),
}
PATGEN, LIANG, SIMPLE = "patgen", "Liang's patterns", "break before each consonant and vowel"
N_FOLDS = 10
PLACES, WHOLE = "places right", "words entirely right"

# The paper's figures; it does not say for which depth, and its words were different.
PRINTED = {"patterns": 100.0, "mean length": 4.0, "windows": 5.0, "final sample": 1378.0 + 2397.0}
UNITS = {
    "patterns": "patterns",
    "mean length": "letters",
    "windows": "windows",
    "final sample": "examples",
    "consistent": "%",
    "time": "s",
}
N_EXAMPLES = 14_880.0
WORD, N_OF_WORD, N_IN_RULE = "hy-phen-a-tion", 10.0, 3.0
PRECISION, AUTOMATA = "proposed places right", 98.0
OTHER_WORDS = "other words than the paper's"
NO_AUTOMATA = "“about 98 %”, of an earlier experiment, with 100 states and 250 transitions; casebase has no automata"
ORIENTATION = {("patterns", 1): 125.0, (WHOLE, 1): 94.4, (WHOLE, 2): 97.8, (WHOLE, PATGEN): 96.4}
NOTE = (
    "Words are those of UD Finnish-TDT, 1,706 as in the paper but not the same. A break is counted as a letter in the "
    "length of a pattern, as the paper's names of patterns have it. patgen is set so that it finds every hyphen of the "
    "training words and no other one, with breaks allowed behind the first letter and before the last one. The "
    "simple rule knows the vowels beforehand; the others find out."
)


def run(seed: int, number: int) -> dict[Any, float]:
    """Return the results on all words: size of the rule, windows, consistency and time."""
    words = finnish()
    results: dict[Any, float] = {}
    for method, (_, setting) in METHODS.items():
        start = time.perf_counter()
        learnt = learn(words.for_learning(), Settings(**setting, random_state=seed))
        seconds = time.perf_counter() - start
        report = learnt.report()
        results |= {
            (method, "patterns"): report["n_patterns"],
            (method, "mean length"): report["mean_length"],
            (method, "windows"): len(report["rounds"]),
            (method, "final sample"): report["rounds"][-1]["n_examples"],
            (method, "consistent"): percent_right(learnt.patterns, words.words, words.places)[0],
            (method, "time"): seconds,
            "examples": report["n_examples"],
        }
    if patgen.is_installed():
        start = time.perf_counter()
        found = patgen.patterns_by_patgen(words.with_hyphens())
        results |= {
            (PATGEN, "patterns"): found.n_lines,
            (PATGEN, "mean length"): found.mean_length + 1,
            (PATGEN, "consistent"): percent_right(found.patterns, words.words, words.places)[0],
            (PATGEN, "time"): time.perf_counter() - start,
        }
    return results


def summary(results: Results) -> Part:
    """Return the size of the rules as rows, and the claims of the text."""
    rows = []
    for what, unit in UNITS.items():
        for method, (name, _) in METHODS.items():
            rows.append(
                Row(
                    WHERE,
                    f"{DATA}: {what}",
                    name,
                    paper=PRINTED.get(what),
                    comparable=False,
                    unit=unit,
                    ours=results[method, what],
                    orientation=ORIENTATION.get((what, method)),
                    note=OTHER_WORDS if what in PRINTED else "",
                )
            )
        if (PATGEN, what) in results:
            peer = results[PATGEN, what]
            rows.append(Row(WHERE, f"{DATA}: {what}", LIANG, peer=peer, peer_name=PATGEN, unit=unit))
    examples = Row(
        WHERE,
        f"{DATA}: examples",
        "1,706 words",
        paper=N_EXAMPLES,
        ours=results["examples"],
        comparable=False,
        unit="examples",
        decimals=0,
        note=OTHER_WORDS,
    )
    return Part((examples, *rows), _claims(results), notes=(NOTE, *_absent(results)))


def run_word(number: int) -> dict[Any, float]:
    """Return the results on the paper's worked example."""
    learnt = learn(hyphenated_words([WORD]), Settings(depth=1, window=None, max_class_length=1))
    return {"examples": learnt.report()["n_examples"], "patterns": learnt.report()["n_patterns"]}


def printed_of_word() -> tuple[Row, ...]:
    data = f"“{WORD}”"
    return (
        Row(WHERE, data, "examples", paper=N_OF_WORD, paper_spread=0.0, unit="", decimals=0),
        Row(
            WHERE,
            data,
            "rule of depth 1",
            paper=N_IN_RULE,
            unit="patterns",
            decimals=0,
            comparable=False,
            note="“one possible rule”: -ph or n-a or a-t; the smallest one is found here",
        ),
    )


def summary_of_word(results: Results) -> Part:
    return Part(tuple(replace(row, ours=results[key]) for row, key in zip(printed_of_word(), ("examples", "patterns"))))


def _claims(results: Results) -> tuple[Claim, ...]:
    consistent = [results[depth, "consistent"].mean for depth in DEPTHS]
    sizes = {depth: (results[depth, "patterns"].mean, results[depth, "mean length"].mean) for depth in DEPTHS}
    shown = "; ".join(f"depth {d}: {n:.0f} patterns of mean length {length:.1f}" for d, (n, length) in sizes.items())
    return (
        Claim(
            WHERE,
            "1-, 2- and 3-level rules are consistent with all examples.",
            "every place of every word is right, at each depth",
            f"{results['examples'].mean:,.0f} examples: {', '.join(f'{share:.2f} %' for share in consistent)}.",
            all(share == 100.0 for share in consistent),
        ),
        Claim(
            WHERE,
            "An easy to read rule of 100 patterns with an average length of 4 characters.",
            "at some depth 50 to 150 patterns whose mean length is 3 to 5",
            f"{shown}.",
            any(50 <= n <= 150 and 3 <= length <= 5 for n, length in sizes.values()),
        ),
    )


def run_fold(seed: int, number: int) -> dict[Any, float]:
    """Return the percent of places and of words of one fold that each method gets right after learning the others."""
    words = finnish()
    order = np.random.default_rng(seed).permutation(len(words.words))
    held_out = np.zeros(len(order), dtype=bool)
    held_out[order[number::N_FOLDS]] = True
    training, test = (words.take(np.flatnonzero(rows)) for rows in (~held_out, held_out))
    results: dict[Any, float] = {}

    def measure(method: Any, patterns: Any) -> None:
        results[PLACES, method], results[WHOLE, method] = percent_right(patterns, test.words, test.places)
        results[PRECISION, method] = percent_of_proposed(patterns, test.words, test.places)

    for method, (_, setting) in METHODS.items():
        measure(method, learn(training.for_learning(), Settings(**setting, random_state=seed)).patterns)
    measure(SIMPLE, consonant_before_vowel(training.words))
    if patgen.is_installed():
        found = patgen.patterns_by_patgen(training.with_hyphens())
        measure(PATGEN, found.patterns)
        results["patgen on training"] = _percent_of_words(found.patterns, training)
    return results


def _percent_of_words(patterns: Any, words: Words) -> float:
    return percent_right(patterns, words.words, words.places)[1]


def summary_of_folds(results: Results) -> Part:
    """Return the accuracy on unseen words as rows."""
    rows, claims = [], []
    for what in (PRECISION, PLACES, WHOLE):
        data = f"{DATA}: {what}"
        for method, (name, _) in METHODS.items():
            orientation = ORIENTATION.get((what, method))
            rows.append(Row(UNSEEN, data, name, ours=results[what, method], orientation=orientation))
        if what == PRECISION:
            rows.append(Row(UNSEEN, data, "3-reversible automata", paper=AUTOMATA, note=NO_AUTOMATA))
        if (what, PATGEN) in results:
            rows.append(
                Row(
                    UNSEEN,
                    data,
                    LIANG,
                    peer=results[what, PATGEN],
                    peer_name=PATGEN,
                    orientation=ORIENTATION.get((what, PATGEN)),
                    note=f"{results['patgen on training'].mean:.1f} % of the training words",
                )
            )
        rows.append(Row(UNSEEN, data, SIMPLE, ours=results[what, SIMPLE]))
    for other in (PATGEN, SIMPLE):
        if (WHOLE, other) in results:
            lead = results[WHOLE, 2].minus(results[WHOLE, other])
            name = f"the rule “{other}”" if other == SIMPLE else other
            claims.append(
                Claim(
                    UNSEEN,
                    f"Not in the paper: rules of depth 2 get more unseen words right than {name}.",
                    "the difference over the folds is above 0",
                    f"{points(lead)}.",
                    is_positive(lead),
                    not_in_paper=True,
                )
            )
    return Part(tuple(rows), tuple(claims), notes=_absent(results))


def _absent(results: Results) -> tuple[str, ...]:
    if any(PATGEN in key for key in results if isinstance(key, tuple)):
        return ()
    return ("patgen is not installed (Debian: texlive-binaries), so nothing stands beside the rules.",)
