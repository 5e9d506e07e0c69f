"""TiMBL's instance bases: text files with a tree of values and the classes below them.

    # Status: complete
    # Permutation: < 1, 3! 2 >
    # Numeric: .
    # Bin_Size: 20
    # Version 4 (Hashed)
    #
    Classes … Features … (each a number and a name a line; a blank line)
    (1{ 1 3, 2 3 }[1(1[2(1{ 1 1 })
    …

A node is its value, then in brackets its default class, perhaps how often each class occurs below it, and its
children. A complete tree (IB1) has those counts at its leaves and at its root, a pruned one (IGTree) at its root.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from casebase.base.trees import Tree
from casebase.errors import CasebaseError, FormatError
from casebase.timbl.metric_string import feature_ranges
from casebase.timbl.notation import escape, unescape

_HEADER = re.compile(r"#\s*(Status|Permutation|Numeric|Ranges|Bin_Size|Version)\s*:?\s*(.*)")
_COUNTS = re.compile(r"(\S+) (\d+)(?: ([0-9.eE+-]+))?,?")
# Few counts first: a class may be called "}".
_SOME_COUNTS = r"(?:\{((?: NAME [0-9]+(?: [0-9.eE+-]+)?,?)+?) \})?\s*([\[)])"
# A node up to its children or its end: value, class, counts, bracket; in numbers (hashed) or in names.
_HASHED = re.compile(r"([0-9]+)?\(([0-9]+)\s*" + _SOME_COUNTS.replace("NAME", "[0-9]+"))
_NAMED = re.compile(r"(?:(\S+)[ ]+)?\((\S+)[ ]+" + _SOME_COUNTS.replace("NAME", r"\S+"))
MOST = 1e15  # lines that a count may count
_BLANKS, _CLOSING = re.compile(r"\s*"), re.compile(r"\]\s*\)\s*")


@dataclass(frozen=True, eq=False)
class Header:
    """The header above the tree: its status, the order of the features, and which are numeric (counted from 0)."""

    is_pruned: bool
    order: list[int]
    n_used: int
    numeric: list[int]
    ranges: dict[int, tuple[float, float]] = field(default_factory=dict)
    n_bins: int = 20
    is_hashed: bool = True
    has_ranges: bool = False  # whether a numeric metric was given, even if no feature turned out to be numeric

    def text(self) -> str:
        numbers = [str(i + 1) for i in self.order]
        used, ignored = ", ".join(numbers[: self.n_used]), ", ".join(numbers[self.n_used :])
        lines = [
            f"# Status: {'pruned' if self.is_pruned else 'complete'}",
            f"# Permutation: < {used}{f'! {ignored}' if ignored else ''} >",
            f"# Numeric: {', '.join(str(i + 1) for i in self.numeric)}.",
        ]
        if self.numeric or self.has_ranges:
            shown = " , ".join(f"{i + 1} [{_number(a)}-{_number(b)}]" for i, (a, b) in self.ranges.items())
            lines.append(f"# Ranges: {shown} .")
        lines += [f"# Bin_Size: {self.n_bins}", f"# Version 4{' (Hashed)' if self.is_hashed else ''}", "#"]
        return "\n".join(lines) + "\n"


def _number(number: float) -> str:
    return format(number, ".6g")


@dataclass(frozen=True, eq=False)
class Nodes:
    """A tree whose values and classes are numbers in TiMBL's order, from 0, and the names behind these numbers.

    `exemplars[i]` is the weight of the i-th count, where cases have weights; inner nodes have none (NaN).
    """

    tree: Tree
    values: Sequence[str]
    classes: Sequence[str]
    exemplars: np.ndarray | None = None


def base_text(header: Header, nodes: Nodes, keep_distributions: bool) -> Iterator[str]:
    """Yield the text of an instance base, part by part."""
    yield header.text()
    classes = [escape(label) for label in nodes.classes]
    values = [escape(value) for value in nodes.values]
    if header.is_hashed:
        yield "Classes\n" + "".join(f"{i}\t{label}\n" for i, label in enumerate(classes, 1))
        yield "Features\n" + "".join(f"{i}\t{value}\n" for i, value in enumerate(values, 1)) + "\n"
    yield _tree_text(header, nodes, classes, values, keep_distributions)


def _tree_text(header: Header, nodes: Nodes, classes: list[str], values: list[str], keep_distributions: bool) -> str:
    """Return the tree as text, built from its last node to its first: children come after their parents."""
    tree = nodes.tree
    children, first_count = tree.first_child.tolist(), tree.first_count.tolist()
    is_hashed = header.is_hashed
    names = [str(i) for i in range(1, len(classes) + 1)] if is_hashed else classes
    counts = [f"{names[c]} {n:.0f}" for c, n in zip(tree.count_label.tolist(), tree.count.tolist())]
    if nodes.exemplars is not None:
        weights = nodes.exemplars.tolist()
        counts = [count if weight != weight else f"{count} {weight:.6g}" for count, weight in zip(counts, weights)]
    labels, branch = tree.label.tolist(), tree.value.tolist()
    texts: list[str] = [""] * tree.n_nodes
    for node in range(tree.n_nodes - 1, -1, -1):
        a, b = children[node], children[node + 1]
        is_shown = keep_distributions or node == 0 or (a == b and not header.is_pruned)
        entries = counts[first_count[node] : first_count[node + 1]] if is_shown else []
        shown = f"{{ {', '.join(entries)} }}" if is_shown else ""
        below = f"[{','.join(texts[a:b])}]\n" if a != b else ""
        texts[a:b] = [""] * (b - a)
        label = names[labels[node]] if is_hashed else f"{names[labels[node]]} "
        value = ""
        if node:
            blanks = "" if is_hashed else " " if node < children[1] else "  "  # one behind the children of the root
            value = f"{branch[node] + 1 if is_hashed else values[branch[node]]}{blanks}"
        texts[node] = f"{value}({label}{shown}{below})\n"
    return texts[0]


@dataclass(frozen=True, eq=False)
class Base:
    """The contents of an instance base: its header, names, and its nodes in the order of the file.

    Node i has the value `value[i]` (a number into `values`), the default class `label[i]`, the parent `parent[i]`
    and the level `level[i]`; the root is node 0. `counts` are (node, class, frequency, weight or None).
    """

    path: str
    header: Header
    classes: list[str]
    values: list[str]
    value: list[int]
    label: list[int]
    parent: list[int]
    level: list[int]
    counts: list[tuple[int, int, float, float | None]]

    def paths(self, nodes: Sequence[int]) -> np.ndarray:
        """Return the values from the root down to each of some leaves, one row each."""
        rows = np.empty((len(nodes), self.header.n_used), dtype=np.int64)
        at = np.array(nodes, dtype=np.int64)
        value, parent = np.array(self.value), np.array(self.parent)
        for level in range(self.header.n_used - 1, -1, -1):
            rows[:, level] = value[at]
            at = parent[at]
        return rows


def read_base(path: str, text: str) -> Base:
    """Parse an instance base; an error names the line of the damage."""
    reader = _Reader(path, text)
    try:
        return reader.base()
    except CasebaseError:
        raise
    except (ValueError, OverflowError):  # digits of other scripts, two decimal points, thousands of digits
        raise reader.wrong("numbers that can be read") from None


class _Reader:
    """Parser of an instance base that knows its position."""

    def __init__(self, path: str, text: str) -> None:
        self.path, self.text, self.at = path, text, 0

    def wrong(self, expected: str, at: int | None = None) -> FormatError:
        at = self.at if at is None else at
        line = self.text.count("\n", 0, at) + 1
        got = self.text[at : at + 30].split("\n")[0]
        return FormatError(
            f"{self.path}, line {line}: expected {expected}, got {got!r}. The instance base is damaged, or no "
            "instance base of TiMBL."
        )

    def base(self) -> Base:
        header = self._header()
        classes: list[str] = []
        values: list[str] = []
        if header.is_hashed:
            classes, values = self._names("Classes"), self._names("Features")
        base = Base(self.path, header, classes, values, [], [], [], [], [])
        self._read_nodes(base)
        return base

    def _line(self) -> str:
        end = self.text.find("\n", self.at)
        end = len(self.text) if end < 0 else end
        line = self.text[self.at : end]
        self.at = min(end + 1, len(self.text))
        return line

    def _header(self) -> Header:
        found: dict[str, str] = {}
        while self.text.startswith("#", self.at):
            begin = self.at
            line = self._line()
            if line.strip() == "#":
                break
            match = _HEADER.fullmatch(line)
            if match is None:
                raise self.wrong("a line of the header", begin)
            found[match[1]] = match[2].strip()
        for name in ("Status", "Permutation", "Numeric", "Bin_Size", "Version"):
            if name not in found:
                raise FormatError(
                    f"{self.path}: expected '# {name}' in the first lines. Is it an instance base of TiMBL?"
                )
        if found["Status"] not in ("complete", "pruned"):
            raise FormatError(f"{self.path}: expected the status 'complete' or 'pruned', got {found['Status']!r}.")
        order, n_used = self._permutation(found["Permutation"])
        numeric = self._numeric(found["Numeric"], len(order))
        return Header(
            found["Status"] == "pruned",
            order,
            n_used,
            numeric,
            self._ranges(found.get("Ranges", "")),
            self._bins(found["Bin_Size"]),
            "Hashed" in found["Version"],
        )

    def _bins(self, text: str) -> int:
        if not text.isdigit() or int(text) == 0:
            raise FormatError(f"{self.path}: expected a number behind '# Bin_Size:', got {text!r}.")
        return int(text)

    def _numeric(self, text: str, n_features: int) -> list[int]:
        numbers = text.removesuffix(".").replace(",", " ").split()
        if not all(number.isdigit() and 1 <= int(number) <= n_features for number in numbers):
            raise FormatError(
                f"{self.path}: expected features from 1 to {n_features} behind '# Numeric:', got {text[:60]!r}."
            )
        return [int(number) - 1 for number in numbers]

    def _permutation(self, text: str) -> tuple[list[int], int]:
        match = re.fullmatch(r"<\s*([0-9]+(?:[,!]\s*[0-9]+)*)\s*>", text)
        numbers = [int(number) - 1 for number in re.findall(r"\d+", text)]
        if match is None or sorted(numbers) != list(range(len(numbers))) or text.count("!") > 1:
            raise FormatError(
                f"{self.path}: expected every feature once behind '# Permutation:', as < 2, 1, 3 >; got {text[:60]!r}."
            )
        used = text.split("!")[0] if "!" in text else text
        return numbers, len(re.findall(r"\d+", used))

    def _ranges(self, text: str) -> dict[int, tuple[float, float]]:
        number = r"-?[0-9.]+(?:[eE][+-]?[0-9]+)?"
        found = re.findall(rf"(\d+) \[({number})-({number})\]", text)
        return {int(i) - 1: (float(a), float(b)) for i, a, b in found}

    def _names(self, title: str) -> list[str]:
        begin = self.at
        if self._line().strip() != title:
            raise self.wrong(f"the list of {title.lower()}", begin)
        names: list[str] = []
        while self.at < len(self.text) and not self.text.startswith(("Features\n", "\n"), self.at):
            begin = self.at
            number, tab, name = self._line().partition("\t")
            if number != str(len(names) + 1) or not tab or not name:
                raise self.wrong(f"number {len(names) + 1}, a TAB and a name in the list of {title.lower()}", begin)
            names.append(unescape(name))
        if len(set(names)) < len(names):
            raise FormatError(f"{self.path}: expected every name once in the list of {title.lower()}.")
        if title == "Features":
            self._line()
        if not names and title == "Classes":
            raise self.wrong("at least one class")
        return names

    def _read_nodes(self, base: Base) -> None:
        """Add the nodes of the tree to a base that has none yet."""
        opening = _HASHED if base.header.is_hashed else _NAMED
        numbers = _Numbers(base.classes), _Numbers(base.values)
        open_nodes: list[int] = []
        self._skip_blanks()
        while True:
            match = opening.match(self.text, self.at)
            if match is None or (match[1] is None) == bool(base.value):
                raise self.wrong(
                    "a node: its value, a bracket and a class" if base.value else "the root of the tree: ("
                )
            self._add_node(base, match, open_nodes, *numbers)
            self.at = match.end()
            self._skip_blanks()
            if match[4] == "[":
                open_nodes.append(len(base.value) - 1)
                continue
            while open_nodes and (closed := _CLOSING.match(self.text, self.at)):
                self.at = closed.end()
                open_nodes.pop()
            if not open_nodes:
                break
            if not self.text.startswith(",", self.at):
                raise self.wrong("',' and another node, or ']'")
            self.at += 1
        if self.at < len(self.text):
            raise self.wrong("nothing below the tree")

    def _add_node(
        self, base: Base, match: re.Match[str], open_nodes: list[int], classes: "_Numbers", values: "_Numbers"
    ) -> None:
        if len(open_nodes) > base.header.n_used:
            raise self.wrong(f"at most {base.header.n_used} levels")
        number = self._listed_number if base.header.is_hashed else self._number_of
        node = len(base.value)
        base.value.append(-1 if match[1] is None else number(match[1], values, "value"))
        for name, frequency, weight in _COUNTS.findall(match[3] or ""):
            count = float(frequency), float(weight) if weight else None
            if not 0 < count[0] <= MOST or not 0 < (1.0 if count[1] is None else count[1]) < np.inf:
                raise self.wrong("counts of at least 1, and weights above 0", match.start(3))
            base.counts.append((node, number(name, classes, "class"), *count))
        # After the counts: in a tree of names, those of the root define the order of the classes.
        base.label.append(number(match[2], classes, "class"))
        base.parent.append(open_nodes[-1] if open_nodes else -1)
        base.level.append(len(open_nodes))

    def _listed_number(self, text: str, numbers: "_Numbers", what: str) -> int:
        """Return a number into a list of names, from 0."""
        if not 1 <= int(text) <= len(numbers.names):
            raise self.wrong(f"the number of a {what}, 1 to {len(numbers.names)}")
        return int(text) - 1

    def _number_of(self, text: str, numbers: "_Numbers", what: str) -> int:
        """Return the number of a name, a new one at its first occurrence."""
        name = unescape(text)
        if name not in numbers.of_name:
            numbers.of_name[name] = len(numbers.names)
            numbers.names.append(name)
        return numbers.of_name[name]

    def _skip_blanks(self) -> None:
        blanks = _BLANKS.match(self.text, self.at)
        assert blanks is not None  # the pattern matches the empty text
        self.at = blanks.end()


@dataclass(frozen=True)
class _Numbers:
    """Names by number, and numbers by name for a tree of names."""

    names: list[str]
    of_name: dict[str, int] = field(default_factory=dict)


def check_numeric(base: Base, numeric: set[int]) -> None:
    """Refuse a base with numeric features that the metric does not declare."""
    undeclared = [i + 1 for i in base.header.numeric if i not in numeric]
    if undeclared:
        ranges = feature_ranges(undeclared)
        raise FormatError(
            f"{base.path}: feature {undeclared[0]} is numeric in this instance base. Declare it: -m O:N{ranges}."
        )
