"""The methods by name: how each learns, how its model is written and read, and how it is exported."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pyarrow as pa

from casebase.base.files import Arrays, CheckedArrays, Header, read, write
from casebase.base.parameters import plain_parameters, restored_parameters
from casebase.errors import ModelFileError
from casebase.hyphenation.files import is_hyphenation
from casebase.neighbours import ib1, ib2, igtree, tribl, tribl2
from casebase.neighbours.correction import Correctable, in_order
from casebase.neighbours.files.cases import read_ib1, read_ib2, read_tribl2, write_ib1, write_tribl2
from casebase.neighbours.files.trees import read_igtree, read_tribl, write_igtree, write_tribl
from casebase.oblivious import graph, oblivion
from casebase.oblivious.export import graph as graph_export
from casebase.oblivious.files.graph import read_oblivious_graph, write_oblivious_graph
from casebase.oblivious.files.oblivion import read_oblivion, write_oblivion
from casebase.oblivious.graph import ObliviousGraph
from casebase.oblivious.oblivion import Oblivion
from casebase.rules import export as rules_export
from casebase.rules import table
from casebase.rules.files import read_rules, write_rules
from casebase.rules.table import Rules
from casebase.smile import smile
from casebase.smile.files import read_smile, write_smile
from casebase.smile.smile import SMILE
from casebase.tagging.files.tagger import is_tagger
from casebase.trees import c45, c45rules, id3, perceptron_tree
from casebase.trees.c45 import C45
from casebase.trees.c45rules import C45Rules
from casebase.trees.export import c45rules as c45rules_export
from casebase.trees.export import decision_tree as decision_tree_export
from casebase.trees.export import perceptron_tree as perceptron_tree_export
from casebase.trees.files.c45rules import read_c45rules, write_c45rules
from casebase.trees.files.decision_tree import read_c45, read_id3, write_decision_tree
from casebase.trees.files.perceptron_tree import read_perceptron_tree, write_perceptron_tree
from casebase.trees.id3 import ID3
from casebase.trees.perceptron_tree import PerceptronTree

Model = Correctable | Oblivion | ObliviousGraph | PerceptronTree | SMILE | Rules | ID3 | C45 | C45Rules

# The names by which users ask for a learner, on the command line and in model files.
LEARNERS: dict[str, Callable[..., Model]] = {
    "ib1": ib1.fit,
    "igtree": igtree.fit,
    "tribl": tribl.fit,
    "tribl2": tribl2.fit,
    "ib2": ib2.fit,
    "oblivion": oblivion.fit,
    "smile": smile.fit,
    "rules": table.fit,
    "perceptron_tree": perceptron_tree.fit,
    "oblivious_graph": graph.fit,
    "id3": id3.fit,
    "c45": c45.fit,
    "c45rules": c45rules.fit,
}

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


EXPORTS: dict[type, Mapping[str, Callable[[Any], str]]] = {
    Rules: rules_export.FORMATS,
    ID3: decision_tree_export.FORMATS,
    C45: decision_tree_export.FORMATS,
    C45Rules: c45rules_export.FORMATS,
    PerceptronTree: perceptron_tree_export.FORMATS,
    ObliviousGraph: graph_export.FORMATS,
}
FORMATS = tuple(dict.fromkeys(name for formats in EXPORTS.values() for name in formats))


def formats_of(model: Any) -> Mapping[str, Callable[[Any], str]]:
    """Return how a model can be written, by name; nothing for one that is its cases."""
    return EXPORTS.get(type(model), {})
