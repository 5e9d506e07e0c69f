"""Flips of the autopilot and its readings: all stored values; a kernel vote rules out most of them."""

from casebase.autopilot.committee import Committee
from casebase.autopilot.screen import screen_of
from casebase.base.flips import Domain, Structure, domains_of
from casebase.memory.segments import Memory


def domains(model: Committee) -> tuple[Domain | None, ...]:
    return domains_of(model.schema, model.memory)


def memory_of(model: Committee) -> Memory:
    return model.memory


STRUCTURE = Structure(domains, memory=memory_of, screen=screen_of)
