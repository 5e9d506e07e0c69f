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
from casebase.progress import note
from casebase.scale import arranging, tasks
from casebase.scale.cases import CountedCases, given_cases
from casebase.scale.scratch import check_space

if TYPE_CHECKING:
    from casebase.scale.fitting import Work


def learn_committee(work: "Work", method: Method, settings: Settings, counted: CountedCases) -> Committee:
    """Return the committee of all cases; the arrays are files."""
    n_jobs = work.engine.n_workers
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


def arrange(work: "Work", model: Committee) -> tuple[Stored, np.ndarray]:
    """Return the stored cases of a committee as its readings take them, and the row of the memory of each, as files."""
    memory = arranging.Remembered.of(model.schema, model.memory)
    out = arranging.Arranged.new(work.folder, memory.inputs(0, 1), work.n_cases)
    # The cases are divided, arranged, and once more with bins of numbers.
    check_space(work.folder, 3 * sum(array.n * array.itemsize for array in out.arrays))
    for array in out.arrays:
        array.create()
    sampled = work.run("sampling again", arranging.sample_arrangement, (memory,), work.filled_spans())
    bounds = tasks.bounds_of(np.concatenate(sampled), -(-work.n_cases // work.range_rows))
    runs = work.run("dividing again", arranging.divide_memory, (memory, bounds), work.run_files("arranged"))
    starts = tasks.starts_of(runs)
    work.run("arranging", arranging.arrange_range, (runs, out), list(enumerate(starts)))
    for run in runs:
        run.remove()
    return out.stored(model.schema, work.folder)
