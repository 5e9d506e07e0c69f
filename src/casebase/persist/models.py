"""A model file: which learner wrote it, with which parameters, and the arrays that learner needs.

A learner's writer lists the arrays of its model; its reader names each with the type, length and bounds that it must
have. The two stand side by side, one file per kind of learner.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pyarrow as pa

from casebase.errors import ModelFileError
from casebase.learners import Correctable, Model
from casebase.learners.correcting import in_order
from casebase.persist.c45rules import read_c45rules, write_c45rules
from casebase.persist.decision_trees import read_c45, read_id3, write_decision_tree
from casebase.persist.files import Arrays, CheckedArrays, Header, read, write
from casebase.persist.hyphenator import is_hyphenation
from casebase.persist.neighbours import read_ib1, read_ib2, read_tribl2, write_ib1, write_tribl2
from casebase.persist.oblivion import read_oblivion, write_oblivion
from casebase.persist.oblivious_graph import read_oblivious_graph, write_oblivious_graph
from casebase.persist.parameters import plain_parameters, restored_parameters
from casebase.persist.perceptron_tree import read_perceptron_tree, write_perceptron_tree
from casebase.persist.rules import read_rules, write_rules
from casebase.persist.smile import read_smile, write_smile
from casebase.persist.tagger import is_tagger
from casebase.persist.trees import read_igtree, read_tribl, write_igtree, write_tribl

WRITERS: dict[str, Callable[[Any, Header, Arrays], None]] = {
    "ib1": write_ib1,
    "ib2": write_ib1,
    "igtree": write_igtree,
    "oblivion": write_oblivion,
    "tribl": write_tribl,
    "tribl2": write_tribl2,
    "smile": write_smile,
    "rules": write_rules,
    "perceptron_tree": write_perceptron_tree,
    "oblivious_graph": write_oblivious_graph,
    "id3": write_decision_tree,
    "c45": write_decision_tree,
    "c45rules": write_c45rules,
}
READERS: dict[str, Callable[[Header, CheckedArrays], Model]] = {
    "ib1": read_ib1,
    "ib2": read_ib2,
    "igtree": read_igtree,
    "oblivion": read_oblivion,
    "tribl": read_tribl,
    "tribl2": read_tribl2,
    "smile": read_smile,
    "rules": read_rules,
    "perceptron_tree": read_perceptron_tree,
    "oblivious_graph": read_oblivious_graph,
    "id3": read_id3,
    "c45": read_c45,
    "c45rules": read_c45rules,
}

NAMES = {"ObliviousGraph": "oblivious_graph", "PerceptronTree": "perceptron_tree"}


@dataclass(frozen=True)
class Saved:
    """A model and the parameters it was fitted with."""

    model: Model
    parameters: dict[str, Any] = field(default_factory=dict)

    @property
    def learner(self) -> str:
        return learner_name(type(self.model))


def learner_name(model: type) -> str:
    """Return what a class of models is called, in files and on the command line."""
    return NAMES.get(model.__name__, model.__name__.lower())


def save(path: str | os.PathLike[str], model: Model, parameters: dict[str, Any] | None = None) -> None:
    """Write a model, and the parameters it was fitted with, to a file.

    One that was corrected is written as a new fit would be: nothing is left of what was taken out.
    """
    if isinstance(model, Correctable):
        model = in_order(model)
    header: Header = {
        "learner": learner_name(type(model)),
        "parameters": parameters or {},
        "fitted_with": plain_parameters(model.parameters),
    }
    arrays: Arrays = {}
    WRITERS[learner_name(type(model))](model, header, arrays)
    write(path, header, arrays)


def load(path: str | os.PathLike[str]) -> Saved:
    """Read a model; every index is checked before anything is computed with it."""
    header, arrays = read(path)
    if is_hyphenation(header):
        raise ModelFileError(f"{path} is a hyphenator, not a classifier. Use `casebase hyphen`, or casebase.load.")
    if is_tagger(header):
        raise ModelFileError(f"{path} is a tagger, not a classifier. Use `casebase tagger`, or casebase.load.")
    try:
        model = READERS[header["learner"]](header, arrays)
        model = replace(model, parameters=restored_parameters(dict(header["fitted_with"])))
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, pa.ArrowException) as error:
        raise ModelFileError(f"{path} is not a usable model: {error}.") from error
    parameters = header.get("parameters", {})
    if not isinstance(parameters, dict):
        raise ModelFileError(f"{path} is not a usable model: its parameters are not a record.")
    return Saved(model, parameters)
