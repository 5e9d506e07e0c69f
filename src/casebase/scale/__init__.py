"""Tables larger than memory, and clusters: the same model file, byte for byte, and the same answers.

`fit` learns from files that are read in parts, in a bounded amount of memory, in this process or on a Dask cluster;
`fit_tagger` trains a tagger in the same way, and `predict` writes the answers to such files.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from casebase.base.threads import n_cores
from casebase.batches.lines import Wanted
from casebase.batches.questions import Questions
from casebase.confidence import checked_confidence
from casebase.data.kinds import Kinds
from casebase.data.roles import Roles
from casebase.data.sources import Columns
from casebase.errors import CasebaseError
from casebase.methods import method_named
from casebase.progress import Progress
from casebase.scale.answering import answer_file
from casebase.scale.resources import Resources
from casebase.scale.scratch import memory_of
from casebase.scale.taggers import TrainedTagger, fit_tagger, train_tagger
from casebase.scale.training import Trained, train

if TYPE_CHECKING:
    from distributed import Client

    from casebase.estimators._base import CaseClassifier

__all__ = [
    "Resources",
    "Trained",
    "TrainedTagger",
    "fit",
    "fit_tagger",
    "memory_of",
    "predict",
    "train",
    "train_tagger",
]


def fit(
    learner: "str | CaseClassifier",
    data: Any,
    *,
    output: str | os.PathLike[str],
    target: str | int | None = None,
    memory: str | int | None = None,
    scratch: str | os.PathLike[str] | None = None,
    client: "Client | None" = None,
    kinds: Kinds = None,
    id_column: str | int | None = None,
    ids: str | os.PathLike[str] | None = None,
    held_out: float | None = None,
    ignore: Columns = None,
    keep: Columns = None,
    n_threads: int | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> "CaseClassifier":
    """Learn from a table that need not fit into memory, save the model, and return it as a classifier.

    Parameters
    ----------
    learner : str or classifier
        The name of a method ("ib1", "igtree", "tribl", "tribl2", "id3", "c45", "oblivion", "auto", "forest", "kernel",
        "opinions", "discriminant"), or a classifier with the settings to use, such as `IB1Classifier(k=3)`.
    data : path, pattern, list of them, or batches
        Files ("data/*.parquet"), a pyarrow dataset, a duckdb relation, a Dask data frame, a list of delayed data
        frames, or an iterator of Arrow batches; see `casebase.formats.parts.open_parts`. The workers of the client
        compute the partitions of a Dask frame; without a client this process does, one at a time.
    output : path
        The model file; an existing one is replaced when the new one is complete.
    target : str or int, optional
        The class: the name of its column, or its position; by default the last column.
    memory : str or int, optional
        How much memory all workers together may take, such as "2GB"; by default half of the machine's.
    scratch : path, optional
        A folder for intermediate files. They stay if the training does not come to its end, and the same call resumes
        it. By default they are beside the output, and are removed in any case. Workers of a cluster must see it.
    client : distributed.Client, optional
        A Dask cluster to work on; by default this process works alone.
    kinds : "auto" or dict, optional
        The kinds of the columns, as the classifiers take them: "auto" finds them, a dict gives some of them. The
        autopilot always finds them.
    id_column : str or int, optional
        The column with the ids of the cases.
    ids : path, optional
        A file with the ids of the cases, one per line; whole numbers, or texts, which must fit into memory.
    held_out : float, optional
        The share of the cases, such as 0.2, that is kept apart and not learned from: prediction sets then have their
        exact guarantee.
    ignore : str, int or list, optional
        Columns to leave out.
    keep : str, int or list, optional
        Columns of provenance: never compared, but stored with the cases.
    n_threads : int, optional
        Threads of this process; all cores by default.
    **options
        How to read the files: `format`, `header`, `separator`, `encoding`, `decimal`, as `read_cases` takes them.
    """
    from casebase.estimators._load import load  # scikit-learn takes long to load, and the command line does not need it

    if isinstance(learner, str):
        method = method_named(learner)
        settings = method.settings()
    else:
        if not hasattr(learner, "_settings"):
            raise CasebaseError(f"Expected the name of a method or a classifier of casebase, got {learner!r}.")
        method, settings = method_named(learner.learner), learner._settings()
    resources = Resources(
        memory_of(memory), None if scratch is None else Path(scratch), n_threads or n_cores(), client=client
    )
    own = {"kinds": kinds, "ignore": ignore, "keep": keep}
    given = kinds if isinstance(kinds, Mapping) else {}
    finds_kinds = method.finds_kinds or kinds == "auto"
    train(
        data,
        output,
        method,
        settings,
        resources,
        roles=Roles(given, finds_kinds, id_column, ignore, keep),
        ids=None if ids is None else str(ids),
        held_out=held_out,
        estimator={name: value for name, value in own.items() if value is not None},
        progress=progress,
        target=target,
        **options,
    )
    model = load(output)
    return model  # type: ignore[return-value]  # a classifier, since one was saved


def predict(
    model: str | os.PathLike[str],
    data: Any,
    *,
    output: str | os.PathLike[str],
    proba: bool = False,
    confidence: float | None = None,
    class_conditional: bool = False,
    abstain: bool = False,
    append: bool = False,
    as_json: bool = False,
    ranges: int | None = None,
    memory: str | int | None = None,
    scratch: str | os.PathLike[str] | None = None,
    client: "Client | None" = None,
    id_column: str | int | None = None,
    n_threads: int | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> int:
    """Write the predictions of a model file for a table of any size to a file, and return how many there are.

    The file has the bytes that `casebase predict` writes with the same options, whoever answers.

    Parameters
    ----------
    model : path
        A model file, which all workers must see.
    data : path, pattern, list of them, or batches
        The queries, as in `fit`; a class column is ignored.
    output : path
        The file of predictions, one per line; it appears when all of them are there.
    proba, confidence, class_conditional, abstain, append, as_json : optional
        What to write, as the options of `casebase predict`.
    ranges : int, optional
        Search the memory of IB1 in so many ranges, one after the other; by default in as many as the memory of a
        worker needs.
    memory, scratch, client, n_threads : optional
        Who works, in how much memory, as in `fit`.
    id_column : str or int, optional
        The column with the ids of the queries.
    **options
        How to read the files: `format`, `header`, `target`, `separator`, `encoding`, `decimal`, as `read_cases` takes
        them.
    """
    wanted = Wanted(
        proba,
        None if confidence is None else checked_confidence(confidence),
        class_conditional,
        abstain,
        append,
        as_json,
    )
    resources = Resources(
        memory_of(memory), None if scratch is None else Path(scratch), n_threads or n_cores(), client=client
    )
    name = str(data) if isinstance(data, str | os.PathLike) else "the given table"
    questions = Questions(name, id_column, options.get("target") is not None, options.get("header") is not None)
    answered = answer_file(
        model,
        data,
        output,
        resources,
        wanted=wanted,
        questions=questions,
        n_ranges=ranges,
        progress=progress,
        **options,
    )
    return answered.n_cases
