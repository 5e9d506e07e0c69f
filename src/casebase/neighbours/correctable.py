"""The interface of models whose cases can be inserted and removed; `correction` changes such models."""

from typing import Any, Protocol, Self, TypeVar, runtime_checkable

from casebase.base.answers import Preference
from casebase.base.model import Model
from casebase.data import Cases
from casebase.errors import CasebaseError
from casebase.measures.quirks import Quirks
from casebase.memory.segments import Memory
from casebase.memory.store import Change, Store
from casebase.neighbours.settings import RelevanceSettings

C = TypeVar("C", bound="Correctable")


@runtime_checkable
class Correctable(Model, Protocol):
    """A model that keeps its cases and can be updated when some are inserted or removed."""

    def stored_memory(self) -> Memory | None:
        """Return the stored cases, if any are kept."""
        ...

    def store(self) -> Store:
        """Return the cases with their counts; an error if the model has not kept all of them."""
        ...

    def corrected(self, store: Store, change: Change, preference: Preference) -> Self | None:
        """Return the model of a changed store; None if it must be fitted again."""
        ...

    def refit(self, cases: Cases) -> Self:
        """Return a model of other cases with the same settings."""
        ...


class KeepsCases:
    """A mixin for models that keep their cases: a corrected model can be put in order."""

    def in_order(self: C) -> C:
        """Return the model that a new fit would give, with the same codes; itself if nothing was corrected."""
        memory = self.stored_memory()
        if memory is None or not memory.is_corrected:
            return self
        return self.refit(self.store().cases())


def refuse_limit(settings: RelevanceSettings) -> None:
    """Refuse to correct a model that uses only some of its features."""
    if settings.feature_limit is not None:
        raise CasebaseError(
            "A model with a feature_limit cannot be corrected: which features it keeps depends on all cases. Fit it "
            "again, or name the features to leave out as 'ignored' in metric."
        )


def refuse_shared_exemplars(memory: Memory, quirks: Quirks) -> None:
    if quirks.shared_exemplars and any(segment.exemplars is not None for segment in memory.segments):
        raise CasebaseError(
            "With compat='timbl' equal cases share the exemplar weight of the first, and their own weights are lost: "
            "such a model cannot be corrected. Fit it again."
        )


def relevance_keys(settings: RelevanceSettings) -> dict[str, Any]:
    """Return the arguments for `Store.relevance` to weigh the features again."""
    return {"weighting": settings.weighting, "diversify": settings.diversify, "order_by": settings.order_by}
