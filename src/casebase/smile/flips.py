"""Flips of SMILE: all stored values, numbers by the intervals that contain them."""

from casebase.base.flips import Domain, Structure, domains_of
from casebase.memory.segments import Memory
from casebase.smile.smile import SMILE


def domains(model: SMILE) -> tuple[Domain | None, ...]:
    return domains_of(model.schema, model.memory, cuts=model.discretisation.cuts)


def memory_of(model: SMILE) -> Memory:
    return model.memory


STRUCTURE = Structure(domains, memory=memory_of)
