"""One pass over a table in parts, or a second one if a late part shows that the first ones were to be read otherwise.

The first parts nearly always decide how all of them are read: which columns are numbers, the encoding, the decimal
mark. So they are read and used at once; nothing is read twice unless a late part decides otherwise.
"""

from collections.abc import Callable, Iterator

from casebase.data.table import Table
from casebase.errors import EncodingError
from casebase.formats.columnar_parts import Part
from casebase.formats.facts import Facts
from casebase.formats.parts import Parts
from casebase.formats.plan import Decision
from casebase.progress import Progress


class StartAgain(Exception):
    """What was done with the first parts is to be done otherwise."""


Begin = Callable[[], object]
Use = Callable[[Table, Part, Progress | None], object]


def each_table(parts: Parts, begin: Begin, use: Use, *, n_threads: int = 1, progress: Progress | None = None) -> None:
    """Call `begin`, then `use` with the table of each part that has rows, the part, and a function for its progress.

    If a late part shows that the first ones were to be read otherwise, or `use` raises `StartAgain`, then all of it
    happens again: `begin` forgets what was done so far.
    """
    decision: Decision | None = None
    while True:
        begin()
        try:
            _one_pass(parts, decision, use, n_threads, progress)
            return
        except _Changed:
            decision = parts.decide(parts.facts(n_threads))
        except StartAgain:
            pass
        except EncodingError:
            other = in_another_encoding(parts)
            if other is None:
                raise
            parts, decision = other, None


def decided_tables(parts: Parts, n_threads: int = 1) -> Iterator[Table]:
    """Yield the tables of the parts that have rows; several parts are read twice, because all of them decide first."""
    try:
        raw = [part.read(n_threads) for part in parts.parts[:1]]
        facts = raw[0].facts if len(parts.parts) == 1 else parts.facts(n_threads)
    except EncodingError:
        other = in_another_encoding(parts)
        if other is None:
            raise
        yield from decided_tables(other, n_threads)
        return
    decision = parts.decide(facts)
    for one in raw if len(parts.parts) == 1 else parts.raw_tables(n_threads):
        if one.n_rows:
            yield parts.typed(one, decision)


def in_another_encoding(parts: Parts) -> Parts | None:
    """Return the parts in the encoding that all of their bytes show, if it is another than that of their beginning."""
    if parts.plan.given.encoding is not None or not parts.files:
        return None
    other = parts.by_all_bytes()
    return None if other.encodings == parts.encodings else other


class _Changed(Exception):
    """The facts of a late part change the decision."""


def _one_pass(parts: Parts, decision: Decision | None, use: Use, n_threads: int, progress: Progress | None) -> None:
    """Use all parts; by a decision that is not given, the one of the parts so far, which must not change."""
    facts: Facts | None = None
    taken = decision
    n_done = 0
    for part in parts.parts:
        raw = part.read(n_threads)
        facts = raw.facts if facts is None else facts + raw.facts
        if raw.n_rows:
            if decision is None:
                found = parts.decide(facts)
                if taken is not None and taken != found:
                    raise _Changed
                taken = found
            assert taken is not None
            table = parts.typed(raw, taken)
            del raw
            use(table, part, _Share(progress, n_done, part.n_bytes, parts.n_bytes) if progress else None)
            del table
        n_done += part.n_bytes
    if taken is None:
        assert facts is not None
        parts.decide(facts)  # an error: there are no rows


class _Share:
    """The progress of one part, by cases, as that of the whole, by bytes."""

    def __init__(self, whole: Progress, n_before: int, n_bytes: int, total: int) -> None:
        self.whole, self.n_before, self.n_bytes, self.total = whole, n_before, n_bytes, total

    def __call__(self, done: int, total: int) -> None:
        self.whole(self.n_before + self.n_bytes * done // max(total, 1), self.total)
