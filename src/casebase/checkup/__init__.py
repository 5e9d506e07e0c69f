"""The health of a table: which records are suspect, redundant or pivotal, and why.

`distinct` merges equal records, `held_out` finds the neighbours of each among the others, and `votes` counts their
votes. `influence`, `shapley`, `redundant` and `suspicion` measure records; `mislabelled`, `equal`, `outliers`,
`values`, `columns` and `importance` turn the measures into findings. `examination` is the procedure, `record` the
result, `page` shows it. The package is not called health, because `casebase.health` is the function.
"""

from casebase.checkup.examination import health
from casebase.checkup.findings import Commands, Finding
from casebase.checkup.record import Health, Scores

__all__ = ["Commands", "Finding", "Health", "Scores", "health"]
