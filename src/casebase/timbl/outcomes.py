"""From a model's answers to the lines of a result file and the score."""

from dataclasses import replace

import numpy as np

from casebase.base.threads import n_cores
from casebase.data import Cases
from casebase.measures.votes import EPSILON
from casebase.neighbours.search import Neighbours
from casebase.timbl.data_files import DataFile
from casebase.timbl.models import Learned, leave_one_out, stored_memory
from casebase.timbl.neighbour_lists import Listing
from casebase.timbl.option_rules import LEAVE_ONE_OUT
from casebase.timbl.options import Options
from casebase.timbl.queries import TimblAnswers, answers_to, in_timbls_terms, query_table
from casebase.timbl.results import Shown, confidences, distances
from casebase.timbl.statistics import Outcome, confusion_of


def test_answers(learned: Learned, file: DataFile, options: Options) -> tuple[TimblAnswers, list[str] | None]:
    """Return the answers to the lines of a file, and the list of neighbours below each, if any."""
    if options.test == LEAVE_ONE_OUT:
        assert learned.memory is not None
        return in_timbls_terms(learned, leave_one_out(learned.memory, options), file.columns[-1]), None
    queries = learned.model.schema.encode(query_table(learned, file.table()))
    found = in_timbls_terms(learned, answers_to(learned, queries, options), file.columns[-1])
    if options.algorithm == "TRIBL2" and options.decay.kind == "ID":
        found = replace(found, distributions=found.distributions.without_decay(found.at_leaf))
    if options.algorithm == "TRIBL" and learned.memory is not None:
        found = _as_tribl(found, options, learned.memory.n_used, learned.n_features)
    if learned.memory is None or not (options.shows("n") or options.shows("k") or options.neighbours_only):
        return found, None
    groups = _groups(learned, queries, found, options)
    if options.algorithm == "TRIBL2":
        groups = replace(groups, is_exact=found.at_leaf)
    return found, neighbours_below(learned, file, options, groups)


def _groups(learned: Learned, queries: Cases, found: TimblAnswers, options: Options) -> Neighbours:
    """Return the neighbours that decided; whether an inverse linear vote is tied depends on earlier lines."""
    model = learned.model
    if options.decay.kind != "IL" or options.algorithm not in ("IB1", "IB2") or options.exact_match:
        deciding: Neighbours = model.deciding(queries, n_jobs=n_cores())
        return deciding
    groups: Neighbours = model.nearest(queries, options.k, n_jobs=n_cores())
    tied = np.flatnonzero(found.was_tied)
    if not len(tied):
        return groups
    return groups.replace_at(tied, model.nearest(queries.take(tied), options.k + 1, n_jobs=n_cores()))


def _as_tribl(found: TimblAnswers, options: Options, n_used: int, n_features: int) -> TimblAnswers:
    """Return answers as TiMBL's TRIBL reports them: cases are compared on all features, tree nodes are never leaves.

    A line equal to a stored one may be tied, even where the tree has all features.
    """
    assert options.switch is not None
    is_from_tree = found.depth < min(options.switch, n_used)
    is_stored = (found.depth >= n_used) & (options.k == 1 or options.exact_match)
    was_tied = found.was_tied | (is_stored & found.distributions.are_tied())
    depth = np.where(is_from_tree, found.depth, n_features if options.switch < n_used else n_used)
    return replace(found, was_tied=was_tied, depth=depth, at_leaf=~is_from_tree)


def neighbours_below(learned: Learned, file: DataFile, options: Options, found: Neighbours) -> list[str]:
    """Return the list of neighbours below each result line."""
    assert learned.memory is not None
    lines = stored_memory(learned).ids(found.rows).astype(np.int64)
    # If identical cases decide alone, TiMBL lists the test line instead of the stored line.
    alone = options.exact_match or options.algorithm == "TRIBL2"
    listing = Listing(learned.memory, file, found, lines, alone)
    if options.neighbours_only:
        return listing.sets(options.k, options.shows("db"), options.shows("di"))
    if options.shows("n"):
        return listing.patterns(options.n_listed, options.shows("db"))
    return listing.summaries(options.shows("di"))


def result_columns(learned: Learned, found: TimblAnswers, options: Options) -> list[list[str]]:
    """Return the columns that follow the echo of each test line."""
    classes = learned.classes
    columns = [[classes[label] for label in found.label.tolist()]]
    shown = Shown(options.normalisation, options.added, options.beam)
    is_unknown = _has_no_distribution(found, options)
    if options.shows("cf"):
        shares = found.distributions.shares_of(found.label, shown, len(classes))
        shares[is_unknown] = 0.0
        columns.append([f" [{text}]" for text in confidences(shares, options.shows("di"))])
    if options.shows("db"):
        texts = found.distributions.texts(classes, shown)
        for case in np.flatnonzero(is_unknown).tolist():
            texts[case] = "{}"
        columns.append([f" {text}" for text in texts])
    if options.shows("di"):
        columns.append([f"        {text}" for text in distances(found.distance)])
    if options.shows("md"):
        is_leaf = found.at_leaf | (options.algorithm == "TRIBL2")
        ends = ["L" if leaf else "N" for leaf in is_leaf.tolist()]
        columns.append([f" {depth}:{end}" for depth, end in zip(found.depth.tolist(), ends)])
    return [*columns, ["\n"] * len(found.label)]


def _has_no_distribution(found: TimblAnswers, options: Options) -> np.ndarray:
    """Return which answers come from a tree node that has no class counts without +D."""
    if options.keep_distributions or options.algorithm not in ("IGTree", "TRIBL"):
        return np.zeros(len(found.label), dtype=bool)
    if options.algorithm == "IGTree":
        return found.depth > 0
    return ~found.at_leaf & (found.depth >= 2)


def outcome_of(learned: Learned, found: TimblAnswers, options: Options, encoding: str) -> Outcome:
    """Return the score of answers."""
    right = found.label == found.actual
    is_exact = found.distance < EPSILON if options.algorithm != "IGTree" else np.zeros(len(right), dtype=bool)
    return Outcome(
        learned.classes,
        confusion_of(found.actual, found.label, len(learned.classes)),
        int(is_exact.sum()),
        int(found.was_tied.sum()),
        int((found.was_tied & right).sum()),
        encoding,
    )
