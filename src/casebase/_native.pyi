"""The signatures of the compiled core."""

from collections.abc import Callable, Sequence
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

class _TreeArrays(TypedDict):
    first_child: NDArray[np.uint32]
    value: NDArray[np.uint32]
    label: NDArray[np.uint32]
    first_count: NDArray[np.uint64]
    count_label: NDArray[np.uint32]
    count: NDArray[np.float64]

class _Tree(_TreeArrays):
    begin: NDArray[np.uint32]
    end: NDArray[np.uint32]

class _DecisionTree(_TreeArrays):
    column: NDArray[np.int32]
    threshold: NDArray[np.float64]

class _PerceptronTree(_DecisionTree):
    node: NDArray[np.uint32]
    first_class: NDArray[np.uint32]
    class_label: NDArray[np.uint32]
    first_input: NDArray[np.uint32]
    input_feature: NDArray[np.uint32]
    input_value: NDArray[np.uint32]
    first_weight: NDArray[np.uint64]
    weight: NDArray[np.int32]
    precision: NDArray[np.uint8]

class _Graph(TypedDict):
    level: NDArray[np.uint32]
    first_edge: NDArray[np.uint32]
    edge_value: NDArray[np.uint32]
    edge_target: NDArray[np.uint32]
    otherwise: NDArray[np.uint32]
    label: NDArray[np.uint32]
    first_count: NDArray[np.uint64]
    count_label: NDArray[np.uint32]
    count: NDArray[np.float64]
    n_tree_nodes: int

class _Found(TypedDict):
    distance: NDArray[np.float64]
    n_rows: NDArray[np.uint32]
    n_groups: NDArray[np.uint32]
    rows: NDArray[np.uint32]
    is_exact: NDArray[np.uint8]

class _Tally(TypedDict):
    label: NDArray[np.uint32]
    is_tied: NDArray[np.uint8]
    first_vote: NDArray[np.uint64]
    vote_label: NDArray[np.uint32]
    votes: NDArray[np.float64]

class _SmileAnswers(TypedDict):
    label: NDArray[np.uint32]
    is_tied: NDArray[np.uint8]
    n_joints: NDArray[np.uint32]
    n_votes: NDArray[np.uint32]
    vote_label: NDArray[np.uint32]
    votes: NDArray[np.float64]

class _Pooled(TypedDict):
    label: NDArray[np.uint32]
    is_tied: NDArray[np.uint8]
    disagreements: NDArray[np.uint32]
    n_groups: NDArray[np.uint32]
    groups: NDArray[np.uint32]
    n_votes: NDArray[np.uint32]
    vote_label: NDArray[np.uint32]
    votes: NDArray[np.float64]

def entropy_terms(shares: NDArray[np.float64]) -> NDArray[np.float64]: ...
def entropies_as_met(
    cells: NDArray[np.int64],
    counts: NDArray[np.float64],
    changed: NDArray[np.int64],
    differences: NDArray[np.float64],
    values: NDArray[np.int64],
    class_rank: NDArray[np.uint32],
) -> NDArray[np.float64]: ...
def find_cases(
    columns: Sequence[np.ndarray],
    labels: NDArray[np.uint32],
    removed: NDArray[np.uint8] | None,
    codes: NDArray[np.uint32],
    asked: NDArray[np.uint32],
) -> NDArray[np.uint32]: ...
def lexicographic_order(columns: Sequence[np.ndarray], n_rows: int) -> NDArray[np.uint32]: ...
def contingency(
    codes: np.ndarray,
    labels: NDArray[np.uint32],
    counts: NDArray[np.float64] | None,
    n_values: int,
    n_classes: int,
) -> tuple[NDArray[np.uint64], NDArray[np.uint32], NDArray[np.float64]]: ...

class TreeStream:
    def __init__(
        self, n_levels: int, frequency: NDArray[np.float64], rank: NDArray[np.uint32], compress: bool
    ) -> None: ...
    def add(
        self, columns: Sequence[np.ndarray], labels: NDArray[np.uint32], counts: NDArray[np.float64] | None
    ) -> None: ...
    def finish(self) -> _Tree: ...

def correct_tree(
    first_child: NDArray[np.uint32],
    value: NDArray[np.uint32],
    label: NDArray[np.uint32],
    first_count: NDArray[np.uint64],
    count_label: NDArray[np.uint32],
    count: NDArray[np.float64],
    segments: Sequence[
        tuple[list[np.ndarray], NDArray[np.uint32], NDArray[np.float64] | None, NDArray[np.uint8] | None]
    ],
    changed: Sequence[np.ndarray],
    changed_labels: NDArray[np.uint32],
    differences: NDArray[np.float64],
    frequency: NDArray[np.float64],
    rank: NDArray[np.uint32],
    compress: bool,
) -> _TreeArrays: ...
def walk_tree(
    first_child: NDArray[np.uint32],
    value: NDArray[np.uint32],
    queries: Sequence[np.ndarray],
    n_queries: int,
    n_threads: int,
) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]: ...
def grow_decision_tree(
    columns: Sequence[np.ndarray],
    n_values: Sequence[int],
    missing: Sequence[int],
    is_wide: Sequence[bool],
    labels: NDArray[np.uint32],
    weights: NDArray[np.float64] | None,
    frequency: NDArray[np.float64],
    rank: NDArray[np.uint32],
    by_ratio: bool,
    above_average: bool,
    goes_on: bool,
    cuts_cost: bool,
    is_fractional: bool,
    min_cases: float,
    max_depth: int,
) -> _DecisionTree: ...
def prune_decision_tree(
    column: NDArray[np.int32],
    threshold: NDArray[np.float64],
    first_child: NDArray[np.uint32],
    value: NDArray[np.uint32],
    label: NDArray[np.uint32],
    first_count: NDArray[np.uint64],
    count_label: NDArray[np.uint32],
    count: NDArray[np.float64],
    columns: Sequence[np.ndarray],
    missing: Sequence[int],
    labels: NDArray[np.uint32],
    weights: NDArray[np.float64] | None,
    frequency: NDArray[np.float64],
    rank: NDArray[np.uint32],
    is_fractional: bool,
    confidence: float,
    deviations: float,
    collapses: bool,
    prunes: bool,
    raises: bool,
) -> _DecisionTree: ...
def walk_decision_tree(
    column: NDArray[np.int32],
    threshold: NDArray[np.float64],
    first_child: NDArray[np.uint32],
    value: NDArray[np.uint32],
    n_cases: NDArray[np.float64],
    queries: Sequence[np.ndarray],
    missing: Sequence[int],
    is_fractional: bool,
    n_queries: int,
    n_threads: int,
) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.float64]]: ...

class ValueLists:
    def __init__(
        self,
        columns: Sequence[np.ndarray],
        first_count: NDArray[np.uint64],
        count_label: NDArray[np.uint32],
        count: NDArray[np.float64],
        n_classes: int,
        without_single: bool,
    ) -> None: ...

def eliminate(
    columns: Sequence[np.ndarray],
    first_count: NDArray[np.uint64],
    count_label: NDArray[np.uint32],
    count: NDArray[np.float64],
    asked: Sequence[np.ndarray],
    are_stored: bool,
    at_most: NDArray[np.uint32],
    first_kind: NDArray[np.uint64],
    label: NDArray[np.uint32],
    left_out: NDArray[np.float64],
    amount: NDArray[np.float64],
    begin: int,
    end: int,
    frequency: NDArray[np.float64],
    rank: NDArray[np.uint32],
    wanted: NDArray[np.uint8],
    lists: ValueLists | None,
    n_threads: int,
) -> tuple[NDArray[np.float64], NDArray[np.uint32]]: ...
def pool_nearest(
    columns: Sequence[np.ndarray],
    first_count: NDArray[np.uint64],
    count_label: NDArray[np.uint32],
    count: NDArray[np.float64],
    asked: Sequence[np.ndarray],
    n_asked: int,
    frequency: NDArray[np.float64],
    rank: NDArray[np.uint32],
    list_groups: bool,
    lists: ValueLists | None,
    n_threads: int,
) -> _Pooled: ...
def explain_bus_errors(is_on: bool) -> None: ...
def hear_bus_errors() -> None: ...

class WatchedMemory:
    def __init__(self, address: int, n_bytes: int) -> None: ...
    @property
    def is_damaged(self) -> bool: ...

def log(numbers: NDArray[np.float64]) -> NDArray[np.float64]: ...
def log2(numbers: NDArray[np.float64]) -> NDArray[np.float64]: ...
def log1p(numbers: NDArray[np.float64]) -> NDArray[np.float64]: ...
def exp(numbers: NDArray[np.float64]) -> NDArray[np.float64]: ...
def power(numbers: NDArray[np.float64], exponent: float) -> NDArray[np.float64]: ...
def relief_sums(
    columns: Sequence[np.ndarray],
    missing: Sequence[tuple[NDArray[np.uint32], NDArray[np.float64], NDArray[np.uint32]] | None],
    labels: NDArray[np.uint32],
    weights: NDArray[np.float64],
    share: NDArray[np.float64],
    asked: NDArray[np.uint32],
    times: NDArray[np.float64],
    n_neighbours: float,
    n_threads: int,
) -> NDArray[np.float64]: ...
def tally(
    n_groups: NDArray[np.uint32],
    group_weight: NDArray[np.float64],
    n_rows: NDArray[np.uint32],
    rows: NDArray[np.uint32],
    segments: Sequence[tuple[NDArray[np.uint32], NDArray[np.float64] | None]],
    frequency: NDArray[np.float64],
    rank: NDArray[np.uint32],
) -> _Tally: ...

class ValueDifference:
    def __init__(
        self,
        kind: str,
        start: NDArray[np.uint64],
        label: NDArray[np.uint32],
        count: NDArray[np.float64],
        n_classes: int,
        threshold: float,
        unknown_cost: float,
        lists_emptied: bool,
    ) -> None: ...

class Texts:
    def __init__(self, characters: NDArray[np.uint32], start: NDArray[np.int64]) -> None: ...

class TextDistance:
    def __init__(self, kind: str, stored: Texts, unknown_cost: float) -> None: ...

class Asked:
    def __init__(
        self,
        columns: Sequence[np.ndarray],
        n_questions: int,
        weights: NDArray[np.float64],
        ranges: NDArray[np.float64],
        sum_order: NDArray[np.uint32],
        scopes: NDArray[np.uint32],
        own_labels: NDArray[np.uint32] | None,
        own_counts: NDArray[np.float64] | None,
        texts: list[Texts | None],
        within: NDArray[np.float64] | None = None,
    ) -> None: ...

class Search:
    def __init__(
        self,
        segments: Sequence[
            tuple[list[np.ndarray], NDArray[np.uint32], NDArray[np.uint8] | None, NDArray[np.float64] | None]
        ],
        comparisons: list[object],
        missing_agrees: bool,
        is_rooted: bool,
        similarity: str,
    ) -> None: ...
    def nearest(
        self, asked: Asked, k: int, exact: str, n_threads: int, enough: int = ..., are_joined: bool = ...
    ) -> _Found: ...
    def shared_features(self, asked: Asked, walk: NDArray[np.uint32], n_threads: int) -> NDArray[np.uint32]: ...
    def feature_costs(
        self, asked: Asked, n_rows: NDArray[np.uint32], rows: NDArray[np.uint32]
    ) -> NDArray[np.float64]: ...

class TreeOfArrays:
    def __init__(
        self,
        first_child: NDArray[np.uint32],
        value: NDArray[np.uint32],
        label: NDArray[np.uint32],
        first_count: NDArray[np.uint64],
        count_label: NDArray[np.uint32],
        count: NDArray[np.float64],
    ) -> None: ...

class CasesOfArrays:
    def __init__(
        self,
        search: Search,
        weights: NDArray[np.float64],
        ranges: NDArray[np.float64],
        sum_order: NDArray[np.uint32],
        segments: Sequence[tuple[NDArray[np.uint32], NDArray[np.float64] | None]],
        n_cases: int,
        k: int,
        exact: str,
        vote: str,
        retries_exact: bool,
        alpha: float,
        beta: float,
    ) -> None: ...

class CaseBase:
    def __init__(
        self,
        n_features: int,
        tree: TreeOfArrays | None,
        n_levels: int,
        cases: CasesOfArrays | None,
        search: Search | None,
        frequency: NDArray[np.float64],
        rank: NDArray[np.uint32],
    ) -> None: ...

def tag_text(
    asked: Sequence[tuple[CaseBase, Sequence[tuple[NDArray[np.uint32] | None, int, np.ndarray]], NDArray[np.uint32]]],
    first: NDArray[np.uint64],
    which: NDArray[np.uint8],
    n_tags: int,
    beam: int,
    n_threads: int,
) -> NDArray[np.uint32]: ...

class AskedTree: ...

class ContextTree(AskedTree):
    def __init__(
        self,
        first_child: NDArray[np.uint32],
        value: NDArray[np.uint32],
        first_count: NDArray[np.uint32],
        count_tag: NDArray[np.uint32],
        count: NDArray[np.uint32],
        n_tags: int,
    ) -> None: ...

# A level of a memory: codes by token, codes by tag, the place, the code of places outside.
_Level = tuple[NDArray[np.uint32] | None, NDArray[np.uint32] | None, int, int]
_Memories = tuple[Sequence[tuple[AskedTree, Sequence[_Level], Sequence[float]]], float, float, float]
_WordTags = tuple[
    NDArray[np.uint64],
    NDArray[np.uint32],
    NDArray[np.uint32],
    NDArray[np.uint32],
    float,
    float,
    int,
    float,
    NDArray[np.float64],
]

class LiveTree(AskedTree):
    def counts(self, node: int) -> list[tuple[int, int]]: ...
    def path(self, codes: NDArray[np.uint32]) -> list[int]: ...

_Pairs = tuple[NDArray[np.uint32], NDArray[np.uint32]]

class LiveCorpus:
    def __init__(
        self,
        word: NDArray[np.uint32],
        columns: Sequence[NDArray[np.uint32]],
        tags: NDArray[np.uint32],
        first: NDArray[np.uint64],
        is_rare: NDArray[np.uint8],
        bases: Sequence[tuple[int, NDArray[np.uint32] | None, NDArray[np.uint32] | None, int, int]],
        windows: Sequence[tuple[Sequence[tuple[int, int]], bool]],
        n_tags: int,
        n_entries: Sequence[int],
    ) -> None: ...
    def apply(
        self,
        removed: NDArray[np.uint32],
        word: NDArray[np.uint32],
        columns: Sequence[NDArray[np.uint32]],
        tags: NDArray[np.uint32],
        first: NDArray[np.uint64],
        recoded: Sequence[_Pairs],
        moved: _Pairs,
        rare: tuple[NDArray[np.uint32], NDArray[np.uint8]],
        n_entries: Sequence[int],
        places: NDArray[np.uint32] | None = None,
    ) -> list[tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint32]]]: ...
    def keep_first(self, places: NDArray[np.uint32]) -> None: ...
    def first_met(self, window: int, level: int) -> NDArray[np.uint64]: ...
    def matching(self, window: int, levels: Sequence[int], values: NDArray[np.uint32]) -> NDArray[np.uint32]: ...
    def tokens_of(self, word: int) -> NDArray[np.uint32]: ...
    def tokens_looked_up_as(self, word: int) -> NDArray[np.uint32]: ...
    def about(
        self, tokens: NDArray[np.uint32]
    ) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint32]]: ...
    def first_word(self, sentence: int) -> int: ...
    @property
    def n_tokens(self) -> int: ...

class LiveCommittee(LiveCorpus):
    def __init__(
        self,
        word: NDArray[np.uint32],
        columns: Sequence[NDArray[np.uint32]],
        tags: NDArray[np.uint32],
        first: NDArray[np.uint64],
        is_rare: NDArray[np.uint8],
        bases: Sequence[tuple[int, NDArray[np.uint32] | None, NDArray[np.uint32] | None, int, int]],
        windows: Sequence[tuple[Sequence[tuple[int, int]], bool]],
        n_tags: int,
        n_entries: Sequence[int],
        trees: Sequence[tuple[ContextTree, bool]],
    ) -> None: ...
    def apply(  # type: ignore[override]
        self,
        removed: NDArray[np.uint32],
        word: NDArray[np.uint32],
        columns: Sequence[NDArray[np.uint32]],
        tags: NDArray[np.uint32],
        first: NDArray[np.uint64],
        recoded: Sequence[_Pairs],
        moved: _Pairs,
        rare: tuple[NDArray[np.uint32], NDArray[np.uint8]],
        n_entries: Sequence[int],
    ) -> None: ...
    def tree(self, memory: int) -> LiveTree: ...
    @property
    def n_nodes(self) -> int: ...

class ContextStream:
    def __init__(self, n_levels: int, n_tags: int, splits_pure: bool) -> None: ...
    def add(
        self, columns: Sequence[NDArray[np.uint32]], tags: NDArray[np.uint32], times: NDArray[np.uint32]
    ) -> None: ...
    def finish(
        self,
    ) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint32]]: ...

def grow_contexts(
    lessons: Sequence[tuple[Sequence[_Level], NDArray[np.uint32]]],
    first: NDArray[np.uint64],
    tags: NDArray[np.uint32],
    n_tags: int,
    splits_pure: bool,
    n_threads: int,
) -> list[
    tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint32]]
]: ...

class TextIndex:
    def __init__(self, bytes: NDArray[np.uint8], offsets: NDArray[np.int32]) -> None: ...
    def find(self, bytes: NDArray[np.uint8], offsets: NDArray[np.int32]) -> NDArray[np.int64]: ...

class Spelling:
    def __init__(
        self,
        lexicon: TextIndex,
        class_of: NDArray[np.int64],
        bytes: NDArray[np.uint8],
        offsets: NDArray[np.int32],
    ) -> None: ...
    def codes(
        self,
        kind: str,
        n: int,
        vocabulary: TextIndex,
        bytes: NDArray[np.uint8],
        offsets: NDArray[np.int32],
        unknown: int,
        not_asked: int,
    ) -> NDArray[np.uint32]: ...

class KeptCandidates:
    def __init__(self, n_words: int) -> None: ...

def tag_by_committee(
    form: _Memories,
    known: _Memories,
    unknown: _Memories,
    early: tuple[_Memories, float],
    words: _WordTags,
    first: NDArray[np.uint64],
    word: NDArray[np.uint32],
    lexical: NDArray[np.int32],
    form_of_word: bool,
    kept: KeptCandidates,
    beam: int,
    n_threads: int,
) -> NDArray[np.uint32]: ...
def committee_doubts(
    form: _Memories,
    known: _Memories,
    unknown: _Memories,
    early: tuple[_Memories, float],
    words: _WordTags,
    first: NDArray[np.uint64],
    word: NDArray[np.uint32],
    lexical: NDArray[np.int32],
    form_of_word: bool,
    kept: KeptCandidates,
    tags: NDArray[np.uint32],
    n_threads: int,
) -> NDArray[np.float64]: ...
def committee_terms(
    form: _Memories,
    known: _Memories,
    unknown: _Memories,
    early: tuple[_Memories, float],
    words: _WordTags,
    first: NDArray[np.uint64],
    word: NDArray[np.uint32],
    lexical: NDArray[np.int32],
    form_of_word: bool,
    tags: NDArray[np.uint32],
    of_unknown: bool,
) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.float32]]: ...
def committee_opinion(
    form: _Memories,
    known: _Memories,
    unknown: _Memories,
    early: tuple[_Memories, float],
    words: _WordTags,
    first: NDArray[np.uint64],
    word: NDArray[np.uint32],
    lexical: NDArray[np.int32],
    tags: NDArray[np.uint32],
    token: int,
) -> tuple[bool, list[int], list[float], list[float], list[list[float]], list[list[int]]]: ...

class MemoryImages:
    def __init__(
        self,
        columns: Sequence[np.ndarray],
        n_rows: int,
        first_entry: NDArray[np.uint32],
        label: NDArray[np.uint32],
        count: NDArray[np.float64],
        n_classes: int,
    ) -> None: ...
    def answer(
        self,
        columns: Sequence[np.ndarray],
        n_questions: int,
        alpha: float,
        by_size: bool,
        frequency: NDArray[np.float64],
        rank: NDArray[np.uint32],
        n_threads: int,
    ) -> _SmileAnswers: ...
    def joints(
        self, columns: Sequence[np.ndarray], n_questions: int, question: int, alpha: float
    ) -> NDArray[np.uint64]: ...
    def leave_one_out(
        self,
        entries: NDArray[np.uint32],
        missing: NDArray[np.uint32],
        alphas: NDArray[np.float64],
        by_size: bool,
        frequency: NDArray[np.float64],
        rank: NDArray[np.uint32],
        n_threads: int,
    ) -> NDArray[np.uint32]: ...

class HittingSets:
    def __init__(self, n_elements: int) -> None: ...
    def add(self, set: list[int]) -> None: ...
    def find(
        self,
        chosen: list[int],
        candidates: list[int],
        size: int,
        missed: Callable[[list[int]], list[list[int]]],
        step: Callable[[int], object],
    ) -> list[int] | None: ...

class Covering:
    def __init__(
        self,
        first: NDArray[np.uint64],
        examples: NDArray[np.uint32],
        n_examples: int,
        weights: NDArray[np.float64] | None,
    ) -> None: ...
    def price(self, cost: NDArray[np.float64]) -> None: ...
    def costs(self, targets: NDArray[np.uint32], n_threads: int) -> NDArray[np.float64]: ...
    def cover(self, target: int) -> tuple[NDArray[np.uint32], NDArray[np.float64], NDArray[np.uint32]]: ...

def split_text(
    text: NDArray[np.uint8],
    mode: str,
    separator: str = "\t",
    width: int = 1,
    n_fields: int = 0,
    n_threads: int = 1,
) -> tuple[
    list[tuple[NDArray[np.uint32], NDArray[np.uint8], NDArray[np.int32]]],
    tuple[str, int, int] | None,
]: ...
def token_lines(
    text: NDArray[np.uint8],
) -> tuple[tuple[NDArray[np.uint32], NDArray[np.uint8], NDArray[np.int32]], NDArray[np.int64], bool]: ...
def tagged_lines(
    word: NDArray[np.int64],
    bytes: NDArray[np.uint8],
    offsets: NDArray[np.int32],
    lines: NDArray[np.int64],
    tags: list[str],
) -> str: ...

class ListedLines:
    def __init__(
        self,
        text: NDArray[np.uint8],
        has_values: bool,
        has_class: bool,
        absent: str,
        n_most: int,
        n_threads: int = 1,
    ) -> None: ...
    @property
    def n_rows(self) -> int: ...
    @property
    def n_listed(self) -> int: ...
    @property
    def largest(self) -> int: ...
    @property
    def is_full(self) -> bool: ...
    @property
    def problem(self) -> tuple[str, int, bytes] | None: ...
    @property
    def outside(self) -> tuple[int, int] | None: ...
    def columns(self) -> list[tuple[int, tuple[NDArray[np.uint32], NDArray[np.uint8], NDArray[np.int32]]]]: ...
    def classes(self) -> tuple[NDArray[np.uint32], NDArray[np.uint8], NDArray[np.int32]]: ...

def row_end(text: NDArray[np.uint8], separator: str) -> tuple[int, bool]: ...

class Patterns:
    def __init__(
        self,
        text: NDArray[np.uint32],
        first: NDArray[np.uint64],
        is_classes: NDArray[np.uint8],
        offset: NDArray[np.uint32],
        level: NDArray[np.uint16],
        letters: NDArray[np.uint32],
        classes: NDArray[np.uint32],
        default_allows: bool,
        left_min: int,
        right_min: int,
    ) -> None: ...
    def breaks(
        self, text: NDArray[np.uint32], first: NDArray[np.uint64], marks: NDArray[np.uint32], n_threads: int
    ) -> NDArray[np.uint8]: ...
    def places(self, word: str) -> list[int]: ...
    def occurrences(
        self, text: NDArray[np.uint32], first: NDArray[np.uint64]
    ) -> tuple[NDArray[np.uint32], NDArray[np.uint64]]: ...

def separate(
    text: NDArray[np.uint32],
    first: NDArray[np.uint64],
    is_break: NDArray[np.uint8],
    separator: NDArray[np.uint32],
) -> tuple[NDArray[np.uint32], NDArray[np.uint64]]: ...
def find_levels(
    rows: Sequence[NDArray[np.uint32]],
    place: NDArray[np.uint32],
    begin: NDArray[np.uint32],
    end: NDArray[np.uint32],
    is_break: NDArray[np.uint8],
    weights: NDArray[np.float64] | None,
    given_breaks: NDArray[np.uint8],
    given_bonds: NDArray[np.uint8],
    max_length: Sequence[int],
    steps: Sequence[tuple[int, int, float, bool]],
    forbidden: Sequence[tuple[int, int, Sequence[int]]],
) -> dict[str, np.ndarray]: ...

class StringPatterns:
    def __init__(
        self,
        text: NDArray[np.uint32],
        first: NDArray[np.uint64],
        kind: NDArray[np.uint8],
        offset: NDArray[np.uint32],
        letters: NDArray[np.uint32],
        classes: NDArray[np.uint32],
        has_edges: bool,
    ) -> None: ...
    def first_match(
        self,
        text: NDArray[np.uint32],
        first: NDArray[np.uint64],
        word: NDArray[np.uint32],
        place: NDArray[np.uint32],
        n_threads: int,
    ) -> NDArray[np.uint32]: ...
    def matches(
        self,
        text: NDArray[np.uint32],
        first: NDArray[np.uint64],
        word: NDArray[np.uint32],
        place: NDArray[np.uint32],
    ) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]: ...

def find_pieces(
    rows: Sequence[NDArray[np.uint32]],
    place: NDArray[np.uint32],
    begin: NDArray[np.uint32],
    end: NDArray[np.uint32],
    max_length: Sequence[int],
    has_place: bool,
    has_anywhere: bool,
    has_around: bool,
    mark: int,
    forbidden: Sequence[tuple[int, Sequence[int]]],
) -> dict[str, np.ndarray]: ...
def grow_perceptron_tree(
    columns: Sequence[np.ndarray],
    n_values: Sequence[int],
    inputs: Sequence[np.ndarray],
    labels: NDArray[np.uint32],
    weights: NDArray[np.float64],
    group: NDArray[np.uint32],
    group_label: NDArray[np.uint32],
    frequency: NDArray[np.float64],
    rank: NDArray[np.uint32],
    max_passes: int,
    patience: int,
    seed: int,
    by_ratio: bool,
) -> _PerceptronTree: ...
def ask_machines(
    first_class: NDArray[np.uint32],
    class_label: NDArray[np.uint32],
    first_input: NDArray[np.uint32],
    input_feature: NDArray[np.uint32],
    input_value: NDArray[np.uint32],
    first_weight: NDArray[np.uint64],
    weight: NDArray[np.int32],
    place: NDArray[np.uint32],
    machine: NDArray[np.int32],
    rows: NDArray[np.uint32],
    columns: Sequence[np.ndarray],
    n_rows: int,
    n_threads: int,
) -> NDArray[np.uint32]: ...
def choose_levels(
    columns: Sequence[np.ndarray],
    first_count: NDArray[np.uint64],
    count_label: NDArray[np.uint32],
    count: NDArray[np.float64],
    frequency: NDArray[np.float64],
    rank: NDArray[np.uint32],
    by_ratio: bool,
    report: Callable[[float], object] | None,
) -> NDArray[np.uint32]: ...
def grow_graph(
    columns: Sequence[np.ndarray],
    first_count: NDArray[np.uint64],
    count_label: NDArray[np.uint32],
    count: NDArray[np.float64],
    frequency: NDArray[np.float64],
    rank: NDArray[np.uint32],
    merge: int,
    confidence: float,
    z: float,
    report: Callable[[float], object] | None,
) -> _Graph: ...
def choose_eodg_levels(
    columns: Sequence[np.ndarray],
    n_values: NDArray[np.uint32],
    labels: NDArray[np.uint32],
    weights: NDArray[np.float64],
    n_classes: int,
    most_in_conflict: float,
    report: Callable[[float], object] | None,
) -> tuple[NDArray[np.uint32], NDArray[np.float64]]: ...
def right_by_depth(
    levels: Sequence[np.ndarray],
    n_values: NDArray[np.uint32],
    labels: NDArray[np.uint32],
    weights: NDArray[np.float64],
    fold: NDArray[np.uint32],
    n_folds: int,
    frequency: NDArray[np.float64],
    rank: NDArray[np.uint32],
    report: Callable[[float], object] | None,
) -> NDArray[np.float64]: ...
def grow_eodg(
    columns: Sequence[np.ndarray],
    first_count: NDArray[np.uint64],
    count_label: NDArray[np.uint32],
    count: NDArray[np.float64],
    frequency: NDArray[np.float64],
    rank: NDArray[np.uint32],
    z: float,
    widest: int,
    report: Callable[[float], object] | None,
) -> _Graph: ...
def walk_graph(
    level: NDArray[np.uint32],
    first_edge: NDArray[np.uint32],
    edge_value: NDArray[np.uint32],
    edge_target: NDArray[np.uint32],
    otherwise: NDArray[np.uint32],
    columns: Sequence[np.ndarray],
    n_rows: int,
    n_threads: int,
) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]: ...

class _Forest(TypedDict):
    root: NDArray[np.uint32]
    feature: NDArray[np.uint32]
    split: NDArray[np.uint8]
    at: NDArray[np.uint32]
    left: NDArray[np.uint32]
    groups: NDArray[np.uint64]
    first_vote: NDArray[np.uint32]
    vote_label: NDArray[np.uint32]
    vote: NDArray[np.float64]

def grow_forest(
    codes: NDArray[np.uint16],
    labels: NDArray[np.uint32],
    weights: NDArray[np.float64] | None,
    n_codes: NDArray[np.uint32],
    is_ordered: NDArray[np.uint8],
    n_classes: int,
    first_tree: int,
    n_trees: int,
    n_tried: int,
    n_drawn: int,
    least: float,
    by_groups: bool,
    seed: int,
    n_threads: int,
) -> _Forest: ...
def forest_sample(tree: int, n_stored: int, n_drawn: int, seed: int) -> NDArray[np.uint32]: ...

class CaseForest:
    def __init__(
        self,
        root: NDArray[np.uint32],
        feature: NDArray[np.uint32],
        split: NDArray[np.uint8],
        at: NDArray[np.uint32],
        left: NDArray[np.uint32],
        groups: NDArray[np.uint64],
        first_vote: NDArray[np.uint32],
        vote_label: NDArray[np.uint32],
        vote: NDArray[np.float64],
        n_codes: NDArray[np.uint32],
        n_classes: int,
    ) -> None: ...
    def shares(self, codes: NDArray[np.uint16], n_threads: int) -> NDArray[np.float64]: ...
    def held_out(
        self,
        codes: NDArray[np.uint16],
        rows: NDArray[np.uint32],
        n_stored: int,
        n_drawn: int,
        seed: int,
        n_threads: int,
    ) -> tuple[NDArray[np.float64], NDArray[np.uint32]]: ...
    def leaves(
        self, codes: NDArray[np.uint16], first_tree: int, n_trees: int, n_threads: int
    ) -> NDArray[np.uint32]: ...

def pool_loss(
    opinions: NDArray[np.float64],
    labels: NDArray[np.uint32],
    weights: NDArray[np.float64] | None,
    exponents: NDArray[np.float64],
    bias: NDArray[np.float64],
    n_threads: int,
) -> tuple[float, NDArray[np.float64]]: ...
def pool_shares(
    opinions: NDArray[np.float64], exponents: NDArray[np.float64], bias: NDArray[np.float64], n_threads: int
) -> NDArray[np.float64]: ...
def kernel_loss(
    differences: NDArray[np.float32],
    labels: NDArray[np.uint32],
    n_classes: int,
    log_weights: NDArray[np.float64],
    n_threads: int,
) -> tuple[float, NDArray[np.float64]]: ...

class KernelVotes:
    def __init__(
        self,
        codes: NDArray[np.uint16],
        coordinates: NDArray[np.float32],
        labels: NDArray[np.uint32],
        weights: NDArray[np.float64] | None,
        costs: Sequence[NDArray[np.float32]],
        scale: NDArray[np.float32],
        n_classes: int,
    ) -> None: ...
    def votes(
        self,
        rows: NDArray[np.uint32],
        coordinates: NDArray[np.float32],
        left_out: NDArray[np.uint32] | None,
        n_threads: int,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
    def each(self, rows: NDArray[np.uint32], coordinates: NDArray[np.float32]) -> NDArray[np.float64]: ...

def class_sums(
    cases: NDArray[np.float64],
    labels: NDArray[np.uint32],
    weights: NDArray[np.float64] | None,
    totals: NDArray[np.float64],
    sums: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def class_scatters(
    cases: NDArray[np.float64],
    labels: NDArray[np.uint32],
    weights: NDArray[np.float64] | None,
    means: NDArray[np.float64],
    scatters: NDArray[np.float64],
    n_classes: int,
    n_threads: int = 1,
) -> NDArray[np.float64]: ...

class ClassDensities:
    def __init__(
        self,
        means: NDArray[np.float64],
        scatters: NDArray[np.float64],
        totals: NDArray[np.float64],
        shrinkage: float,
        gamma: float,
    ) -> None: ...
    def logs(self, cases: NDArray[np.float64], n_threads: int) -> NDArray[np.float64]: ...
    def held_out(
        self,
        cases: NDArray[np.float64],
        labels: NDArray[np.uint32],
        weights: NDArray[np.float64] | None,
        n_threads: int,
    ) -> NDArray[np.float64]: ...
