"""The table of stored cases: pages, filters, sorting, search, value counts and type-ahead, at any size.

A page is asked for by what precedes or follows it, not by its number, so it costs the same at the end as at the
beginning, and insertions and removals by others neither repeat nor skip a case. All is computed on codes, a mask per
segment of the memory; what has to be sorted is sorted once, in the background, and serves corrected models too.
"""

import base64
import json
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from casebase.base.leave_out import memory_of
from casebase.base.log import Id
from casebase.base.model import Model
from casebase.base.ordering import Key
from casebase.base.records import Records, records_of
from casebase.errors import CasebaseError, NotFoundError, unknown_name
from casebase.measures.weights import MEASURES
from casebase.memory.lookup import are_numbers, rows_or_none
from casebase.memory.store import Store
from casebase.methods import Saved
from casebase.serve.desks.desk import Desk
from casebase.serve.records.columns import Column, column_named, columns_of
from casebase.serve.records.filters import condition
from casebase.serve.records.parts import Order, Part
from casebase.serve.records.value_counts import Count, ValueCounts, counts_of, values_like

MOST_ROWS = 1000  # of a page
MOST_KEPT = 8  # filters whose cases are remembered
ANCHORS = 3  # cases that a cursor names: it holds even if some of them are removed meanwhile
LONGEST = 200  # characters of a value in a cursor
SMALL = 50_000  # cases whose indexes are made when they are needed, not in the background
STEP = 1 << 15  # rows that are looked through at once
RELEVANCE = ("model", *(name for name in MEASURES if name != "none"))


@dataclass(frozen=True)
class Query:
    """Which cases, in which order: conditions that all hold, a text that is somewhere, and a column to sort by.

    Without `sort` cases come in the order of insertion; a '-' before the column reverses the order.
    """

    where: tuple[str, ...] = ()
    search: str = ""
    sort: str = ""


ALL = Query()


@dataclass(frozen=True)
class Cursor:
    """A place between two cases: the value that the table is sorted by, and the last cases before it (or after it)."""

    value: Any
    has_value: bool
    anchors: tuple[tuple[Id, int], ...]

    def __str__(self) -> str:
        text = json.dumps([self.has_value, self.value, self.anchors], ensure_ascii=False, separators=(",", ":"))
        return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")

    @classmethod
    def of(cls, text: str) -> "Cursor":
        """Return the cursor that a text is."""
        try:
            has_value, value, anchors = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
            places = tuple((case, position) for case, position in anchors)
            is_whole = all(type(case) in (int, str) and type(position) is int for case, position in places)
            if type(has_value) is not bool or not places or not is_whole or isinstance(value, list | dict | bool):
                raise ValueError
        except (ValueError, TypeError, RecursionError) as error:
            raise CasebaseError(f"This is no place in the table: {text[:100]!r}. Begin at the first page.") from error
        return cls(value, has_value, places[:ANCHORS])


@dataclass(frozen=True, eq=False)
class Listing:
    """A page: `rows` of the memory, and their records. `first` is the number of matching cases before it.

    `next` and `previous` are cursors; None where there are no more cases.
    """

    rows: np.ndarray
    records: Records
    n_cases: int
    n_matching: int
    first: int
    next: str | None
    previous: str | None


@dataclass(frozen=True, eq=False)
class Selection:
    """The cases that match: a mask for each part, None if it has all of its rows."""

    masks: tuple[np.ndarray | None, ...]
    n_rows: int


class Browser:
    """The stored cases of one model, which never changes; `before` is the browser of the model before a correction."""

    def __init__(self, model: Model, before: "Browser | None" = None) -> None:
        self.model, self.memory = model, memory_of(model)
        known = {} if before is None else {part.segment.arrival: part for part in before.parts}
        self.parts: list[Part] = [known.get(segment.arrival) or Part(segment) for segment in self.memory.segments]
        self.columns: list[Column] = columns_of(
            model.schema, self.memory, self.parts, () if before is None else before.columns
        )
        self.n_cases = self.memory.n_cases
        self._kept = Selection(
            tuple(None if s.removed is None else s.removed == 0 for s in self.memory.segments), self.n_cases
        )
        self._selections: OrderedDict[tuple[tuple[str, ...], str], Selection] = OrderedDict()
        self._lock = threading.Lock()
        self._relevance: dict[str, Future[dict[str, float]]] = {}
        is_large = any(part.n_rows > SMALL for part in self.parts if part not in known.values())
        self.warming: Future[None] | None = _BACKGROUND.submit(self.prepare) if is_large else None

    def prepare(self) -> None:
        """Compute what sorting and searching any column needs; a request does it too, for the one that it is about."""
        for part in self.parts:
            part.by_insertion()
        for column in self.columns:
            for part in self.parts:
                column.prepare(part)

    def column(self, name: str) -> Column:
        return column_named(self.columns, name)

    def page(
        self, query: Query = ALL, *, after: str | None = None, before: str | None = None, limit: int = 100
    ) -> Listing:
        """Return the cases after a cursor, or before one; by default the first. An empty `before` is the end."""
        if not 1 <= limit <= MOST_ROWS:
            raise CasebaseError(f"A page has 1 to {MOST_ROWS} cases; got {limit}.")
        if after and before:
            raise CasebaseError("A page is after a case or before one: give `after` or `before`.")
        chosen, (column, is_reversed) = self.select(query), self._sort(query.sort)
        is_backward = before is not None
        cursor = Cursor.of(after or before or "") if after or before else None
        orders = [self._order(column, part) for part in self.parts]
        # Places are counted from the smallest value; a reversed table is walked from its end.
        is_up = is_backward == is_reversed
        if cursor is None:
            places = [0 if is_up else len(order.rows) for order in orders]
        else:
            places = self._places(orders, column, cursor, is_up)
        found = self._next(orders, column, chosen, places, limit + 1, is_up)
        has_more, rows = len(found) > limit, found[:limit]
        if is_backward:
            rows = rows[::-1]
        n_before = self._n_below(orders, chosen, places)
        n_before = chosen.n_rows - n_before if is_reversed else n_before
        first = n_before - len(rows) if is_backward else n_before
        has_before, has_after = (has_more, first + len(rows) < chosen.n_rows) if is_backward else (first > 0, has_more)
        at = np.array(rows, dtype=np.int64)
        return Listing(
            at,
            records_of(self.model, at),
            self.n_cases,
            chosen.n_rows,
            first,
            self._cursor(column, rows[::-1]) if has_after and rows else None,
            self._cursor(column, rows) if has_before and rows else None,
        )

    def rows(self, query: Query = ALL, step: int = 5_000) -> Iterator[np.ndarray]:
        """Yield all rows that match, in their order, some at a time."""
        after: str | None = None
        while True:
            for _ in range(max(1, step // MOST_ROWS)):
                listing = self.page(query, after=after, limit=MOST_ROWS)
                if len(listing.rows):
                    yield listing.rows
                after = listing.next
                if after is None:
                    return

    def select(self, query: Query = ALL) -> Selection:
        """Return the cases that match, in any order; those of the last queries are remembered."""
        key = (query.where, query.search)
        if not query.where and not query.search:
            return self._kept
        with self._lock:
            if key in self._selections:
                self._selections.move_to_end(key)
                return self._selections[key]
        for text in (*query.where, query.search):
            _check(text)
        conditions = [condition(text, self.columns) for text in query.where]
        masks: list[np.ndarray | None] = []
        for part, kept in zip(self.parts, self._kept.masks):
            mask = None if kept is None else kept.copy()
            for one in conditions:
                holds = one.holds(part)
                mask = holds if mask is None else mask & holds
            if query.search:
                found = self._search(part, query.search)
                mask = found if mask is None else mask & found
            masks.append(mask)
        n_rows = sum(
            part.n_rows if mask is None else int(np.count_nonzero(mask)) for part, mask in zip(self.parts, masks)
        )
        chosen = Selection(tuple(masks), n_rows)
        with self._lock:
            self._selections[key] = chosen
            while len(self._selections) > MOST_KEPT:
                self._selections.popitem(last=False)
        return chosen

    def forget(self) -> None:
        """Forget the cases of earlier queries."""
        with self._lock:
            self._selections.clear()

    def has(self, case: Id | str) -> bool:
        """Return whether a case with this id is stored."""
        return self._row(case) is not None

    def record(self, case: Id | str) -> tuple[int, dict[str, Any]]:
        """Return the row and the record of a case by its id, which an address has as text."""
        row = self._row(case)
        if row is None:
            raise NotFoundError(f"No stored case has the id {str(case)[:100]!r}.")
        return row, records_of(self.model, np.array([row])).to_dicts()[0]

    def counts(self, name: str, query: Query = ALL, limit: int = 20) -> ValueCounts:
        """Return how often each value of a column occurs among the cases that match, the most frequent first."""
        return counts_of(self.column(name), self.parts, self.select(query).masks, limit)

    def values(self, name: str, text: str = "", limit: int = 20) -> list[Count]:
        """Return the values of a column that begin with a text, then those that contain it, by frequency."""
        _check(text)
        return values_like(self.column(name), self.parts, self._kept.masks, text, limit)

    def relevance(self, measure: str = "model", seconds: float = 0.02) -> dict[str, float] | None:
        """Return the relevance of each feature; None if it is still being computed after some seconds.

        `model` are the weights that the model uses; other measures are computed from all stored cases.
        """
        if measure not in RELEVANCE:
            raise CasebaseError(unknown_name("measure", measure, RELEVANCE))
        if measure == "model":
            weights = {feature["name"]: feature["weight"] for feature in self.model.summary().features}
            return {name: weight for name, weight in weights.items() if weight is not None}
        with self._lock:
            if measure not in self._relevance:
                self._relevance[measure] = _BACKGROUND.submit(self._measured, measure)
            future = self._relevance[measure]
        try:
            return future.result(seconds if self.n_cases > SMALL else None)
        except TimeoutError:
            return None

    def _measured(self, measure: str) -> dict[str, float]:
        tables = getattr(self.model, "tables", None)
        store = Store(self.model.schema, self.memory, tables if isinstance(tables, dict) else None).with_counts()
        assert store.tables is not None
        names = self.model.schema.names
        return {names[i]: float(MEASURES[measure](table)) for i, table in store.tables.items()}

    def _search(self, part: Part, text: str) -> np.ndarray:
        """Return the rows with a text in a value, the provenance, the class or the id, in upper or lower case."""
        found = np.zeros(part.n_rows, dtype=bool)
        for column in self.columns:
            here = column.contains(part, text)
            if here is not None:
                found |= here
        return found

    def _sort(self, sort: str) -> tuple[Column | None, bool]:
        """Return the column to sort by, None for the order of insertion, and whether the order is reversed."""
        if sort in ("", "-"):
            return None, sort == "-"
        if sort.startswith("-") and sort not in [column.name for column in self.columns]:
            return self.column(sort[1:]), True
        return self.column(sort), False

    @staticmethod
    def _order(column: Column | None, part: Part) -> Order:
        return part.by_insertion() if column is None else column.order(part)

    def _cursor(self, column: Column | None, rows: Sequence[int]) -> str:
        """Return a cursor at the first of some rows."""
        at = np.array(rows[:ANCHORS], dtype=np.int64)
        anchors = tuple(zip(self.memory.ids(at).tolist(), self.memory.given(at).tolist()))
        if column is None:
            return str(Cursor(None, False, anchors))
        value = self._value(column, rows[0])
        is_short = not isinstance(value, str) or len(value) <= LONGEST
        return str(Cursor(value if is_short else None, is_short, anchors))

    def _value(self, column: Column, row: int) -> Any:
        i = int(np.searchsorted(self.memory.first_rows, row, side="right")) - 1
        return column.value(self.parts[i], row - int(self.memory.first_rows[i]))

    def _places(self, orders: Sequence[Order], column: Column | None, cursor: Cursor, is_up: bool) -> list[int]:
        """Return the place of a cursor in each part: what was before it is before it, even if cases were removed."""
        # Positions are counted anew when a memory is sorted again: that of a case which is still stored is right.
        rows = [row for case, _ in cursor.anchors if (row := self._row(case)) is not None]
        row = rows[0] if rows else None
        position = cursor.anchors[0][1] if row is None else int(self.memory.given(np.array([row]))[0])
        key: Key = ()
        if column is not None:
            if not cursor.has_value and row is None:
                raise CasebaseError("The cases at this place were removed. Begin at the first page.")
            key = column.key(cursor.value if cursor.has_value or row is None else self._value(column, row))
        return [order.place(key, position, is_after=is_up) for order in orders]

    def _next(
        self, orders: Sequence[Order], column: Column | None, chosen: Selection, places: list[int], n: int, is_up: bool
    ) -> list[int]:
        """Return the next rows of all parts that match, upwards or downwards."""
        found: list[tuple[Key, int, int]] = []
        for part, order, mask, place, first in zip(
            self.parts, orders, chosen.masks, places, self.memory.first_rows.tolist()
        ):
            rows = _matching(order.rows, mask, place, n, is_up)
            if len(self.parts) == 1:
                only: list[int] = rows.tolist()
                return only
            keys = [() if column is None else column.key(column.value(part, row)) for row in rows.tolist()]
            found += zip(keys, part.given[rows].tolist(), (rows + first).tolist())
        found.sort(reverse=not is_up)
        return [row for _, _, row in found[:n]]

    @staticmethod
    def _n_below(orders: Sequence[Order], chosen: Selection, places: Sequence[int]) -> int:
        """Return how many cases that match are below a place."""
        return sum(
            place if mask is None else int(np.count_nonzero(mask.take(order.rows[:place])))
            for order, mask, place in zip(orders, chosen.masks, places)
        )

    def _row(self, case: Id | str) -> int | None:
        if are_numbers(self.memory):
            try:
                wanted = np.array([int(case)], dtype=np.int64)
            except (ValueError, OverflowError):
                return None
        else:
            wanted = np.array([str(case)], dtype=object)
        row = int(rows_or_none(self.memory, wanted)[0])
        return None if row < 0 else row


def _matching(rows: np.ndarray, mask: np.ndarray | None, place: int, n: int, is_up: bool) -> np.ndarray:
    """Return the next n rows that match, from a place upwards or downwards."""
    if mask is None:
        return rows[place : place + n] if is_up else rows[max(0, place - n) : place][::-1]
    found: list[np.ndarray] = []
    n_found, step = 0, STEP
    while n_found < n and (place < len(rows) if is_up else place > 0):
        block = rows[place : place + step] if is_up else rows[max(0, place - step) : place][::-1]
        here = block[mask.take(block)]
        found.append(here)
        n_found += len(here)
        place += step if is_up else -step
        step *= 4
    return np.concatenate(found)[:n] if found else rows[:0]


def _check(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise CasebaseError("The text contains a lone surrogate: half a character.") from error


_BACKGROUND = ThreadPoolExecutor(1, "casebase-browse")
_LAST: WeakKeyDictionary[Desk, tuple[object, Browser]] = WeakKeyDictionary()
_LAST_LOCK = threading.Lock()


def browser_of(desk: Desk) -> Browser:
    """Return the browser of the present state of a desk; after a correction, it continues the one before."""
    saved = desk.snapshot.saved
    if not isinstance(saved, Saved):
        raise NotFoundError(f"{desk.name} is a {desk.kind}: it has no table of cases.")
    with _LAST_LOCK:
        known = _LAST.get(desk)
        if known is not None and known[1].model is saved.model:
            return known[1]
        browser = Browser(saved.model, None if known is None else known[1])
        if known is not None and browser.warming is not None and known[1].warming is not None:
            known[1].warming.cancel()  # what was sorted anew needs other indexes
        _LAST[desk] = (saved, browser)
        return browser
