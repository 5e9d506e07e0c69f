"""Table 1: the tag of a word, from the two tags before it, its own possible tags and those of the next word."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import numpy as np

from casebase.data import Cases
from casebase.data.folds import folds
from casebase.neighbours import ib1, ib2, igtree
from casebase.tagging.features import Describer, Pattern, Text, instances
from casebase.tagging.lexicon import lexicon_of
from casebase.tagging.sentences import sentences_of
from lab.local import local_lines
from lab.papers.igtree.data import IB1, IB1_IG, IGTREE, TIMBL_OPTIONS
from lab.papers.igtree.significance import percent_of, times
from lab.papers.judging import lies_within, points
from lab.papers.records import Claim, Measured, Part, Row
from lab.papers.running import Results
from lab.peers import timbl

WHERE = "Table 1"
N_FOLDS = 10
N_WORDS = 100_000
FEATURES = "ddfa"
RIGHT, SECONDS, KILOBYTES = "accuracy", "learning and asking", "memory"
LEARNING, ASKING, ASKING_FEW = "learning", "asking", "asking a tenth of the cases"
IB2 = "IB2"
CONSIDERABLE = 1.0  # points of accuracy
INDEXED = "Memories are themselves indexed here, as they were not then."

PRINTED = {IB1: (93.9, 0.2), IB1_IG: (97.0, 0.2), IGTREE: (96.6, 0.2)}
PRINTED_SECONDS = {IB1: 43 * 60 + 34, IB1_IG: 49 * 60 + 45, IGTREE: 29}
PRINTED_KILOBYTES = {IB1: 900, IB1_IG: 900, IGTREE: 21}

LEARNERS: dict[str, Callable[[Cases], Any]] = {
    IB1: partial(ib1.fit, weighting="none"),
    IB1_IG: partial(ib1.fit, weighting="gain_ratio"),
    IGTREE: partial(igtree.fit, weighting="gain_ratio", keep_cases=False),
}
OTHERS: dict[str, Callable[[Cases], Any]] = {IB2: partial(ib2.fit, weighting="gain_ratio")}
NOTE = (
    "Table 1: the paper does not say which words it tagged. Here every word of the first 100,000 of a corpus is a case "
    "(whole sentences), with MBT's features ddfa and the lexicon of all these words, and the folds are cut through the "
    "cases. The tags of the Wall Street Journal are those of CoNLL-2000, given by a program, and easier to learn. Time "
    "is that of one thread, for one fold, with values coded beforehand (TiMBL: the whole program, with reading); which "
    "time the paper gives is not told. Memory is what answers are found in: the cases by column with their classes, or "
    "the nodes of the tree with value, class and first branch."
)


@dataclass(frozen=True)
class Corpus:
    """A file of words and tags, one word per line."""

    name: str
    file: str
    separator: str
    n_words: int = N_WORDS


CORPORA = (Corpus("Brown", "brown.tsv.gz", "\t"), Corpus("Wall Street Journal", "conll2000.train.txt.gz", " "))
QUICK_CORPORA = tuple(replace(corpus, n_words=20_000) for corpus in CORPORA)


def sentences_in(corpus: Corpus) -> list[list[tuple[str, str]]]:
    """Return the sentences of a corpus, up to the end of the one with the last of `n_words`."""
    found: list[list[tuple[str, str]]] = [[]]
    n_found = 0
    for line in local_lines(corpus.file):
        if line.strip():
            word, tag = line.split(corpus.separator)[:2]
            found[-1].append((word, tag))
            n_found += 1
        elif n_found >= corpus.n_words:
            break
        elif found[-1]:
            found.append([])
    return [sentence for sentence in found if sentence]


@cache
def cases_of(corpus: Corpus) -> Cases:
    """Return a case for each word of a corpus."""
    sentences = sentences_of(sentences_in(corpus), tagged=True)
    lexicon, word_of, tag_of = lexicon_of(sentences)
    text = Text(lexicon.words.values, word_of, sentences.first, np.arange(len(lexicon)))
    return instances(Pattern.parse(FEATURES), Describer(lexicon), text, tag_of, np.arange(sentences.n_tokens))


def run(corpus: Corpus, seed: int, number: int) -> dict[Any, float]:
    """Return each method's accuracy, time and memory in a fold, and TiMBL's."""
    cases = cases_of(corpus)
    held_out = folds(cases.known_labels, N_FOLDS, seed) == number
    train, test = cases.take(np.flatnonzero(~held_out)), cases.take(np.flatnonzero(held_out))
    classes = np.array(cases.schema.classes)
    results: dict[Any, float] = {}
    for method, learn in (LEARNERS | OTHERS).items():
        begin = time.perf_counter()
        model = learn(train)
        learnt = time.perf_counter() - begin
        results[method, ASKING], answered = _asked(model, test)
        results[method, LEARNING] = learnt
        results[method, SECONDS] = learnt + results[method, ASKING]
        right = np.array(model.schema.classes)[answered] == classes[test.known_labels]
        results[method, RIGHT] = 100.0 * float(np.mean(right))
        results[method, KILOBYTES] = kilobytes_of(model)
    for method in (IB1, IGTREE):
        results[method, ASKING_FEW], _ = _asked(LEARNERS[method](train.take(np.arange(0, train.n_cases, 10))), test)
    if timbl.is_installed():
        codes = np.stack([*cases.columns, cases.known_labels], axis=1).astype(np.int64)
        with timbl.Fold(codes, held_out) as fold:
            for method in LEARNERS:
                said = fold.ask(*TIMBL_OPTIONS[method])
                results[timbl.NAME, method, RIGHT], results[timbl.NAME, method, SECONDS] = said.percent, said.seconds
    return results


def _asked(model: Any, test: Cases) -> tuple[float, np.ndarray]:
    """Return how long the answers to some cases take, and the answers."""
    asked = model.schema.recode(test)
    begin = time.perf_counter()
    answered: np.ndarray = model.answer(asked).label
    return time.perf_counter() - begin, answered


def kilobytes_of(model: Any) -> float:
    """Return the memory of a model in kilobytes, without the names of values."""
    if isinstance(model, ib2.IB2):
        model = model.kept
    if isinstance(model, igtree.IGTree):
        arrays = [model.tree.first_child, model.tree.value, model.tree.label]
    else:
        arrays = [a for segment in model.memory.segments for a in (*segment.columns, segment.labels)]
    return sum(array.nbytes for array in arrays) / 1024


def printed(corpus: Corpus) -> tuple[Row, ...]:
    """Return rows with the paper's figures alone."""
    return (
        *(_row(corpus, method, RIGHT, *figures) for method, figures in PRINTED.items()),
        *(_row(corpus, method, "time", seconds, unit="s", decimals=0) for method, seconds in PRINTED_SECONDS.items()),
        *(_row(corpus, method, "memory", size, unit="Kb", decimals=0) for method, size in PRINTED_KILOBYTES.items()),
    )


def summary(corpus: Corpus, results: Results) -> Part:
    """Return accuracy, time and memory of the three methods on a corpus, and what the text says about them."""
    measured = {RIGHT: RIGHT, "time": SECONDS, "memory": KILOBYTES}
    rows = []
    for row in printed(corpus):
        what = measured[row.setting.partition(",")[0]]
        peer = results.get((timbl.NAME, row.method, what))
        decimals = row.decimals if what == RIGHT else 2
        rows.append(
            replace(
                row,
                ours=results[row.method, what],
                peer=peer,
                peer_name=timbl.NAME * (peer is not None),
                comparable=row.comparable and what == RIGHT,
                decimals=decimals,
            )
        )
    return Part(tuple(rows), _claims(corpus, results), notes=(NOTE,))


def _row(corpus: Corpus, method: str, setting: str, paper: float, spread: float | None = None, **more: Any) -> Row:
    if corpus.n_words != N_WORDS:
        setting, more = f"{setting}, {corpus.n_words} words", more | {"comparable": False}
    return Row(WHERE, corpus.name, method, setting, paper, spread, **more)


def _claims(corpus: Corpus, results: Mapping[Any, Measured]) -> tuple[Claim, ...]:
    loss = results[IB1_IG, RIGHT].minus(results[IGTREE, RIGHT])
    faster = {method: times(results[method, ASKING], results[IGTREE, ASKING]) for method in (IB1, IB1_IG)}
    saved = percent_of(results[IGTREE, KILOBYTES], results[IB1_IG, KILOBYTES])
    building = times(results[IGTREE, LEARNING], results[IB1_IG, LEARNING])
    pruned = results[IB1_IG, RIGHT].minus(results[IB2, RIGHT])
    kept = percent_of(results[IB2, KILOBYTES], results[IB1_IG, KILOBYTES])
    grown = {method: times(results[method, ASKING], results[method, ASKING_FEW]) for method in (IB1, IGTREE)}
    where = f"{WHERE}, {corpus.name}" + f" ({corpus.n_words} words)" * (corpus.n_words != N_WORDS)
    return (
        Claim(
            where.replace(WHERE, "Section 1"),
            "Accuracy decreased considerably when the case base is pruned in some way, e.g. using IB2.",
            f"IB2, with the weights of IB1-IG, is {CONSIDERABLE:g} point or more below IB1-IG",
            f"IB1-IG less IB2: {points(pruned, 2)}; IB2 keeps {kept.mean:.1f} % of the cases.",
            lies_within(pruned.interval, CONSIDERABLE, 100),
        ),
        Claim(
            where.replace(WHERE, "Section 2"),
            "Retrieval by search in the tree is independent from the number of training cases.",
            "the time of asking, one thread, with ten times as many training cases: at most 1.5 times as long",
            f"IGTree takes {grown[IGTREE].mean:.2f} times as long ({min(grown[IGTREE].runs):.2f} to "
            f"{max(grown[IGTREE].runs):.2f} in the folds); IB1 {grown[IB1].mean:.1f} times.",
            lies_within(grown[IGTREE].interval, 0, 1.5),
        ),
        Claim(
            where,
            "The use of IGTree did not result in a serious loss of generalisation accuracy.",
            "at most 1 point below IB1-IG",
            f"IB1-IG less IGTree: {points(loss, 2)}.",
            lies_within(loss.interval, -100, 1),
        ),
        Claim(
            where,
            "Retrieval is 100 to 200 times faster than IB1-IG retrieval.",
            "the time of asking, one thread; 100 times or more",
            _as_long(IB1_IG, faster[IB1_IG]),
            lies_within(faster[IB1_IG].interval, 100, float("inf")),
            INDEXED,
        ),
        Claim(
            where.replace(WHERE, "Section 2"),
            "IGTree retrieval is over 200 times faster than IB1 retrieval.",
            "the time of asking, one thread",
            _as_long(IB1, faster[IB1]),
            lies_within(faster[IB1].interval, 200, float("inf")),
            INDEXED,
        ),
        Claim(
            where.replace(WHERE, "Section 2"),
            "Building the tree takes about twice the time of simply storing the cases.",
            "the time of learning, one thread: 1.5 to 2.5 times that of IB1-IG",
            f"{building.mean:.2f} times ({min(building.runs):.2f} to {max(building.runs):.2f} in the folds).",
            lies_within(building.interval, 1.5, 2.5),
            "IB1-IG sorts its cases to index them, which is most of what a tree needs.",
        ),
        Claim(
            where,
            "It uses over 97 % less memory.",
            "the tree takes less than 3 % of what the cases take",
            f"The tree takes {saved.mean:.2f} %.",
            lies_within(saved.interval, 0, 3),
            "A case takes 8 bytes here, where the paper's took 10.",
        ),
        Claim(
            where.replace(WHERE, "Section 2"),
            "IGTree uses over 95 % less memory than IB1.",
            "the tree takes less than 5 % of what the cases take",
            f"The tree takes {saved.mean:.2f} %.",
            lies_within(saved.interval, 0, 5),
        ),
    )


def _as_long(method: str, ratio: Measured) -> str:
    return (
        f"{method} takes {ratio.mean:.0f} times as long on average ({min(ratio.runs):.0f} to {max(ratio.runs):.0f} in "
        "the folds)."
    )
