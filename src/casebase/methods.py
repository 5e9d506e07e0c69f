"""The list of methods, and model files, which record their method and its settings.

A family is imported only when one of its methods is used. This is the only list of methods: the command line, the
estimators, the model files and the messages are derived from it.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Union

from casebase.base.calibration import Calibration
from casebase.base.container import Copier
from casebase.base.files import Arrays, CheckedArrays, Header, Target, read, write
from casebase.base.flips import BUDGET, Flip, find_flips
from casebase.base.leave_out import memory_of
from casebase.base.log import ARRAY, Entry, read_log, write_log
from casebase.base.method import Method
from casebase.base.model import Corrected, Model, RanksByDistance
from casebase.data import Cases
from casebase.data.arrow import pa
from casebase.errors import CasebaseError, ModelFileError, unknown_name
from casebase.memory.store import Store

if TYPE_CHECKING:
    from casebase.hyphenation.hyphenator import Hyphenator
    from casebase.strings.rules import StringRules
    from casebase.tagging.annotator import Annotator
    from casebase.tagging.lemmas.lemmatizer import Lemmatizer
    from casebase.tagging.tagger import Tagger


@dataclass(frozen=True)
class Listed:
    """The location of a method: its family, the name of its row there, and its estimator."""

    family: str
    row: str
    estimator: str


METHODS = {
    "auto": Listed("autopilot", "AUTO", "AutoClassifier"),
    "ib1": Listed("neighbours", "IB1", "IB1Classifier"),
    "igtree": Listed("neighbours", "IGTREE", "IGTreeClassifier"),
    "tribl": Listed("neighbours", "TRIBL", "TRIBLClassifier"),
    "tribl2": Listed("neighbours", "TRIBL2", "TRIBL2Classifier"),
    "ib2": Listed("neighbours", "IB2", "IB2Classifier"),
    "oblivion": Listed("oblivious", "OBLIVION", "OblivionClassifier"),
    "smile": Listed("smile", "SMILE", "SMILEClassifier"),
    "rules": Listed("rules", "RULES", "HierarchicalRuleClassifier"),
    "perceptron_tree": Listed("trees", "PERCEPTRON_TREE", "PerceptronTreeClassifier"),
    "oblivious_graph": Listed("oblivious", "OBLIVIOUS_GRAPH", "ObliviousGraphClassifier"),
    "id3": Listed("trees", "ID3", "ID3Classifier"),
    "c45": Listed("trees", "C45", "C45Classifier"),
    "c45rules": Listed("trees", "C45RULES", "C45RulesClassifier"),
    "forest": Listed("autopilot", "FOREST", "CaseForestClassifier"),
    "kernel": Listed("autopilot", "KERNEL", "KernelVoteClassifier"),
    "opinions": Listed("autopilot", "OPINIONS", "OpinionPoolClassifier"),
    "discriminant": Listed("autopilot", "DISCRIMINANT", "DiscriminantClassifier"),
}
# Model files without a classifier, by the learner in their header: what they contain, and the command for them.
OTHERS = {
    "annotator": ("an annotator", "casebase tagger"),
    "hyphenation": ("a hyphenator", "casebase hyphen"),
    "lemmatizer": ("a lemmatizer", "casebase.Lemmatizer"),
    "strings": ("rules over strings", "casebase strings"),
    "tagger": ("a tagger", "casebase tagger"),
}


LOG = ARRAY


@cache
def method_named(name: str) -> Method:
    """Return the method with this name.

    >>> method_named("c45").keeps
    'a tree of tests'
    """
    if name not in METHODS:
        raise CasebaseError(unknown_name("learner", name, METHODS))
    listed = METHODS[name]
    method = getattr(import_module(f"casebase.{listed.family}.methods"), listed.row)
    assert isinstance(method, Method)
    return method


def all_methods() -> list[Method]:
    """Return every method; this imports all families."""
    return [method_named(name) for name in METHODS]


@dataclass(frozen=True)
class Saved:
    """The content of a model file: the model, and what was stored with it.

    That is the additional parameters of the estimator that saved it (with the name of the file that `casebase train`
    learned from, as `data_file`), how its votes are smoothed if the file says so, and the log of its corrections. An
    old calibration is that of the cases before the last corrections.
    """

    model: Model
    estimator: dict[str, Any] = field(default_factory=dict)
    calibration: Calibration | None = None
    log: tuple[Entry, ...] = ()
    has_old_calibration: bool = False

    @property
    def method(self) -> Method:
        return method_named(self.model.method)

    @property
    def data_file(self) -> str | None:
        """The name of the file of the training cases, if it is known."""
        name = self.estimator.get("data_file")
        return name if isinstance(name, str) else None

    @property
    def parameters(self) -> dict[str, Any]:
        """The public settings of the model and the additional parameters of the estimator."""
        return dict(self.model.summary().parameters) | self.estimator


@dataclass(frozen=True, eq=False)
class StoredRecords:
    """The records of a model in the order of insertion, each once, and what to know about them."""

    cases: Cases
    notes: tuple[str, ...]


def stored_records(model: Model) -> StoredRecords:
    """Return the records that a model keeps, for another method to learn from; an error if it keeps none."""
    memory = memory_of(model)
    notes = []
    if method_named(model.method).keeps == "some cases":
        notes.append(f"A model of {model.method} keeps only some of the records that it learned from.")
    cases = Store(model.schema, memory, None).cases()
    if cases.weights is not None or cases.exemplars is not None:
        notes.append("The records have weights; here each counts once.")
        cases = replace(cases.with_weights(None), exemplars=None)
    return StoredRecords(cases, tuple(notes))


def flip(
    model: Model,
    cases: Cases,
    *,
    to: Any = None,
    frozen: Sequence[str | int] | str = (),
    limit: int = 3,
    budget: int = BUDGET,
    n_jobs: int = 1,
) -> list[Flip]:
    """Return for each case the fewest changes after which the prediction is another one, or the class `to`.

    At most `limit` values change, to values that occur in the data; columns in `frozen` stay as they are. `budget`
    limits the number of predictions that are tried for a case.
    """
    structure = method_named(model.method).flip
    return find_flips(structure, model, cases, to=to, frozen=frozen, limit=limit, budget=budget, n_jobs=n_jobs)


def save(
    path: Target,
    model: Model,
    estimator: dict[str, Any] | None = None,
    *,
    calibration: Calibration | None = None,
    log: Sequence[Entry] = (),
    copier: Copier | None = None,
) -> None:
    """Write a model to a file, with its settings, the additional parameters of its estimator, calibration and log.

    A corrected model is written like a new fit, so that the file has no trace of removed cases; a log that is not empty
    comes in addition. A `copier` may write large arrays.
    """
    save_all(path, Saved(model, estimator or {}, calibration, tuple(log)), copier)


def save_all(path: Target, saved: Saved, copier: Copier | None = None) -> None:
    """Write the content of a model file, as `save` does."""
    model, calibration = saved.model, saved.calibration
    if isinstance(model, Corrected):
        model = model.in_order()
    arrays: Arrays = {}
    header: Header = {"learner": model.method, "settings": model.settings.to_dict(), "estimator": saved.estimator}
    if calibration is not None:
        calibration.write(header, arrays)
    if saved.has_old_calibration:
        header["has_old_calibration"] = True
    method_named(model.method).write(model, header, arrays)
    write_log(saved.log, arrays)
    write(path, header, arrays, copier)


def load(path: str | os.PathLike[str]) -> Saved:
    """Read a model; every index is checked before it is used, those of a large file when they are."""
    return model_of(path, *read(path))


def check(path: str | os.PathLike[str]) -> None:
    """Compare every byte of a model file with its checksum, and check every index; an error if something is wrong.

    `load` does the same for a file of up to 64 MiB, and a part of it for a larger one.
    """
    header, arrays = read(path, is_complete=True)
    if header.get("learner") == "strings":
        string_rules(path, header, arrays)
    elif header.get("learner") in OTHERS:
        other_model(path, header, arrays)
    else:
        model_of(path, header, arrays)


def model_of(path: str | os.PathLike[str], header: Header, arrays: CheckedArrays) -> Saved:
    """Return the model from the header and the arrays of a file."""
    kind = header.get("learner")
    if kind in OTHERS:
        what, command = OTHERS[kind]
        raise ModelFileError(f"{path} is {what}, not a classifier. Use `{command}`, or casebase.load.")
    estimator = header.get("estimator", {})
    if not isinstance(estimator, dict):
        raise ModelFileError(f"{path} is not a usable model: its parameters are not a record.")
    try:
        if not isinstance(kind, str) or kind not in METHODS:
            raise KeyError(kind)
        method = method_named(kind)
        settings = method.settings.from_dict(header["settings"])
        model = method.read(header, arrays, settings)
        log = read_log(arrays)
        calibration = Calibration.read(header, arrays, len(model.schema.classes))
        by_distance = isinstance(model, RanksByDistance) and model.ranks_by_distance
        if calibration is not None and calibration.has_distances and not by_distance:
            raise ValueError("its calibration has distances, but its answers do not go by distance")
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError, pa.ArrowException) as error:
        raise ModelFileError(f"{path} is not a usable model: {error}.") from error
    return Saved(model, estimator, calibration, log, header.get("has_old_calibration") is True)


def string_rules(path: str | os.PathLike[str], header: Header, arrays: CheckedArrays) -> "StringRules":
    """Return the rules over strings of a file that was read."""
    rules: StringRules = import_module("casebase.strings.files").strings_from(path, header, arrays)[0]
    return rules


def other_model(
    path: str | os.PathLike[str], header: Header, arrays: CheckedArrays
) -> Union["Annotator", "Hyphenator", "Lemmatizer", "Tagger"]:
    """Return the annotator, hyphenator, lemmatizer or tagger of a file that was read."""
    if header["learner"] == "annotator":
        annotator: Annotator = import_module("casebase.tagging.annotator").Annotator._from_file(path, header, arrays)
        return annotator
    if header["learner"] == "lemmatizer":
        lemmas = import_module("casebase.tagging.lemmas.lemmatizer")
        lemmatizer: Lemmatizer = lemmas.Lemmatizer._from_file(path, header, arrays)
        return lemmatizer
    if header["learner"] == "tagger":
        model = import_module("casebase.tagging.files.tagger").tagger_from(path, header, arrays)
        tagger: Tagger = import_module("casebase.tagging.tagger").Tagger._of(*model)
        return tagger
    content = import_module("casebase.hyphenation.files").hyphenation_from(path, header, arrays)
    hyphenator: Hyphenator = import_module("casebase.hyphenation.hyphenator").Hyphenator._of(*content)
    return hyphenator
