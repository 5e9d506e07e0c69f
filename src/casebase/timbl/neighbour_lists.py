"""The list of neighbours below a result line: the stored patterns at each distance, and the votes of their classes.

Patterns are listed in the order in which TiMBL's search meets them: down the tree, at every level the branch of the
test line first, then the others by the number of their value.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from casebase import _native
from casebase.data.arrays import as_numpy
from casebase.neighbours.search import Neighbours
from casebase.timbl.data_files import DataFile
from casebase.timbl.memory import Memory
from casebase.timbl.notation import as_distance, escape
from casebase.timbl.results import NO_DISTANCE, Distributions, Shown

NOT_USED = "-*-"


@dataclass(frozen=True, eq=False)
class Listing:
    """Neighbours of all test lines; `rows` are lines of the training file."""

    memory: Memory
    file: DataFile
    found: Neighbours
    rows: np.ndarray
    shows_test_line: bool = False

    @cached_property
    def group_of_row(self) -> np.ndarray:
        return np.repeat(np.arange(len(self.found.distance)), self.found.n_rows)

    @cached_property
    def case_of_group(self) -> np.ndarray:
        return np.repeat(np.arange(len(self.found.n_groups)), self.found.n_groups)

    @cached_property
    def place_of_group(self) -> np.ndarray:
        """Which of its test line's groups each group is, from 0."""
        first = np.concatenate([[0], np.cumsum(self.found.n_groups)[:-1]]).astype(np.int64)
        places: np.ndarray = np.arange(len(self.found.distance)) - first[self.case_of_group]
        return places

    @cached_property
    def line_weight(self) -> np.ndarray:
        weights = self.memory.cases.weights
        return np.ones(self.memory.symbols.n_lines) if weights is None else weights

    def group_texts(self) -> list[str]:
        """Return the distribution of every group."""
        return self._distributions(self.group_of_row, self.rows, len(self.found.distance))

    def _distributions(self, owner: np.ndarray, lines: np.ndarray, n_owners: int) -> list[str]:
        """Return the class counts of lines, put together by owner."""
        classes = self.memory.symbols.classes
        labels = self.memory.symbols.labels[lines].astype(np.int64)
        cells, which = np.unique(owner * len(classes) + labels, return_inverse=True)
        votes = np.bincount(which.ravel(), self.line_weight[lines])
        first = np.searchsorted(cells // len(classes), np.arange(n_owners + 1))
        return Distributions(first, cells % len(classes), votes).texts(classes, Shown())

    def summaries(self, with_distance: bool) -> list[str]:
        """Return what +vk adds: `# k=1 TAB distribution` for every group."""
        parts = zip(self.place_of_group.tolist(), self.group_texts(), self.found.distance.tolist())
        texts = [f"# k={place + 1}\t{text}{as_distance(d) if with_distance else ''}\n" for place, text, d in parts]
        return self._below(texts)

    def sets(self, k: int, with_votes: bool, with_distance: bool) -> list[str]:
        """Return what -Z writes: k groups for every test line, empty ones included."""
        texts, distances = self.group_texts(), [as_distance(d) for d in self.found.distance.tolist()]
        below, at = [], 0
        for n_groups in self.found.n_groups.tolist():
            lines = []
            for place in range(k):
                there = place < n_groups
                votes = f"\t{texts[at + place] if there else '{  }'}" if with_votes else ""
                distance = f"\t{distances[at + place] if there else as_distance(NO_DISTANCE)}" if with_distance else ""
                lines.append(f"# k={place + 1}{votes}{distance}\n")
            below.append("".join(lines))
            at += n_groups
        return below

    def patterns(self, n_listed: int, with_votes: bool) -> list[str]:
        """Return what +vn adds: every group with its patterns."""
        names, pattern_of_line = self._names, self._pattern_of_line
        is_exact = self.found.is_exact.astype(bool) & self.shows_test_line
        is_alone = is_exact[self.case_of_group[self.group_of_row]]  # identical cases are one pattern
        patterns = np.where(is_alone, 0, pattern_of_line[self.rows])
        # A group lists each pattern once, with the votes of all its lines; the first line stands for the pattern.
        group_pattern = self.group_of_row * (int(pattern_of_line.max()) + 1) + patterns
        distinct, example, which = np.unique(group_pattern, return_index=True, return_inverse=True)
        votes = self._distributions(which.ravel(), self.rows, len(distinct)) if with_votes else []
        owner = self.group_of_row[example]
        n_lines = np.bincount(self.group_of_row, self.line_weight[self.rows], minlength=len(self.found.distance))
        ends = np.searchsorted(owner, np.arange(len(self.found.distance) + 1)).tolist()
        texts = []
        places, distances, cases = (
            self.place_of_group.tolist(),
            self.found.distance.tolist(),
            self.case_of_group.tolist(),
        )
        for group, (a, b) in enumerate(itertools.pairwise(ends)):
            lines = self.rows[example[a:b]]
            in_order = a + self._visiting_order(cases[group], lines)
            more = f" (only {n_listed} shown)" if b - a > n_listed else ""
            distance = as_distance(distances[group])
            title = f"# k={places[group] + 1}, {n_lines[group]:.0f} Neighbor(s) at distance: "
            text = [f"{title}\t{distance}{more}\n"]
            for i in in_order[:n_listed].tolist():
                name = names.of_test_line(cases[group]) if is_exact[cases[group]] else names(int(self.rows[example[i]]))
                text.append(f"#\t{name}{votes[i] if with_votes else ' ' + NOT_USED}\n")
            texts.append("".join(text))
        return self._below(texts)

    def _below(self, texts: Sequence[str]) -> list[str]:
        below = [""] * len(self.found.n_groups)
        for case, text in zip(self.case_of_group.tolist(), texts):
            below[case] += text
        return below

    @cached_property
    def _columns(self) -> list[np.ndarray]:
        """The numbers of the values of all training lines, feature by feature in the order of the tree."""
        symbols, used = self.memory.symbols, self.memory.order[: self.memory.n_used]
        return [symbols.index_of_codes(i)[symbols.codes[i]] for i in used]

    @cached_property
    def _query_numbers(self) -> np.ndarray:
        """The numbers of the values of the test lines, -1 for one that training never saw; one row per feature."""
        index, used = self.memory.symbols.index, self.memory.order[: self.memory.n_used]
        columns = []
        for i in used:
            column = self.file.columns[i]
            numbers = np.array([index.get(value, -1) for value in column.dictionary.to_pylist()])
            columns.append(numbers[as_numpy(column.indices)])
        return np.array(columns)

    @cached_property
    def _pattern_of_line(self) -> np.ndarray:
        """Which pattern each training line has: lines with equal values share one."""
        columns = [column.astype(np.uint32) for column in self._columns]
        labels = self.memory.symbols.labels
        if self.memory.training.exemplars is not None:  # then the classes of a pattern have distances of their own
            columns.append(labels.astype(np.uint32))
        order = _native.lexicographic_order(columns, len(labels))
        differs = np.zeros(len(labels), dtype=bool)
        for column in columns:
            differs[1:] |= column[order][1:] != column[order][:-1]
        patterns = np.empty(len(labels), dtype=np.int64)
        patterns[order] = np.cumsum(differs)
        return patterns

    def _visiting_order(self, case: int, lines: np.ndarray) -> np.ndarray:
        if len(lines) == 1:
            return np.zeros(1, dtype=np.int64)
        # In the order of the tree: the branch with the query's value first (-1), then the others by number.
        keys = [
            np.where(column[lines] == value, -1, column[lines])
            for column, value in zip(self._columns, self._query_numbers[:, case])
        ]
        return np.lexsort(keys[::-1])

    @cached_property
    def _names(self) -> "Names":
        return Names(self.memory, self.file)


class Names:
    """The text of a training line's values, as in a listing; each is built once."""

    def __init__(self, memory: Memory, file: DataFile) -> None:
        self.layout = file.layout
        symbols = memory.symbols
        self.values = [None if one is None else [escape(value) for value in one] for one in symbols.values]
        self.codes = symbols.codes
        self._cache: dict[int, str] = {}
        self.file = file

    def of_test_line(self, line: int) -> str:
        """Return a test line with its class: TiMBL shows an exact match as the test line itself."""
        fields = [escape(column[line].as_py()) for column in self.file.columns]
        return self.layout.join(fields[:-1]) + fields[-1] + self.layout.separator

    def __call__(self, line: int) -> str:
        if line not in self._cache:
            fields = [
                NOT_USED if values is None or codes is None else values[codes[line]]
                for values, codes in zip(self.values, self.codes)
            ]
            self._cache[line] = self.layout.join(fields)
        return self._cache[line]
