"""The kind of each column of a table: number, ordinal, symbol, truth value, date, key, constant or text, with a reason.

All rules look at the values as text, as a table has them whatever library or file it came from; so the same values have
the same kinds everywhere. They look at distinct values, of which most columns have few, and at all of them: a column of
numbers has no value that is not one. Nothing depends on the order of the rows, so the distinct values, and how often
each occurs, say as much as the table.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from casebase.data.arrays import as_booleans, as_integers, as_numpy
from casebase.data.arrow import pa, pc
from casebase.data.cases import Cases
from casebase.data.checks import is_whole
from casebase.data.columns import spelling
from casebase.data.dates import STYLES, Style, date_style
from casebase.data.numbers import MISSING, is_missing, rounded_whole
from casebase.data.sources import (
    KEPT,
    KINDS,
    LEFT_OUT,
    NUMBER,
    NUMERIC,
    SYMBOLIC,
    ColumnKind,
    Source,
    as_symbols,
    plain_kind,
    strict_numbers,
    with_used_entries,
)
from casebase.data.table import Table
from casebase.data.tables import as_table
from casebase.data.vocabulary import entries_of
from casebase.errors import CasebaseError, SchemaError, unknown_name

Kinds = str | Mapping[str | int, Any] | None

FEW = 10  # up to so many different whole numbers may be a scale or codes; more are quantities
NEARLY_ALL = 0.95  # of the rows have different values: a key
MOSTLY = 2 / 3  # of the rows have different texts: too many to learn from
MANY_ROWS = 20  # fewer rows may have different values by chance
LOOKED_AT = 100_000  # rows: with more of them, the exact number of different floats does not matter
N_TEXTS = 10_000  # texts, for entries that occur twice
EXPECTED_REPEATS = 10  # if numbers drawn from the same range would repeat so often, but do not, they are ids

TRUTH_VALUES = tuple(map(frozenset, (("yes", "no"), ("true", "false"), ("y", "n"), ("t", "f"), ("0", "1"))))
WHOLE_NUMBER = r"^-?(0|[1-9][0-9]{0,17})$"
_WHOLE_NUMBER = re.compile(WHOLE_NUMBER, re.ASCII)
_SPELLED_NUMBER = re.compile(NUMBER, re.ASCII)
COMMA_NUMBER = r"^[+-]?([0-9]{1,3}([,. ’'][0-9]{3})+([.,][0-9]+)?|[0-9]+,[0-9]+)$"
_COMMA_NUMBER = re.compile(COMMA_NUMBER, re.ASCII)
_WORDS_IN_NAMES = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_ID_NAMES = frozenset(["id", "ids", "key", "nr", "no", "number", "num", "code", "uuid", "guid", "index", "idx"])
_CODE_NAMES = frozenset(["id", "ids", "key", "code", "zip", "zipcode", "postcode", "uuid", "guid"])
ALIASES = {"numeric": "number", "symbolic": "symbol"}


def column_kinds(X: Any, kinds: Kinds = "auto") -> tuple[ColumnKind, ...]:
    """Return the kind of each column of a table, with the reason, and a warning where the choice is risky.

    Parameters
    ----------
    X : table
        A data frame (pandas, polars, pyarrow, duckdb), numpy array, list of rows or list of dicts, without the class.
    kinds : dict, optional
        The kinds of some columns, by name or number, as `kinds` of the classifiers; the others are found.

    Examples
    --------
    >>> import casebase as cb
    >>> rows = [{"age": 22.5, "sold": "2024-05-01", "size": 1}, {"age": 38.0, "sold": "2024-06-01", "size": 2}]
    >>> [column.kind for column in cb.column_kinds(rows + [{"age": 40.0, "sold": "2025-06-01", "size": 3}])]
    ['number', 'date', 'ordinal']
    """
    table = as_table(X)
    return source_of(table, kinds).kinds


def cases_with_kinds(
    data: Any,
    y: Any = None,
    *,
    target: str | int | None = None,
    kinds: Kinds = "auto",
    find_others: bool = True,
    or_plain: bool = False,
    **others: Any,
) -> Cases:
    """Return the cases of a table, with features by the kinds of its columns; the schema keeps the kinds.

    `data` is any table; the class is its column `target`, or `y`. `kinds` is "auto", or a dict from columns, by name or
    number, to kinds ("auto" to find one). `find_others` says whether the kinds of the columns that a dict does not name
    are found too; if not, floats are numbers and everything else is a symbol, as without kinds (None). So it is with
    `or_plain`, too, if no column would be left to learn from, which is an error otherwise. `others` are parameters of
    `Cases.from_table`, such as `weights` and `ids`.

    >>> rows = [["2024-05-01", 1], ["2024-06-01", 2], ["2025-06-01", 3]]
    >>> cases_with_kinds(rows, ["a", "b", "a"]).schema.names
    ('f1.year', 'f1.month', 'f1.weekday', 'f1.days', 'f2')
    """
    table = as_table(data, target)
    source = None if kinds is None else source_of(table, kinds, find_others=find_others)
    if source is None or (or_plain and not source.feature_names):
        return Cases.from_table(table, y=y, **others)
    return Cases.from_table(table, y=y, source=source, **others)


def source_of(table: Table, kinds: Kinds, *, find_others: bool = True) -> Source:
    """Return the columns of a table, except its class, by kind; an error if a column cannot have the kind given."""
    positions = [i for i in range(len(table.names)) if i != table.target]
    names = [table.names[i] for i in positions]
    given = given_kinds(kinds, names, None if table.target is None else table.names[table.target])
    or_else = "auto" if find_others or kinds == "auto" else None
    constants: dict[int, ColumnKind] = {}  # by the identity of a column, which a table may share between names
    found = []
    for name, position in zip(names, positions):
        column, kind = table.columns[position], given.get(name, or_else)
        if kind == "auto" and id(column) in constants:
            found.append(replace(constants[id(column)], name=name))
            continue
        found.append(column_kind(name, column, kind))
        if kind == "auto" and found[-1].kind == "constant":
            constants[id(column)] = found[-1]
    return source_with(found)


def source_with(kinds: Iterable[ColumnKind]) -> Source:
    """Return columns of these kinds; an error if there are two columns of ids."""
    source = Source(tuple(kinds))
    ids = [column.name for column in source if column.kind == "id"]
    if len(ids) > 1:
        raise CasebaseError(f"The ids of the cases are in one column; got {', '.join(ids)}.")
    return source


def column_kind(name: str, column: pa.Array, kind: Any, times: np.ndarray | None = None) -> ColumnKind:
    """Return the kind of a column: the one given, the one found ("auto"), or the plain one (None).

    The column may have every distinct value once; `times` then says how many rows each stands for.
    """
    if kind is None:
        return plain_kind(name, column)
    return kind_of(name, column, times) if kind == "auto" else _given_kind(name, column, kind)


def summary_of(kinds: Sequence[ColumnKind]) -> str:
    """Return the kinds in one line.

    >>> columns = [ColumnKind("age", "number", ""), ColumnKind("name", "key", ""), ColumnKind("ticket", "key", "")]
    >>> summary_of(columns)
    '1 numeric; ignored: name, ticket (keys)'
    """
    groups = (("numeric", NUMERIC), ("symbolic", SYMBOLIC), ("date", ("date",)))
    counts = [(sum(column.kind in members for column in kinds), word) for word, members in groups]
    parts = [f"{n} {word if word != 'date' or n == 1 else 'dates'}" for n, word in counts if n]
    ignored = []
    for kind in LEFT_OUT[: -len(KEPT)]:
        names = [column.name for column in kinds if column.kind == kind]
        word = f"{kind}s" if len(names) > 1 and kind in ("key", "constant") else kind
        if names:
            ignored.append(", ".join(names) + ("" if kind == "ignored" else f" ({word})"))
    kept = [
        (word, [column.name for column in kinds if column.kind == kind]) for word, kind in zip(("id", "kept"), KEPT)
    ]
    others = [("ignored", ignored), *kept]
    return "; ".join([", ".join(parts), *(f"{word}: {', '.join(names)}" for word, names in others if names)])


def warnings_of(kinds: Sequence[ColumnKind]) -> list[str]:
    """Return the warnings about risky choices."""
    return [column.risky for column in kinds if column.risky is not None]


def names_ids(name: str) -> bool:
    """Return whether a column's name says that it has ids.

    >>> names_ids("orderId"), names_ids("order no."), names_ids("idea")
    (True, True, False)
    """
    return _ends_in(name, _ID_NAMES)


def _ends_in(name: str, words: frozenset[str]) -> bool:
    """Whether the name is like `order_id`, `orderId` or `id order`."""
    found = [word.lower() for word in _WORDS_IN_NAMES.findall(name)]
    return bool(found) and (found[-1] in words or found[0] == "id")


@dataclass(frozen=True, eq=False)
class _Values:
    """What the rules look at: the distinct values of a column, texts or numbers, and how many rows have each."""

    name: str
    distinct: Any
    n_rows: int
    n_known: int
    is_float: bool = False

    @property
    def n(self) -> int:
        return len(self.distinct)

    @property
    def in_rows(self) -> str:
        return f"in {self.n_known:,} row{'' if self.n_known == 1 else 's'}"

    def differ(self, share: float) -> bool:
        return self.n >= share * self.n_known

    def name_ends_in(self, words: frozenset[str]) -> bool:
        return _ends_in(self.name, words)

    def is_a(self, kind: str, reason: str, risky: str | None = None) -> ColumnKind:
        return ColumnKind(self.name, kind, reason, None if risky is None else f"{self.name}: {risky}")

    def hint(self, kind: str) -> str:
        return f"kinds={{{self.name!r}: {kind!r}}} (--kind {self.name}={kind})"


def kind_of(name: str, column: pa.Array, times: np.ndarray | None = None) -> ColumnKind:
    """Return the kind of one column, with the reason; `times` as in `column_kind`.

    >>> kind_of("class", pa.array(["1", "3", "2", "3"]).dictionary_encode()).reason
    '3 different whole numbers in sequence, from 1 to 3'
    """
    if pa.types.is_floating(column.type):
        return _float_kind(name, column, times)
    values, counts = _texts(name, column, times)
    if column.type.ordered and values.n > 1:
        order = tuple(text for text in column.dictionary.to_pylist() if text is not None)
        return ColumnKind(name, "ordinal", f"an ordered category: {_listed(order, ' < ')}", order=order)
    numbers = _numbers(values, counts)
    if numbers is not None:
        kind = _single_value(numbers) or _truth_value(numbers) or _number_kind(numbers)
        lost = rounded_whole(values.distinct) if kind.kind in NUMERIC else None
        return kind if lost is None else _long_numbers(values, lost)
    return _single_value(values) or _truth_value(values) or _date_kind(values) or _text_kind(values)


def _long_numbers(values: _Values, lost: str) -> ColumnKind:
    """Return the kind of whole numbers that a double cannot represent: quoted as numbers they would be others."""
    reason = f"whole numbers with too many digits for a number, such as {lost}"
    risk = f"{lost} has too many digits for a number, so its whole numbers are symbols; {values.hint('number')} if not."
    return values.is_a("symbol", reason, risk)


def _texts(name: str, column: pa.DictionaryArray, times: np.ndarray | None) -> tuple[_Values, np.ndarray]:
    """Return the texts that occur in a column, and how many rows have each."""
    if 1 < len(column.dictionary) <= N_TEXTS and pc.count_distinct(column.dictionary).as_py() < len(column.dictionary):
        column = column.dictionary_decode().dictionary_encode()  # another library's dictionary has an entry twice
    counts = np.bincount(entries_of(column), times, minlength=len(column.dictionary) + 1)[:-1].astype(np.int64)
    occurs = (counts > 0) & as_booleans(pc.is_valid(column.dictionary))
    texts = column.dictionary
    if not occurs.all():
        texts, counts = texts.take(as_integers(np.flatnonzero(occurs))), counts[occurs]
    n_rows = len(column) if times is None else int(times.sum())
    return _Values(name, texts, n_rows, int(counts.sum())), counts


def _numbers(values: _Values, counts: np.ndarray) -> _Values | None:
    """Return the values as numbers if all of them are numbers or missing, else None; 007 is a code, not a number."""
    first = values.distinct[:50].to_pylist()
    if not all(is_missing(text) or _SPELLED_NUMBER.fullmatch(text.strip()) for text in first):
        return None  # most columns of text end here
    if all(map(_WHOLE_NUMBER.fullmatch, first)) and (
        values.n <= len(first) or pc.all(pc.match_substring_regex(values.distinct, WHOLE_NUMBER)).as_py()
    ):
        whole = np.sort(as_numpy(values.distinct.cast(pa.float64())))
        return _Values(values.name, whole, values.n_rows, values.n_known) if whole.size else None
    numbers, wrong = strict_numbers(values.distinct)
    is_known = ~np.isnan(numbers)
    if wrong is not None or not is_known.any():
        return None
    if pc.any(pc.match_substring_regex(values.distinct, r"^\s*[+-]?0[0-9]")).as_py():
        return None
    has_decimals = bool(pc.any(pc.match_substring_regex(values.distinct, r"[.eE]")).as_py())
    return _Values(values.name, np.unique(numbers[is_known]), values.n_rows, int(counts[is_known].sum()), has_decimals)


def _float_kind(name: str, column: pa.Array, times: np.ndarray | None) -> ColumnKind:
    numbers = as_numpy(column, null=np.nan)
    is_known = ~np.isnan(numbers)
    n_rows, n_known = len(numbers), int(np.count_nonzero(is_known))
    if times is not None:
        n_rows, n_known = int(times.sum()), int(times[is_known].sum())
    ends = pc.min_max(column)
    least, most = ends["min"].as_py(), ends["max"].as_py()
    if n_known and not np.isfinite([least, most]).all():
        return ColumnKind(name, "number", "numbers, of which some are infinite")
    # Numbers with decimals are numbers, unless they are all the same: only whole numbers need a look at each of them.
    if n_known and least < most and _has_decimals(numbers):
        return ColumnKind(name, "number", _range("numbers with decimals", least, most))
    distinct = np.unique(numbers[:LOOKED_AT][is_known[:LOOKED_AT]])
    if n_known <= LOOKED_AT or len(distinct) <= FEW:  # the first rows do not show already that there are many
        distinct = np.unique(as_numpy(pc.unique(column).drop_null()))
    if n_known > LOOKED_AT and len(distinct) > FEW:
        return ColumnKind(name, "number", _range(f"more than {FEW} different numbers", least, most))
    values = _Values(name, distinct, n_rows, n_known, is_float=True)
    return _single_value(values) or _truth_value(values) or _number_kind(values)


def _has_decimals(numbers: np.ndarray) -> bool:
    known = numbers[~np.isnan(numbers)]
    return bool((known != np.floor(known)).any())


def _single_value(values: _Values) -> ColumnKind | None:
    """Return the kind of a column with at most one value; None if it has more."""
    if values.n > 1:
        return None
    if values.n == 0:
        return values.is_a("constant", "no value: all are missing")
    only = repr(spelling(values.distinct.tolist()[0]))
    if values.n_known < values.n_rows:
        return values.is_a("symbol", f"{only} {values.in_rows}, missing in the others")
    return values.is_a("constant", f"one value: {only}")


def _truth_value(values: _Values) -> ColumnKind | None:
    if values.n != 2:
        return None
    texts = [str(spelling(value)) for value in values.distinct.tolist()]
    if frozenset(text.strip().lower() for text in texts) not in TRUTH_VALUES:
        return None
    return values.is_a("truth", f"two values: {', '.join(sorted(texts))}")


def _number_kind(values: _Values) -> ColumnKind:
    """Return the kind of a column of numbers, mostly whole ones.

    Few whole numbers without large gaps are a scale; many are quantities. Ids are told by their name, or because they
    are all different although numbers of that range, drawn at random, would repeat.
    """
    numbers = values.distinct
    least, most = float(numbers[0]), float(numbers[-1])
    if _has_decimals(numbers):
        return values.is_a("number", _range("numbers with decimals", least, most))
    counted = f"{values.n:,} different whole numbers {values.in_rows}"
    if not values.is_float and values.n_known >= MANY_ROWS and values.differ(NEARLY_ALL):
        key = _integer_key(values, counted)
        if key is not None:
            return key
    if values.name_ends_in(_CODE_NAMES) and not values.is_float:
        risk = f"the name says that its whole numbers are codes, so they are symbols; {values.hint('number')} if not."
        return values.is_a("symbol", f"{counted}, codes by the name of the column", risk)
    step = float(np.gcd.reduce(np.diff(numbers).astype(np.int64))) if most - least < 2**53 else 1.0
    has_no_gaps = (most - least) / step + 1 <= 2 * values.n
    if values.n <= FEW and has_no_gaps and values.n > 2:
        return values.is_a("ordinal", _range(f"{values.n} different whole numbers in sequence", least, most))
    if values.n > FEW or values.is_float or (values.n > FEW / 2 and values.differ(0.5)):
        may_be_ids = values.n == values.n_known >= MANY_ROWS and not values.is_float
        ids = f"all its whole numbers are different; if they are ids, {values.hint('key')} leaves them out."
        return values.is_a("number", counted, ids if may_be_ids else None)
    if values.n == 2:
        return values.is_a("symbol", f"{counted}: {_whole(least)} and {_whole(most)}")
    risk = f"its few whole numbers are symbols, because they are far apart; {values.hint('number')} if they measure."
    return values.is_a("symbol", f"{_range(counted, least, most)}, far apart", risk)


def _integer_key(values: _Values, counted: str) -> ColumnKind | None:
    """Return the kind of a column of whole numbers that are ids; None if they need not be."""
    least, most = float(values.distinct[0]), float(values.distinct[-1])
    if values.name_ends_in(_ID_NAMES):
        return values.is_a("key", f"{counted}, and the name of an id")
    if values.n < values.n_known:
        return None
    span = most - least + 1
    if span <= 1.1 * values.n:
        begins = least in (0, 1)
        risk = None if begins else f"left out as a key, because its numbers count on; {values.hint('number')} keeps it."
        return values.is_a("key", f"{_range(counted, least, most)}: they count the rows", risk)
    if values.n**2 / (2 * span) >= EXPECTED_REPEATS:
        risk = f"left out as a key, because no number repeats; {values.hint('number')} keeps it."
        return values.is_a("key", f"{_range(counted, least, most)}, without a repetition", risk)
    return None


def _date_kind(values: _Values) -> ColumnKind | None:
    style, is_ambiguous = date_style(values.distinct)
    if style is not None:
        written = {"iso": "ISO dates", "dmy": "dates, day first", "mdy": "dates, month first"}[style]
        return replace(values.is_a("date", f"{values.n:,} different {written} {values.in_rows}"), style=style)
    if is_ambiguous:
        either = f"{values.hint('date:dmy')}, or 'date:mdy'"
        risk = f"its dates are symbols, because day and month could be exchanged in all of them; {either} tells which."
        return values.is_a("symbol", f"{values.n:,} different dates whose day and month cannot be told apart", risk)
    return None


def _text_kind(values: _Values) -> ColumnKind:
    """Return the kind of a column of text: free text, a key, or symbols."""
    counted = f"{values.n:,} different texts {values.in_rows}"
    texts = pc.utf8_trim_whitespace(values.distinct)
    few = values.distinct[:50].to_pylist()  # most columns of text have none
    may_be = all(is_missing(text) or _COMMA_NUMBER.fullmatch(text.strip()) for text in few)
    if may_be and _are_numbers_with_commas(texts):
        risk = "its numbers with commas are symbols; write them with a decimal point only, and they are numbers."
        return values.is_a("symbol", f"{counted}, numbers with commas", risk)
    n_words = pc.mean(pc.count_substring_regex(texts, r"\s+")).as_py() + 1
    if n_words > 5 and values.differ(NEARLY_ALL):
        risk = f"left out, because it is free text; {values.hint('symbol')} keeps each text as one symbol."
        return values.is_a("text", f"{counted}, of {n_words:.0f} words on average", risk)
    if values.n_known >= MANY_ROWS and values.differ(NEARLY_ALL):
        return values.is_a("key", counted)
    if values.n_known >= MANY_ROWS and values.differ(MOSTLY):
        risk = f"left out as a key, though some of its values repeat; {values.hint('symbol')} keeps it."
        return values.is_a("key", counted, risk)
    return values.is_a("symbol", f"{values.n:,} different text{'' if values.n == 1 else 's'} {values.in_rows}")


def _are_numbers_with_commas(texts: pa.Array) -> bool:
    """Return whether all texts are numbers with commas, or stand for a missing value."""
    are = pc.or_(pc.match_substring_regex(texts, COMMA_NUMBER), pc.is_in(texts, value_set=pa.array(sorted(MISSING))))
    return bool(pc.all(are).as_py())


def _whole(number: float) -> str:
    return f"{number:,.0f}" if number == int(number) and abs(number) < 1e15 else f"{number:g}"


def _range(what: str, least: float, most: float) -> str:
    return f"{what}, from {_whole(least + 0.0)} to {_whole(most + 0.0)}"  # which of 0 and -0 is least means nothing


def _listed(texts: Sequence[str], between: str) -> str:
    return between.join(texts[:8]) + (f"{between}…" if len(texts) > 8 else "")


def given_kinds(kinds: Kinds, names: Sequence[str], target: str | None) -> dict[str, Any]:
    """Return the kinds that the user gave, by name; an error for a column that there is not."""
    if kinds is None or kinds == "auto":
        return {}
    if not isinstance(kinds, Mapping):
        raise CasebaseError(
            f"kinds is 'auto', or a dict from columns to kinds such as {{'age': 'number'}}; got {kinds!r}."
        )
    given = {}
    for column, kind in kinds.items():
        if isinstance(column, str) and column == target:
            raise SchemaError(f"Column {column!r} is the class: it has no kind.")
        if isinstance(column, str) and column not in names:
            raise SchemaError(unknown_name("column", column, names))
        if not isinstance(column, str) and not (is_whole(column) and 0 <= column < len(names)):
            raise SchemaError(f"There is no column {column!r}: the columns are numbered 0 to {len(names) - 1}.")
        given[column if isinstance(column, str) else names[column]] = kind
    return given


def _given_kind(name: str, column: pa.Array, kind: Any) -> ColumnKind:
    """Return the kind that the user gave to a column; an error if its values do not allow it.

    A kind is a name, with a detail after a colon for some: `ordinal:low,high` or `date:dmy`. A list is the order of an
    ordinal.
    """
    word, _, detail = kind.partition(":") if isinstance(kind, str) else ("ordinal", "", "")
    word = ALIASES.get(word, word)
    if word not in KINDS or not isinstance(kind, str | list | tuple):
        raise CasebaseError(f"Column {name!r}: {unknown_name('kind', kind, KINDS)}")
    if detail and word not in ("ordinal", "date"):
        raise CasebaseError(f"Column {name!r}: only 'ordinal' and 'date' take a detail after a colon; got {kind!r}.")
    given = ColumnKind(name, word, "asked for")
    if word == "ordinal":
        order = [part.strip() for part in detail.split(",")] if isinstance(kind, str) else list(map(spelling, kind))
        ranked = _order(name, column, [] if order == [""] else order)
        given = replace(given, order=ranked, reason="asked for" + (f": {_listed(ranked, ' < ')}" if ranked else ""))
    if word == "date":
        given = replace(given, style=_style(name, column, detail))
    if word == "truth":
        _check_two_values(name, column)
    given.columns(column)  # an error if a value is not of this kind
    return given


def _order(name: str, column: pa.Array, order: Sequence[str | None]) -> tuple[str, ...]:
    """Return the order of an ordinal's values: the one given, or that of an ordered category; none for numbers."""
    texts = tuple(text for text in order if text is not None)
    if len(set(texts)) < len(order):
        raise CasebaseError(f"Column {name!r}: the order has a value twice, or one that is missing: {list(order)!r}.")
    if not texts and pa.types.is_dictionary(column.type):
        if column.type.ordered:
            return tuple(text for text in column.dictionary.to_pylist() if text is not None)
        used = with_used_entries(column)
        wrong = strict_numbers(used.dictionary)[1]
        if wrong is not None:
            row = used.dictionary_decode().to_pylist().index(wrong)
            raise SchemaError(
                f"Column {name!r} has texts, such as {wrong!r} in row {row + 1} of {len(column)}, so give their order: "
                f"kinds={{{name!r}: ['low', 'medium', 'high']}} (--kind {name}=ordinal:low,medium,high)."
            )
    return texts


def _style(name: str, column: pa.Array, detail: str) -> Style:
    if detail:
        if detail not in STYLES:
            raise CasebaseError(f"Column {name!r}: {unknown_name('style of dates', detail, STYLES)}")
        return next(style for style in STYLES if style == detail)
    texts = with_used_entries(as_symbols(column)).dictionary.drop_null()
    style, is_ambiguous = date_style(texts)
    if is_ambiguous:
        raise SchemaError(
            f"Column {name!r}: in {texts[0].as_py()!r} and all other dates day and month could be exchanged; say "
            f"'date:dmy' or 'date:mdy' (--kind {name}=date:dmy)."
        )
    return style or "iso"


def _check_two_values(name: str, column: pa.Array) -> None:
    texts = as_symbols(column).dictionary_decode()
    distinct = pc.unique(texts).drop_null().to_pylist()
    if len(distinct) > 2:
        row = texts.to_pylist().index(distinct[2])
        raise SchemaError(
            f"Column {name!r} has more than two values, so it is no truth value: row {row + 1} of {len(column)} has "
            f"{distinct[2]!r} besides {distinct[0]!r} and {distinct[1]!r}."
        )
