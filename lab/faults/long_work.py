"""Work that takes long: each learner, and what else the library does, on data that are drawn.

A kind is a function that makes what the work needs and returns the work.
"""

import gzip
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import casebase as cb
from casebase import evaluate
from casebase.methods import METHODS, method_named

Work = Callable[[], Any]
LETTERS = np.array(list("abcdefghijklmnopqrstuvwxyz"))


def symbols(n_cases: int, n_features: int = 12, n_values: int = 2_000, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return symbols of which few are frequent, and classes that depend on three of them."""
    rng = np.random.default_rng(seed)
    codes = (n_values * rng.random((n_cases, n_features)) ** 4).astype(int)
    names = np.array([f"v{i}" for i in range(n_values)], dtype=object)
    labels = (codes[:, 0] + codes[:, 1] % 7 + (rng.random(n_cases) < 0.2) * codes[:, 2]) % 9
    return names[codes], np.array([f"c{i}" for i in range(9)], dtype=object)[labels]


def numbers(n_cases: int, n_features: int = 10, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    drawn = rng.random((n_cases, n_features))
    return drawn, ((drawn[:, 0] + drawn[:, 1] + 0.3 * rng.random(n_cases)) * 3).astype(int)


def different(n_values: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a column of as many values as cases, one of seven values, and three classes."""
    rows = np.stack([np.arange(n_values), np.arange(n_values) % 7], axis=1).astype(str)
    return rows, (np.arange(n_values) % 3).astype(str)


def words(n: int, seed: int = 0, letters: int = 12) -> list[str]:
    rng = np.random.default_rng(seed)
    drawn = LETTERS[(26 * rng.random((n, letters)) ** 2).astype(int)]
    lengths = rng.integers(3, letters, n)
    return ["".join(row[:length]) for row, length in zip(drawn, lengths, strict=True)]


def sentences(n: int, n_words: int = 20_000) -> list[list[tuple[str, str]]]:
    rng = np.random.default_rng(0)
    lexicon = words(n_words)
    codes = (n_words * rng.random((n, 20)) ** 5).astype(int)
    tags = (codes % 23 + (rng.random(codes.shape) < 0.1)) % 23
    return [[(lexicon[c], f"T{t}") for c, t in zip(*row, strict=True)] for row in zip(codes, tags, strict=True)]


def hyphenated(n: int) -> list[str]:
    """Return words that are divided before a consonant which a vowel follows, with exceptions."""
    found = {}
    for word in words(2 * n, letters=14):
        places = [
            i
            for i in range(2, len(word) - 2)
            if word[i] not in "aeiou" and word[i + 1] in "aeiou" and (ord(word[i - 1]) + ord(word[i])) % 7
        ]
        found[word] = "".join("-" * (i in places) + letter for i, letter in enumerate(word))
    return list(found.values())[:n]


# What a learner takes: cases to learn from, and cases to ask.
SIZES = {
    "auto": (3_000, 3_000),
    "ib1": (1_000_000, 50_000),
    "ib2": (30_000, 50_000),
    "igtree": (1_000_000, 1_000_000),
    "tribl": (1_000_000, 50_000),
    "tribl2": (1_000_000, 50_000),
    "oblivion": (50_000, 50_000),
    "smile": (20_000, 2_000),
    "rules": (1_000_000, 500_000),
    "perceptron_tree": (100_000, 500_000),
    "oblivious_graph": (50_000, 500_000),
    "id3": (1_000_000, 1_000_000),
    "c45": (500_000, 1_000_000),
    "c45rules": (10_000, 500_000),
    "forest": (100_000, 20_000),
    "kernel": (20_000, 5_000),
    "opinions": (50_000, 20_000),
    "discriminant": (50_000, 50_000),
}


def _estimator(name: str, **values: Any) -> Any:
    return getattr(cb, METHODS[name].estimator)(**values)


def _learn(name: str, make: Callable[..., Any] = symbols, **values: Any) -> Work:
    X, y = make(SIZES[name][0])
    return lambda: _estimator(name, **values).fit(X, y)


def _predict(name: str, make: Callable[..., Any] = symbols, **values: Any) -> Work:
    n_learned, n_asked = SIZES[name]
    X, y = make(min(n_learned, 200_000))
    model = _estimator(name, **values).fit(X, y)
    asked = make(n_asked, seed=1)[0]
    return lambda: model.predict(asked)


def _proba(name: str) -> Work:
    n_learned, n_asked = SIZES[name]
    X, y = symbols(min(n_learned, 100_000))
    model = _estimator(name).fit(X, y)
    asked = symbols(n_asked // 2, seed=1)[0]
    return lambda: (model.predict_proba(asked), model.explain(asked[:2_000]))


def _save(name: str) -> Work:
    X, y = symbols(min(SIZES[name][0], 1_000_000))
    model = _estimator(name).fit(X, y)
    path = Path(tempfile.mkdtemp(prefix="casebase-long-")) / "model.cb"

    def work() -> None:
        model.save(path)
        cb.load(path)
        cb.check(path)

    return work


def _mvdm(n_values: int) -> Work:
    X, y = different(n_values)
    return lambda: cb.IB1Classifier(metric="mvdm").fit(X, y).predict(X[:20])


def _read(ending: str, n_cases: int = 1_000_000) -> Work:
    folder = Path(tempfile.mkdtemp(prefix="casebase-long-"))
    X, y = symbols(n_cases)
    rows = [*(f"f{i}" for i in range(12)), "class"]
    if ending in ("parquet", "feather"):
        import pyarrow as pa
        from pyarrow import feather, parquet

        table = pa.table(dict(zip(rows, [*X.T, y], strict=True)))
        path = folder / f"table.{ending}"
        (parquet.write_table if ending == "parquet" else feather.write_feather)(table, path)
        return lambda: cb.read_cases(path, target="class")
    lines = [",".join((*row, label)) for row, label in zip(X, y, strict=True)]
    if ending == "arff":
        head = "@relation r\n" + "".join(f"@attribute {name} string\n" for name in rows) + "@data\n"
    elif ending == "jsonl":
        import json

        head = ""
        lines = [json.dumps(dict(zip(rows, (*row, label), strict=True))) for row, label in zip(X, y, strict=True)]
    else:
        head = ",".join(rows) + "\n"
    path = folder / f"table.{ending}"
    text = (head + "\n".join(lines) + "\n").encode()
    path.write_bytes(gzip.compress(text, 1) if ending.endswith("gz") else text)
    return lambda: cb.read_cases(path, target="class")


def _health() -> Work:
    X, y = symbols(50_000)
    return lambda: cb.health(X, y)


def _tagger(**values: Any) -> Work:
    corpus = sentences(30_000)
    return lambda: cb.Tagger(**values).fit(corpus)


def _tag(**values: Any) -> Work:
    corpus = sentences(15_000)
    tagger = cb.Tagger(**values).fit(corpus[:5_000])
    asked = [[word for word, _ in sentence] for sentence in corpus]
    return lambda: tagger.tag_many(asked)


def _strings() -> Work:
    drawn = words(60_000)
    return lambda: cb.StringRuleClassifier().fit(drawn, [word[-2] + word[0] for word in drawn])


def _align() -> Work:
    drawn = sorted(set(words(60_000)))
    return lambda: cb.align([(word, [letter.upper() for letter in word if letter != "e"]) for word in drawn])


def _hyphen_apply() -> Work:
    known = hyphenated(20_000)
    hyphenator = cb.Hyphenator().fit(known)
    asked = words(1_000_000, seed=3)
    return lambda: hyphenator.hyphenate_many(asked)


def _language_model() -> Work:
    text = [[word for word, _ in sentence] for sentence in sentences(100_000)]
    return lambda: cb.LanguageModel().fit(text).evaluate(text[:500])


def _focus() -> Work:
    rng = np.random.default_rng(0)
    bits = rng.integers(0, 2, (1_000, 40)).astype(str)
    return lambda: cb.FocusSelector().fit(bits, rng.integers(0, 2, 1_000))


def _held_out(name: str, n: int) -> Work:
    cases = cb.Cases.from_table(symbols(n)[0], y=symbols(n)[1])
    return lambda: evaluate.cross_validate(cases, method_named(name).fit)


def _leave_one_out(n: int) -> Work:
    X, y = symbols(n)
    cases = cb.Cases.from_table(X, y=y)
    model = cb.IB1Classifier().fit(X, y).model_
    return lambda: evaluate.leave_one_out(cases, model.settings)


def _flips() -> Work:
    X, y = symbols(20_000)
    model = cb.IB1Classifier().fit(X, y)
    return lambda: [model.flips(X[i : i + 1]) for i in range(200)]


def _corrected() -> Work:
    X, y = symbols(500_000)
    model = cb.IB1Classifier().fit(X, y)
    return lambda: (model.insert(X[:200_000], y[:200_000]), model.remove(range(0, 400_000, 2)))


KINDS: dict[str, Callable[[], Work]] = {
    **{f"{name}: fit": partial(_learn, name) for name in METHODS},
    **{f"{name}: fit numbers": partial(_learn, name, numbers) for name in METHODS if name != "oblivious_graph"},
    **{f"{name}: predict": partial(_predict, name) for name in METHODS},
    **{f"{name}: predict numbers": partial(_predict, name, numbers) for name in METHODS if name != "oblivious_graph"},
    **{f"{name}: predict_proba, explain": partial(_proba, name) for name in METHODS if name != "auto"},
    **{f"{name}: save, load, check": partial(_save, name) for name in ("ib1", "igtree", "id3")},
    "ib1: mvdm, 5,000,000 values": partial(_mvdm, 5_000_000),
    "ib1: mvdm": partial(_predict, "ib1", metric="mvdm"),
    "ib1: k = 50,000": partial(_predict, "ib1", n_neighbors=50_000),
    "ib1: learned weights": partial(_learn, "ib1", weighting="learned"),
    "ib1: relief weights": partial(_learn, "ib1", numbers, weighting="relief"),
    "ib1: insert, remove": _corrected,
    "ib1: flips": _flips,
    "ib1: leave-one-out": partial(_leave_one_out, 200_000),
    "igtree: cross-validation": partial(_held_out, "igtree", 500_000),
    "c45: cross-validation": partial(_held_out, "c45", 100_000),
    "rules: pairs": partial(_learn, "rules", pairs=True),
    "focus": _focus,
    **{f"read {ending}": partial(_read, ending) for ending in ("csv", "csv.gz", "arff", "jsonl", "parquet", "feather")},
    "column kinds": lambda: partial(cb.column_kinds, symbols(1_000_000)[0]),
    "health": _health,
    "compare methods": lambda: partial(cb.compare_methods, *symbols(3_000)),
    "tagger: fit": _tagger,
    "tagger: fit as MBT": partial(_tagger, compat="mbt"),
    "tagger: tag": _tag,
    "tagger: tag as MBT": partial(_tag, compat="mbt"),
    "strings: fit": _strings,
    "align": _align,
    "hyphenator: fit": lambda: partial(cb.Hyphenator().fit, hyphenated(100_000)),
    "hyphenator: apply": _hyphen_apply,
    "language model": _language_model,
}
