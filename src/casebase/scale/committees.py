"""The autopilot and its readings on more cases than memory holds: chosen on a sample, learned from everything.

In memory, too, readings of many cases are chosen on a sample, which depends on the content of the cases alone; so the
sample is the same here, and so is the choice. What was chosen then learns from all cases, block by block.
"""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from casebase.autopilot import committee
from casebase.autopilot.committee import Committee, without_readings
from casebase.autopilot.inputs import Stored
from casebase.base.method import Method
from casebase.base.settings import Settings
from casebase.errors import CasebaseError
from casebase.progress import note
from casebase.scale import arranging
from casebase.scale.cases import CountedCases, given_cases
from casebase.scale.resources import PROGRAM
from casebase.scale.scratch import check_space, size_of
from casebase.scale.sorting import bounds_of
from casebase.scale.stored import starts_of

if TYPE_CHECKING:
    from casebase.scale.fitting import Work


# Bytes for each case of the sample while readings are chosen and learned, as measured with twelve features and twenty
# classes. A tree of a forest draws as many cases at the most, so that all cases take no more than the sample.
BYTES_PER_CASE, OF_A_FOREST = 18_000, 2_000


def learn_committee(work: "Work", method: Method, settings: Settings, counted: CountedCases) -> Committee:
    """Return the committee of all cases; the arrays are files."""
    n_jobs = work.engine.n_workers
    check_memory(method, work.n_cases, work.memory)
    if work.n_cases <= committee.CHOSEN_FROM:
        given = work.code(counted.schema)
        cases = given_cases(given, work.schema, work.per_class, work.ids(given), work.provenance(given))
        model: Committee = method.fit(
            cases.take(np.arange(work.n_cases)), settings, n_jobs=n_jobs, progress=work.progress
        )
        return model
    empty: Committee = without_readings(method.model, counted, settings)
    assert work.given is not None
    sample = given_cases(work.given, work.schema, work.per_class).take(np.sort(work.draw()[: committee.CHOSEN_FROM]))
    note(work.progress, "choosing")
    chosen: Committee = method.fit(sample, settings, n_jobs=n_jobs, progress=work.progress)
    known = arrange(work, empty)
    note(work.progress, "learning")
    return chosen.over_all(replace(empty, known_stored=known), n_jobs)


def check_memory(method: Method, n_cases: int, memory: int | None) -> None:
    """Raise an error if the choice and the forests do not fit into the memory."""
    per_case = OF_A_FOREST if method.name == "forest" else BYTES_PER_CASE
    needed = PROGRAM + per_case * min(n_cases, committee.CHOSEN_FROM)
    if memory is not None and needed > memory:
        raise CasebaseError(
            f"{method.name} chooses its readings on a sample of {min(n_cases, committee.CHOSEN_FROM):,} cases, which "
            f"takes some {size_of(needed)} of memory, and {size_of(memory)} are given: pass more --memory, or choose "
            "another learner, such as --learner ib1."
        )


def arrange(work: "Work", model: Committee) -> tuple[Stored, np.ndarray]:
    """Return the stored cases of a committee as its readings take them, and the row of the memory of each, as files."""
    memory = arranging.Remembered.of(model.schema, model.memory)
    out = arranging.Arranged.new(work.folder, memory.inputs(0, 1), work.n_cases)
    # The cases are divided, arranged, and once more with bins of numbers.
    check_space(work.folder, 3 * sum(array.n * array.itemsize for array in out.arrays))
    for array in out.arrays:
        array.create()
    sampled = work.run("sampling again", arranging.sample_arrangement, (memory,), work.filled_spans())
    bounds = bounds_of(np.concatenate(sampled), -(-work.n_cases // work.range_rows))
    runs = work.run("dividing again", arranging.divide_memory, (memory, bounds), work.run_files("arranged"))
    starts = starts_of(runs)
    work.run("arranging", arranging.arrange_range, (runs, out), list(enumerate(starts)))
    for run in runs:
        run.remove()
    return out.stored(model.schema, work.folder)
