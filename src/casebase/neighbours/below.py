"""What TRIBL and TRIBL2 share: they walk features first, and compare the cases below the walk as IB1 does."""

from casebase.base.answers import Preference
from casebase.data import Schema
from casebase.measures.votes import Normalisation
from casebase.memory.segments import Memory
from casebase.memory.store import Store
from casebase.neighbours.correctable import KeepsCases
from casebase.neighbours.ib1 import IB1
from casebase.neighbours.search import Voting


class CasesBelow(KeepsCases):
    """A model whose cases are those of `below`."""

    below: IB1

    @property
    def schema(self) -> Schema:
        return self.below.schema

    @property
    def voting(self) -> Voting:
        return self.below.voting

    @property
    def preference(self) -> Preference:
        return self.below.preference

    @property
    def normalisation(self) -> Normalisation:
        return self.below.normalisation

    def stored_memory(self) -> Memory:
        return self.below.memory

    def store(self) -> Store:
        """Return the cases with their counts."""
        return self.below.store()
