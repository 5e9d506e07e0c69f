"""A small model of every kind, and its answers: what forged and damaged model files are made of."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import casebase as cb
from casebase.base.files import read
from casebase.data import Cases
from casebase.errors import CasebaseError
from casebase.methods import METHODS, load, method_named, save

SENTENCES = [[("the", "D"), ("dog", "N"), ("runs", "V")], [("a", "D"), ("cat", "N")]] * 4
TREEBANK = [[{"form": w, "lemma": w.rstrip("s"), "upos": t, "xpos": t, "feats": "_"} for w, t in s] for s in SENTENCES]
QUERIES: list[dict[str, Any]] = [{"size": "s", "name": "ada", "age": 0.5}, {"size": "x", "name": None, "age": None}]


def _cases() -> Cases:
    draw = np.random.default_rng(0)
    size, name = draw.choice(list("sml"), 24), draw.choice(["ada", "bob", "eve"], 24)
    age = draw.normal(size=24).round(2)
    age[3] = np.nan
    labels = np.where(size == "s", "P", np.where(age > 0, "Q", "R"))
    rows = [list(row) for row in zip(size.tolist(), name.tolist(), age.tolist())]
    table = [dict(zip(("size", "name", "age"), row)) for row in rows]
    return Cases.from_table(table, y=labels, weights=draw.choice([1.0, 0.3, 2.0], 24))


def _classifier(method: str, **options: Any) -> Callable[[Path], None]:
    return lambda path: save(path, method_named(method).fit(_cases(), **options))


MAKERS: dict[str, Callable[[Path], Any]] = {
    **{name: _classifier(name) for name in METHODS},
    "ib1 of many metrics": _classifier("ib1", metric={"size": "mvdm", "name": "levenshtein"}, k=2),
    "ib1 as timbl": _classifier("ib1", compat="timbl", weighting="chi_squared", k=3, vote="exponential"),
    "tribl of cut numbers": _classifier("tribl", discretise="mdlp", switch=1),
    "estimator": lambda path: (
        cb.IB1Classifier(k=3).fit([[q["size"], str(q["name"]), "1"] for q in QUERIES], ["P", "Q"]).save(path)
    ),
    "tagger": lambda path: cb.Tagger().fit(SENTENCES).save(path),
    "tagger of two case bases": lambda path: cb.Tagger(known="ddfa", unknown="dfap").fit(SENTENCES).save(path),
    "annotator": lambda path: cb.Annotator().fit(TREEBANK).save(path),
    "lemmatizer": lambda path: (
        cb.Lemmatizer().fit([[(t["form"], t["upos"], t["lemma"]) for t in s] for s in TREEBANK]).save(path)
    ),
    "language model": lambda path: cb.LanguageModel(n_words=2).fit([[w for w, _ in s] for s in SENTENCES]).save(path),
    "hyphenation": lambda path: cb.Hyphenator().fit(["ta-lo", "ka-la", "sa-na", "pa-la-ta"]).save(path),
    "strings": lambda path: (
        cb.StringRuleClassifier().fit(["talo", "kala", "sana", "palat"], ["P", "Q", "P", "Q"]).save(path)
    ),
}
KINDS = tuple(MAKERS)


def make(kind: str, path: Path) -> None:
    """Write a small model of a kind."""
    MAKERS[kind](path)


def ask(path: Path) -> list[str]:
    """Load a model, ask it, and let it explain; return what it says."""
    header = read(path)[0]
    learner = header.get("learner")
    if learner in METHODS:
        model = load(path).model
        try:
            cases = model.schema.encode(QUERIES)
        except CasebaseError:  # the model is of other columns
            cases = model.schema.encode([["x"] * len(model.schema.needed_columns)] * 2)
        said = [repr(model.answer(cases).label.tolist())]
        return said + [str(evidence) for evidence in model.explain(cases)]
    loaded: Any = cb.load(path)
    if learner == "tagger":
        return [repr(loaded.tag(["the", "dog", "zzz"]))]
    if learner == "annotator":
        return [repr(loaded.annotate([["the", "dogs", "zzz"]]))]
    if learner == "lemmatizer":
        return [repr(loaded.lemmatize(["dogs", "zzzs"], ["N", "N"]))]
    if learner == "hyphenation":
        return [repr(loaded.hyphenate("palatalo"))]
    return [repr(list(loaded.predict(["talo", "xyz"])))]
