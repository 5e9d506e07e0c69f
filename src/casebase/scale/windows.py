"""The windows of a corpus: what stands around each token, as codes; sorted by part, and joined memory by memory.

A window is the codes of the features of a memory, and the tag of its token. A part of whole sentences has all that its
windows need. The codes are packed into a few numbers of 64 bits, in the order of the features, so that the order of the
numbers is that of the windows; equal windows of a part are one with a count. So every part gives a sorted run for each
memory, and a memory takes the runs range by range, in their order.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from casebase import _native
from casebase.scale.sentences import StoredCorpus
from casebase.scale.sorting import N_SAMPLED, bounds_of
from casebase.scale.stored import StoredArray, StoredBlock
from casebase.tagging.coded_text import codes_said, first_words
from casebase.tagging.committee import Contexts
from casebase.tagging.features import Text

BITS = 64


@dataclass(frozen=True, eq=False)
class Level:
    """Where the code of a feature comes from: a further column or the words (0), the codes of their entries, tags.

    `name` says which codes of entries; without a name only the tag counts.
    """

    name: str | None
    column: int
    of_tags: np.ndarray | None
    offset: int
    outside: int
    n_codes: int

    def codes(self, of_entries: Mapping[str, np.ndarray], text: Text, tags: np.ndarray, rows: np.ndarray) -> np.ndarray:
        codes = None
        if self.name is not None:
            codes = of_entries[self.name][text.columns[self.column - 1][1] if self.column else text.word]
        return text.shifted(codes_said(codes, self.of_tags, tags), self.offset, self.outside, rows)


@dataclass(frozen=True)
class Packing:
    """How codes of so many bits each are packed: as many in one number as have room, in their order."""

    widths: tuple[int, ...]

    @classmethod
    def of(cls, levels: Sequence[Level], n_tags: int) -> "Packing":
        return cls(tuple(max(1, (n - 1).bit_length()) for n in (*(level.n_codes for level in levels), n_tags)))

    @property
    def groups(self) -> list[list[int]]:
        """The widths of the codes in each number.

        >>> Packing((30, 30, 10)).groups
        [[30, 30], [10]]
        """
        groups: list[list[int]] = []
        for width in self.widths:
            if not groups or sum(groups[-1]) + width > BITS:
                groups.append([])
            groups[-1].append(width)
        return groups

    def pack(self, columns: Sequence[np.ndarray]) -> list[np.ndarray]:
        numbers, rest = [], iter(columns)
        for group in self.groups:
            number = np.zeros(len(columns[0]), dtype=np.uint64)
            for width in group:
                number <<= np.uint64(width)
                number |= next(rest).astype(np.uint64)
            numbers.append(number)
        return numbers

    def unpack(self, numbers: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Return the codes, as numbers of 32 bits."""
        columns: list[np.ndarray] = []
        for number, group in zip(numbers, self.groups):
            shift = sum(group)
            for width in group:
                shift -= width
                code = (number >> np.uint64(shift)) & np.uint64((1 << width) - 1)
                columns.append(code.astype(np.uint32))
        return columns


@dataclass(frozen=True, eq=False)
class Windows:
    """What the memories of a group look at; `is_used` are the words whose tokens they learn from.

    `lowered` has the words that others stand for at the beginning of sentences. With `has_rows`, runs also have the
    first token of each window.
    """

    memories: tuple[tuple[Level, ...], ...]
    of_entries: Mapping[str, np.ndarray]
    n_tags: int
    is_used: np.ndarray
    lowered: "Beginnings | None" = None
    has_rows: bool = False

    def packing(self, memory: int) -> Packing:
        return Packing.of(self.memories[memory], self.n_tags)

    def dtypes(self, memory: int) -> tuple[str, ...]:
        """The arrays of a run: packed windows, how often each occurs, and if asked for the first token of each."""
        return (*["uint64"] * len(self.packing(memory).groups), "uint32", *["uint32"] * self.has_rows)


@dataclass(frozen=True, eq=False)
class Beginnings:
    """Words at the beginning of sentences: which are marks, which are asked for, and what they are replaced by."""

    is_mark: np.ndarray
    is_asked: np.ndarray
    number: np.ndarray

    def replaced(self, text: Text) -> Text:
        word = text.word.astype(np.int64)
        tokens = first_words(text.first, word, self.is_mark, self.is_asked)
        word[tokens] = self.number[word[tokens]]
        return Text(text.words, word, text.first, text.lexical, text.columns)


def find_beginnings(
    corpus: StoredCorpus, is_mark: np.ndarray, is_asked: np.ndarray, begin: int, end: int
) -> np.ndarray:
    """Return the words that are asked for and stand at the beginning of some sentences."""
    text, _, _ = corpus.read(begin, end)
    return np.unique(text.word[first_words(text.first, text.word, is_mark, is_asked)])


def sort_windows(corpus: StoredCorpus, windows: Windows, begin: int, end: int, path: Path) -> list[StoredBlock]:
    """Write the sorted windows of some sentences, a run for each memory."""
    text, tags, start = corpus.read(begin, end)
    rows = np.flatnonzero(windows.is_used[text.word])
    if windows.lowered is not None:
        text = windows.lowered.replaced(text)
    runs = []
    for i, levels in enumerate(windows.memories):
        columns = [level.codes(windows.of_entries, text, tags, rows) for level in levels]
        numbers = windows.packing(i).pack([*columns, tags[rows]])
        del columns
        if len(numbers) == 1 and not windows.has_rows:  # the numbers alone are sorted in less time
            arrays = list(np.unique(numbers[0], return_counts=True))
        else:
            order, firsts = _grouped(numbers)
            picked, times = order[firsts], np.diff(np.append(firsts, len(rows)))
            arrays = [*(number[picked] for number in numbers), times]
            arrays += [start + rows[picked]] if windows.has_rows else []
        run = StoredBlock(path.with_name(f"{path.name}-{i}"), windows.dtypes(i), len(arrays[0]))
        run.write(arrays)
        runs.append(run)
    return runs


def _grouped(numbers: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Return a stable order of rows by their numbers, and where in it each group of equal ones begins."""
    order = np.argsort(numbers[0], kind="stable") if len(numbers) == 1 else np.lexsort(numbers[::-1])
    is_first = np.zeros(len(order), dtype=bool)
    is_first[:1] = True
    for number in numbers:
        ordered = number[order]
        is_first[1:] |= ordered[1:] != ordered[:-1]
    return order, np.flatnonzero(is_first)


def joined(runs: Sequence[StoredBlock], range_rows: int) -> Iterator[list[np.ndarray]]:
    """Yield the windows of all runs in ascending order, range by range, with their counts added.

    Windows with the same first number are in one range, of which the first token is that of the first run.
    """
    filled = [run for run in runs if run.n]
    n_rows = sum(run.n for run in filled)
    if not n_rows:
        return
    sampled = np.concatenate([_keys(run)[:: max(1, run.n // N_SAMPLED)] for run in filled])
    bounds = bounds_of(sampled, -(-n_rows // range_rows))
    edges = [[0, *np.searchsorted(_keys(run), bounds).tolist(), run.n] for run in filled]
    for which in range(len(bounds) + 1):
        spans = [(run, edge[which], edge[which + 1]) for run, edge in zip(filled, edges)]
        pieces = [run.read(begin, end) for run, begin, end in spans if begin < end]
        if not pieces:
            continue
        arrays = [np.concatenate(each) for each in zip(*pieces)]
        del pieces
        n_numbers = sum(array.dtype == np.uint64 for array in arrays)
        order, firsts = _grouped(arrays[:n_numbers])
        times = np.add.reduceat(arrays[n_numbers][order], firsts, dtype=np.uint32)
        picked = order[firsts]
        yield [
            *(array[picked] for array in arrays[:n_numbers]),
            times,
            *(row[picked] for row in arrays[n_numbers + 1 :]),
        ]


def _keys(run: StoredBlock) -> np.ndarray:
    """Return the first number of each window of a run, mapped."""
    return np.memmap(run.path, np.uint64, "r", shape=(run.n,))


@dataclass(frozen=True)
class StoredTree:
    """The tree of a memory as files, packed as a model file has it, or as the kernel takes it."""

    arrays: tuple[tuple[str, StoredArray], ...]
    is_packed: bool

    def contexts(self) -> Contexts:
        mapped = {name: array.mapped() for name, array in self.arrays}
        return PackedContexts.of(mapped) if self.is_packed else Contexts(**mapped)


@dataclass(frozen=True, eq=False)
class PackedContexts(Contexts):
    """A tree that is only to be written: its arrays are packed already."""

    ready: Mapping[str, np.ndarray] = field(default_factory=dict)

    @classmethod
    def of(cls, ready: Mapping[str, np.ndarray]) -> "PackedContexts":
        nothing = np.empty(0, dtype=np.uint32)
        return cls(nothing, nothing, nothing, nothing, nothing, ready)

    def packed(self) -> dict[str, np.ndarray]:
        return dict(self.ready)


def grow_memory(
    packings: Sequence[Packing],
    range_rows: int,
    n_tags: int,
    splits_pure: bool,
    is_packed: bool,
    memory: int,
    runs: Sequence[StoredBlock],
    path: Path,
) -> StoredTree:
    """Grow the tree of a memory from its runs, and write it to files."""
    packing = packings[memory]
    stream = _native.ContextStream(len(packing.widths) - 1, n_tags, splits_pure)
    for *numbers, times in joined(runs, range_rows):
        *columns, tags = packing.unpack(numbers)
        stream.add(columns, tags, times)
    tree = Contexts(*stream.finish())
    arrays = []
    for name, array in (tree.packed() if is_packed else tree.arrays()).items():
        stored = StoredArray(path.with_name(f"{path.name}-{name}"), array.dtype.name, len(array)).create()
        stored.write(0, array)
        arrays.append((name, stored))
    return StoredTree(tuple(arrays), is_packed)


def join_cases(packing: Packing, range_rows: int, runs: Sequence[StoredBlock], path: Path) -> StoredBlock:
    """Write the distinct windows of a case base: codes, tags, how often each occurs and its first token."""
    pieces = [[*packing.unpack(numbers), times, rows] for *numbers, times, rows in joined(runs, range_rows)]
    arrays = [np.concatenate(each) for each in zip(*pieces)]
    block = StoredBlock(path, ("uint32",) * len(arrays), len(arrays[0]))
    block.write(arrays)
    return block
