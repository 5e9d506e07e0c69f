"""The interface of a reading: one way to answer from the stored cases, with held-out answers for them."""

from collections.abc import Mapping
from typing import Any, ClassVar, Protocol

import numpy as np

from casebase.autopilot.inputs import Inputs, Stored

Plan = dict[str, Any]  # what was chosen for a reading, as JSON has it: it is held when cases are inserted or removed


class Reading(Protocol):
    """A reading that has learned from stored cases."""

    kind: ClassVar[str]

    @property
    def plan(self) -> Plan: ...

    def shares(self, asked: Inputs, n_jobs: int = 1) -> np.ndarray:
        """Return the share of each class for new cases, one row per case."""
        ...

    def held_out(self, stored: Stored, rows: np.ndarray, n_jobs: int = 1) -> np.ndarray:
        """Return the shares for some stored cases as if each had not been stored, with the plan held."""
        ...

    def support(self, asked: Inputs, stored: Stored) -> np.ndarray:
        """Return what each stored case adds to the shares of one new case: those of a class sum to its share."""
        ...

    def arrays(self) -> Mapping[str, np.ndarray]:
        """Return what was learned, for a model file."""
        ...
