"""Single questions that wait at the same time: the model answers them together, in one search.

Most of the time of a single answer goes into calls, not into the search. Requests of several connections are read in
the same turn of the event loop; in the next turn the model answers all of them, for little more than the price of one.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import overload

import numpy as np

from casebase.base.model import Model
from casebase.data import Cases
from casebase.data.arrays import as_floats, as_strings
from casebase.data.arrow import pa

MOST = 32  # questions that are answered together

Answer = Callable[[Cases], list[bytes]]
Waiting = tuple[Cases, "asyncio.Future[bytes]"]


class Batches:
    """Questions that wait for the next turn of the event loop, by the model and version that they are put to."""

    def __init__(self) -> None:
        self.waiting: defaultdict[tuple[str, str], list[Waiting]] = defaultdict(list)

    async def answer(self, version: tuple[str, str], cases: Cases, answer: Answer) -> bytes:
        """Return the answer to one case; `answer` gives those to several cases of the same version."""
        loop = asyncio.get_running_loop()
        batch = self.waiting[version]
        if not batch:
            loop.call_soon(self._answer_all, version, answer)
        future: asyncio.Future[bytes] = loop.create_future()
        batch.append((cases, future))
        return await future

    def _answer_all(self, version: tuple[str, str], answer: Answer) -> None:
        # A question whose sender has left, or has waited for too long, is done.
        waiting = [one for one in self.waiting.pop(version) if not one[1].done()]
        for start in range(0, len(waiting), MOST):
            batch = waiting[start : start + MOST]
            try:
                found = answer(joined([cases for cases, _ in batch]))
            except Exception:  # each gets its own error
                for cases, future in batch:
                    _answer_alone(cases, future, answer)
            else:
                for (_, future), one in zip(batch, found, strict=True):
                    future.set_result(one)


def _answer_alone(cases: Cases, future: asyncio.Future[bytes], answer: Answer) -> None:
    try:
        future.set_result(answer(cases)[0])
    except Exception as error:
        future.set_exception(error)


def joined(parts: list[Cases]) -> Cases:
    """Return cases that can be joined as one table of cases."""
    if len(parts) == 1:
        return parts[0]
    columns = tuple(np.concatenate(columns) for columns in zip(*(part.columns for part in parts)))
    return Cases(parts[0].schema, columns, None, n_cases=len(parts), source=JoinedSource(parts))


class JoinedSource(Sequence["pa.Array"]):
    """The columns of several cases as they were given, each made when a model asks for it: few compare by letters."""

    def __init__(self, parts: list[Cases]) -> None:
        self.parts = parts

    def __len__(self) -> int:
        return len(self.parts[0].columns)

    @overload
    def __getitem__(self, position: int) -> pa.Array: ...
    @overload
    def __getitem__(self, position: slice) -> Sequence[pa.Array]: ...
    def __getitem__(self, position: int | slice) -> pa.Array | Sequence[pa.Array]:
        if isinstance(position, slice):
            return [self[i] for i in range(len(self))[position]]
        values = [value for part in self.parts if part.source for value in part.source[position].to_pylist()]
        if all(value is None or isinstance(value, str) for value in values):
            return as_strings(values).dictionary_encode()
        if all(value is None or isinstance(value, float) for value in values):
            return as_floats(np.array(values, dtype=float))
        raise TypeError("texts and numbers of several questions have no common column")


def can_be_joined(cases: Cases) -> bool:
    """Return whether a case has nothing that belongs to it alone."""
    return cases.ids is None and cases.provenance is None


def answers_each_alone(model: Model) -> bool:
    """Return whether an answer depends on the case alone; as a quirk, a tie may change the later votes of a run."""
    settings = model.settings
    return getattr(settings, "vote", None) != "inverse_linear" or not settings.quirks.flat_after_tie
