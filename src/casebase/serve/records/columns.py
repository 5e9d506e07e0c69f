"""The columns of the table of stored cases: ids, values, provenance and the class, as records have them.

Most columns are coded: a vocabulary, and a code per row. Numbers and dates are numbers per row. Ids that are texts and
provenance are stored as texts; they are coded when they are first needed.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from casebase.base.ordering import Key, number_of, text_key
from casebase.base.records import date_of_days, free_name
from casebase.data import Schema
from casebase.data.arrays import as_booleans, as_integers, as_strings
from casebase.data.arrow import pa, pc
from casebase.data.columns import spelling
from casebase.data.dates import dates_in
from casebase.data.notation import Notation
from casebase.data.sources import DATE_PARTS
from casebase.data.vocabulary import Vocabulary, vocabulary_of
from casebase.errors import CasebaseError, SchemaError, unknown_name
from casebase.memory.lookup import are_numbers
from casebase.memory.segments import Memory
from casebase.serve.records import digits
from casebase.serve.records.parts import Order, Part

Kind = Literal["id", "symbol", "number", "ordinal", "date", "provenance", "class"]
DIGITS = {"id": set("0123456789-"), "date": set("0123456789-:t."), "number": set("0123456789-+.e")}
LARGE = 4  # a new part that is larger than this share of a vocabulary is coded anew


@dataclass(frozen=True, eq=False)
class CodedColumn:
    """A column of texts: `codes` returns the codes of a part. Those of a ranked one, an ordinal, are in order.

    `of_numbers` says that records have numbers in place of the texts.
    """

    name: str
    kind: Kind
    known: Known
    codes: Callable[[Part], np.ndarray]
    is_ranked: bool = False
    of_numbers: bool = False

    @property
    def vocabulary(self) -> Vocabulary:
        return self.known.vocabulary

    def order(self, part: Part) -> Order:
        return part.by_code(self.name, self.codes(part), self.vocabulary, is_ranked=self.is_ranked)

    def key(self, value: Any) -> Key:
        """Return what a value is sorted by; an error if it cannot be a value of this column."""
        if not self.is_ranked:
            return text_key(spelling(value))
        if value is None:
            return (1,)
        code = self.vocabulary.code(spelling(value))
        if code is None:
            raise CasebaseError(f"{self.name} has no value {value!r}.")
        return (0, code)

    def value(self, part: Part, row: int) -> str | None:
        return self.vocabulary.value(int(self.codes(part)[row]))

    def is_equal(self, part: Part, text: str) -> np.ndarray:
        """Return whether each row has a value; no text is a missing value."""
        codes = self.codes(part)
        wanted = {self._code(text)} if not self.of_numbers else set(self._same_numbers(text))
        is_here = np.zeros(len(codes), dtype=bool)
        for code in wanted - {None}:
            is_here |= codes == code
        return is_here

    def _code(self, text: str) -> int | None:
        return self.vocabulary.code(text or None)

    def _same_numbers(self, text: str) -> list[int | None]:
        """Return the codes of a number, however it is spelled."""
        number = number_of(text)
        return [self._code("" if not text else text if number is None else str(spelling(number)))]

    def compares(self, part: Part, compare: Callable[[np.ndarray, float], np.ndarray], text: str) -> np.ndarray:
        """Return whether the number that each row has, or the rank of its text, compares with a bound."""
        codes = self.codes(part)
        if self.is_ranked:
            code = self._code(text)
            if not text or code is None:
                levels = [value for value in self.vocabulary.texts if value is not None]
                raise CasebaseError(f"{self.name} is one of {' < '.join(levels)}; got {text!r}.")
            numbers, bound = np.arange(len(self.vocabulary), dtype=float), float(code)
            numbers[self.vocabulary.code(None)] = np.nan
        else:
            numbers, bound = self.known.numbers(), _bound(self.name, text)
        with np.errstate(invalid="ignore"):
            found: np.ndarray = compare(numbers, bound).take(codes)
        return found

    def contains(self, part: Part, text: str) -> np.ndarray | None:
        """Return whether each row has a text in its value, in upper or lower case; None if no row can."""
        codes = self.codes(part)  # before its vocabulary, which may get the texts of this part only now
        is_hit = self.known.containing(text)
        return is_hit.take(codes) if is_hit.any() else None

    def prepare(self, part: Part) -> None:
        """Compute what sorting and searching need."""
        self.order(part)
        self.known.containing("")


class Known:
    """A vocabulary with what is computed of it: its texts in lower case, and their numbers."""

    def __init__(self, vocabulary: Vocabulary | None) -> None:
        self._vocabulary = vocabulary
        self._lower: tuple[pa.Array, pa.Array] | None = None
        self._numbers: tuple[Vocabulary, np.ndarray] | None = None

    @property
    def vocabulary(self) -> Vocabulary:
        assert self._vocabulary is not None
        return self._vocabulary

    def take_over(self, before: Known) -> None:
        """Keep what an earlier vocabulary with the same ordered values has computed."""
        self._lower = before._lower

    def lower(self) -> pa.Array:
        """Return all texts by code, in lower case."""
        vocabulary, known = self.vocabulary, self._lower
        if known is None or known[0] is not vocabulary.ordered:
            known = self._lower = (vocabulary.ordered, pc.utf8_lower(vocabulary.ordered))
        if not vocabulary.added:
            return known[1]
        return pa.concat_arrays([known[1], pc.utf8_lower(as_strings(list(vocabulary.added)))])

    def containing(self, text: str) -> np.ndarray:
        """Return for each code whether its text contains another, in upper or lower case."""
        return as_booleans(pc.match_substring(self.lower(), lower(text)))

    def beginning(self, text: str) -> np.ndarray:
        """Return for each code whether its text begins with another, in upper or lower case."""
        return as_booleans(pc.starts_with(self.lower(), lower(text)))

    def numbers(self) -> np.ndarray:
        """Return the number that each text is, NaN if it is none."""
        vocabulary, known = self.vocabulary, self._numbers
        if known is None or known[0] is not vocabulary:
            texts = vocabulary.values_of(np.arange(len(vocabulary)))
            numbers = np.array([np.nan if (x := number_of(text)) is None else x for text in texts], dtype=float)
            known = self._numbers = (vocabulary, numbers)
        return known[1]


class KeptTexts(Known):
    """The vocabulary of texts that are stored as they are: ids or provenance. Each part is coded once."""

    def __init__(self, texts: Callable[[Part], np.ndarray]) -> None:
        super().__init__(None)
        self._texts = texts
        self._codes: dict[Part, np.ndarray] = {}
        self._lock = threading.Lock()

    def continued(self, texts: Callable[[Part], np.ndarray], parts: Sequence[Part]) -> KeptTexts:
        """Return the same vocabulary for later parts; another one if most of them are new."""
        n_new = sum(part.n_rows for part in parts if part not in self._codes)
        if self._vocabulary is None or n_new * LARGE > sum(part.n_rows for part in parts):
            return KeptTexts(texts)
        with self._lock:
            for part in [part for part in self._codes if part not in parts]:
                del self._codes[part]
        return self

    def codes(self, part: Part) -> np.ndarray:
        """Return the codes of a part, whose new texts get the next codes."""
        with self._lock:
            if part not in self._codes:
                texts = [None if text is None else str(text) for text in self._texts(part).tolist()]
                if self._vocabulary is None:
                    self._vocabulary, self._codes[part] = vocabulary_of(as_strings(texts).dictionary_encode())
                else:
                    self._vocabulary = self._vocabulary.with_values(texts)
                    self._codes[part] = self._vocabulary.encode_few(texts)
            return self._codes[part]

    @property
    def vocabulary(self) -> Vocabulary:
        return Vocabulary(as_strings([])) if self._vocabulary is None else self._vocabulary


@dataclass(frozen=True, eq=False)
class NumberColumn:
    """A column of numbers, of dates as days since 1970-01-01, or of ids that are whole numbers."""

    name: str
    kind: Kind
    numbers: Callable[[Part], np.ndarray]
    notation: Callable[[Part], Notation | None] = lambda part: None

    def order(self, part: Part) -> Order:
        return part.by_number(self.name, self.numbers(part))

    def key(self, value: Any) -> Key:
        number = self._parsed(value)
        return (1,) if number is None or number != number else (0, number)

    def _parsed(self, value: Any) -> float | None:
        if isinstance(value, str):
            return _day(self.name, value) if self.kind == "date" else _bound(self.name, value)
        return None if value is None else value

    def value(self, part: Part, row: int) -> Any:
        number = self.numbers(part)[row].item()
        if number != number:
            return None
        return date_of_days(number) if self.kind == "date" else number

    def is_equal(self, part: Part, text: str) -> np.ndarray:
        """Return whether each row has a number, however it is spelled; no text is a missing number."""
        numbers = self.numbers(part)
        if not text:
            return np.isnan(numbers) if numbers.dtype.kind == "f" else np.zeros(len(numbers), dtype=bool)
        try:
            bound = _day(self.name, text) if self.kind == "date" else _bound(self.name, text)
        except CasebaseError:
            return np.zeros(len(numbers), dtype=bool)  # no number equals another text
        is_equal: np.ndarray = numbers == bound
        return is_equal

    def compares(self, part: Part, compare: Callable[[np.ndarray, float], np.ndarray], text: str) -> np.ndarray:
        """Return whether the number of each row compares with a bound; a missing number does not."""
        bound = _day(self.name, text) if self.kind == "date" else _bound(self.name, text)
        with np.errstate(invalid="ignore"):
            found: np.ndarray = compare(self.numbers(part), bound)
        return found

    def contains(self, part: Part, text: str) -> np.ndarray | None:
        """Return whether each row's number has some digits in its spelling; None if no number can."""
        if not set(lower(text)) <= DIGITS[self.kind]:
            return None
        if self.kind == "id":
            return digits.containing(self._digits(part), text)
        texts, places = self.texts(part)
        is_hit = self.containing(texts, text)
        if not is_hit.any():
            return None
        return is_hit if places is None else is_hit.take(places)

    def _digits(self, part: Part) -> np.ndarray:
        return part.cached(("digits", self.name), lambda: digits.digits_of(self.numbers(part)))

    def containing(self, texts: pa.Array, text: str) -> np.ndarray:
        """Return which of the spelled numbers contain a text, in upper or lower case."""
        return as_booleans(pc.match_substring(texts, text.upper() if self.kind == "date" else lower(text)))

    def texts(self, part: Part) -> tuple[pa.Array, np.ndarray | None]:
        """Return the spelled numbers, and for each row the place of its own; ids are all different, a text per row."""
        numbers = self.numbers(part)
        if self.kind == "id":
            return part.cached(("texts", self.name), lambda: pc.cast(as_integers(numbers), pa.string())), None
        distinct, places = part.distinct(self.name, numbers)
        notation = self.notation(part)
        if notation is not None and notation.codes is not None:  # one number may be written in several ways
            return part.cached(("texts", self.name), lambda: _written_texts(distinct, places, notation))

        def make() -> pa.Array:
            if self.kind == "date":
                return as_strings([None if x != x else date_of_days(x) for x in distinct.tolist()])
            values = distinct.tolist() if notation is None else notation.values(distinct)
            return as_strings([spelling(x) for x in values])

        return part.cached(("texts", self.name), make), places

    def prepare(self, part: Part) -> None:
        """Compute what sorting and searching need."""
        self.order(part)
        if self.kind == "id":
            self._digits(part)
        else:
            self.texts(part)


def _written_texts(distinct: np.ndarray, places: np.ndarray, notation: Notation) -> tuple[pa.Array, np.ndarray]:
    """Return the different texts of numbers, and for each row the place of its own."""
    assert notation.codes is not None
    n_forms = len(notation.forms)
    pairs, place = np.unique(places.astype(np.int64) * n_forms + notation.codes, return_inverse=True)
    values = Notation(notation.forms, pairs % n_forms).values(distinct[pairs // n_forms])
    return as_strings([spelling(x) for x in values]), place


Column = CodedColumn | NumberColumn


def lower(text: str) -> str:
    """Return a text in lower case, as Arrow has it."""
    lowered: str = pc.utf8_lower(pa.scalar(text)).as_py()
    return lowered


def _bound(name: str, text: str) -> float:
    number = number_of(text.strip())
    if number is None:
        raise CasebaseError(f"Expected a number to compare {name} with; got {text!r}.")
    return int(number) if number.is_integer() and abs(number) < 2**53 else _exact(text, number)


def _exact(text: str, number: float) -> float:
    """Return a whole number with all its digits: ids may have more than a float has."""
    return int(text) if text.strip().lstrip("+-").isdigit() else number


def _day(name: str, text: str) -> float:
    dates, wrong = dates_in(as_strings([text]), "iso")
    if wrong is not None or np.isnan(dates.days[0]):
        raise CasebaseError(f"Expected a date (YYYY-MM-DD) to compare {name} with; got {text!r}.")
    return float(dates.days[0])


def columns_of(schema: Schema, memory: Memory, parts: Sequence[Part], before: Sequence[Column] = ()) -> list[Column]:
    """Return the columns: the id, the columns of the training table that are stored, provenance, and the class.

    `before` are the columns before a correction; what was computed of their vocabularies is used again.
    """
    stored = {schema.features[position].name: rank for rank, position in enumerate(memory.order.tolist())}
    in_order = [feature.name for feature in schema.features if feature.name in stored]
    earlier = {column.name: column for column in before}
    columns: list[Column] = []
    if schema.source is None:
        columns = [_feature_column(schema, stored, name, name) for name in in_order]
    else:
        for kind in schema.source:
            feature = f"{kind.name}.{DATE_PARTS[-1]}" if kind.kind == "date" else kind.name
            if feature in stored:
                columns.append(_feature_column(schema, stored, kind.name, feature, kind.order, kind.kind == "date"))
    provenance: list[Column] = []
    if all(segment.provenance is not None for segment in memory.segments):
        for i, name in enumerate(schema.provenance_names):
            provenance.append(_kept_column(name, "provenance", _provenance(i), parts, earlier))
    taken = [column.name for column in (*columns, *provenance)]
    id_name = free_name("id", (*taken, schema.target))
    ids: Column = (
        NumberColumn(id_name, "id", lambda part: part.segment.ids)
        if are_numbers(memory)
        else _kept_column(id_name, "id", lambda part: part.segment.ids, parts, earlier)
    )
    classes = Known(Vocabulary(as_strings([spelling(label) for label in schema.classes])))
    are_floats = any(isinstance(label, float) for label in schema.classes)
    of_class = CodedColumn(schema.target, "class", classes, lambda part: part.segment.labels, of_numbers=are_floats)
    for column in columns:
        old = earlier.get(column.name)
        if isinstance(column, CodedColumn) and isinstance(old, CodedColumn):
            column.known.take_over(old.known)
    return [ids, *columns, *provenance, of_class]


def _feature_column(
    schema: Schema,
    stored: dict[str, int],
    name: str,
    feature_name: str,
    order: Sequence[str] = (),
    is_date: bool = False,
) -> Column:
    rank, feature = stored[feature_name], schema.features[schema.names.index(feature_name)]
    vocabulary = feature.vocabulary

    def numbers(part: Part) -> np.ndarray:
        column = part.segment.numbers(rank)
        if vocabulary is None or feature.is_cut:
            return column
        # A tree tests numbers by their spelling; a later vocabulary has the same texts for the codes of a part.
        return part.cached(("numbers", name), lambda: Known(vocabulary).numbers().take(column))

    if is_date:
        return NumberColumn(name, "date", numbers)
    if order:
        known = Known(Vocabulary(as_strings([None, *order])))

        def codes(part: Part) -> np.ndarray:
            return part.cached(("codes", name), lambda: np.nan_to_num(numbers(part)).astype(known.vocabulary.dtype))

        return CodedColumn(name, "ordinal", known, codes, is_ranked=True)
    if vocabulary is None or feature.is_cut:
        return NumberColumn(name, "number", numbers, lambda part: written_in(part.segment.notation(rank)))
    kind: Kind = "number" if feature.of_numbers else "symbol"
    return CodedColumn(
        name, kind, Known(vocabulary), lambda part: part.segment.columns[rank], of_numbers=feature.of_numbers
    )


def written_in(notation: Notation | None) -> Notation | None:
    """Return how numbers are written, without the numbers that a notation may have."""
    return None if notation is None or notation.written is None else notation.written


def _provenance(i: int) -> Callable[[Part], np.ndarray]:
    def texts(part: Part) -> np.ndarray:
        assert part.segment.provenance is not None
        return part.segment.provenance[:, i]

    return texts


def _kept_column(
    name: str, kind: Kind, texts: Callable[[Part], np.ndarray], parts: Sequence[Part], earlier: dict[str, Column]
) -> CodedColumn:
    old = earlier.get(name)
    is_same = isinstance(old, CodedColumn) and isinstance(old.known, KeptTexts) and old.kind == kind
    known = old.known.continued(texts, parts) if is_same else KeptTexts(texts)  # type: ignore[union-attr]  # checked above
    return CodedColumn(name, kind, known, known.codes)


def column_named(columns: Sequence[Column], name: str) -> Column:
    """Return the column with a name; `class` is the class, whatever its name."""
    for column in columns:
        if column.name == name:
            return column
    if name == "class":
        return columns[-1]
    raise SchemaError(unknown_name("column", name, [column.name for column in columns]))
