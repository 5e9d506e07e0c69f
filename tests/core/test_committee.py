"""Committees of memories in the core, against what is said of them, written down plainly."""

import math
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from casebase import _native

N_TAGS, N_WORDS, OUTSIDE, OF_TAG = 3, 4, 9, 0xFFFFFFFE
TAG_CODES = np.array([5, 6, 7], dtype=np.uint32)
LEAST = 1e-5

# A level: its kind and its place. Codes by word, by tag, or by word for some words and by tag for the others.
levels_of_words = st.tuples(st.just("word"), st.integers(-2, 2))
levels_of_tags = st.tuples(st.sampled_from(["tag", "both"]), st.integers(-2, -1))
memory = st.lists(levels_of_words | levels_of_tags, min_size=1, max_size=4, unique=True)
token = st.tuples(st.integers(0, N_WORDS - 1), st.integers(0, N_TAGS - 1))
corpora = st.lists(st.lists(token, min_size=1, max_size=6), min_size=1, max_size=8)
texts = st.lists(st.lists(st.integers(0, N_WORDS), max_size=6), min_size=1, max_size=4)  # word 4 is not in the lexicon


def flat(sentences):
    first = np.cumsum([0, *map(len, sentences)]).astype(np.uint64)
    return [one for sentence in sentences for one in sentence], first


def code(word):
    return OF_TAG if word % 2 else word


def arguments(levels, words):
    codes = {"word": np.array(words, np.uint32), "both": np.array([code(w) for w in words], np.uint32), "tag": None}
    return [(codes[kind], None if kind == "word" else TAG_CODES, place, OUTSIDE) for kind, place in levels]


def value(level, sentence, tags, i):
    kind, place = level
    at = i + place
    if not 0 <= at < len(sentence):
        return OUTSIDE
    if kind == "word" or (kind == "both" and code(sentence[at]) != OF_TAG):
        return sentence[at]
    return int(TAG_CODES[tags[at]])


class Naive:
    """Counts by context: the values of the first so many levels."""

    def __init__(self, levels, corpus, splits_pure, is_used=lambda word: True):
        self.levels = levels
        cases = [
            ([value(level, [w for w, _ in s], [t for _, t in s], i) for level in levels], s[i][1])
            for s in corpus
            for i in range(len(s))
            if is_used(s[i][0])
        ]
        counts = {(): Counter(tag for _, tag in cases)}
        for depth in range(1, len(levels) + 1):
            for values, tag in cases:
                above = counts.get(tuple(values[: depth - 1]))
                if above and self.is_open(above, splits_pure):
                    counts.setdefault(tuple(values[:depth]), Counter())[tag] += 1
        del counts[()]
        self.counts = counts

    @staticmethod
    def is_open(counts, splits_pure):
        return len(counts) > 1 or (splits_pure and counts.total() > 1)

    def path(self, sentence, tags, i):
        values = tuple(value(level, sentence, tags, i) for level in self.levels)
        depths = range(1, len(values) + 1)
        known = [self.counts.get(values[:depth]) for depth in depths]
        return known[: known.index(None)] if None in known else known

    def thoughts(self, before, caution, sentence, tags, i):
        """Return what is thought without context, and then at each level."""
        thoughts = [dict(before)]
        for counts in self.path(sentence, tags, i):
            doubt = caution[0] + caution[1] * len(counts)
            thoughts.append({t: (counts[t] + doubt * p) / (counts.total() + doubt) for t, p in thoughts[-1].items()})
        return thoughts


def grown(memories, corpus, splits_pure=False, is_used=lambda word: True, n_threads=1):
    tokens, first = flat(corpus)
    words = [word for word, _ in tokens]
    rows = np.array([i for i, word in enumerate(words) if is_used(word)], np.uint32)
    lessons = [(arguments(levels, words), rows) for levels in memories]
    tags = np.array([tag for _, tag in tokens], np.uint32)
    return _native.grow_contexts(lessons, first, tags, N_TAGS, splits_pure, n_threads)


def contexts(arrays, node=0, above=()):
    """Return the counts of a tree by context."""
    first_child, values, first_count, count_tag, count = arrays
    found = {}
    for child in range(first_child[node], first_child[node + 1]):
        own = (*above, int(values[child]))
        entries = slice(first_count[child], first_count[child + 1])
        found[own] = Counter(dict(zip(count_tag[entries].tolist(), count[entries].tolist())))
        found |= contexts(arrays, child, own)
    return found


@given(memory, corpora, st.booleans())
def test_every_node_counts_the_tags_of_its_context(levels, corpus, splits_pure):
    (arrays,) = grown([levels], corpus, splits_pure)
    assert contexts(arrays) == Naive(levels, corpus, splits_pure).counts


def test_many_tokens_are_counted_as_few_are():
    rng = np.random.default_rng(1)
    corpus = [[(int(w), int(t)) for w, t in zip(rng.integers(0, 3000, 40), rng.integers(0, 3, 40))] for _ in range(100)]
    levels = [("tag", -1), ("word", 0), ("word", 1)]
    one, two = grown([levels, levels[1:]], corpus, n_threads=2)
    assert contexts(one) == Naive(levels, corpus, False).counts
    assert contexts(two) == Naive(levels[1:], corpus, False).counts
    for arrays in (one, two):
        siblings = [arrays[1][a:b] for a, b in pairwise(arrays[0].tolist())]
        assert all((np.diff(values.astype(np.int64)) > 0).all() for values in siblings)


CAUTIONS = {"form": (1.0, 0.25), "word": (0.9, 0.4), "known": (0.2, 0.3), "unknown": (0.7, 0.1)}
WEIGHTS = ([1.0, 0.5, 0.5, 0.2], [0.6] * 4, [0.3, -0.1, 0.4, 0.0])  # of each memory, by level
EARLY = ([0.9, 0.6, 0.3, 0.4], [-0.2, 0.7, 0.5, 0.1])  # the same, where a few memories are asked first
STARTS = {"form": 0.0, "known": 0.8, "unknown": 1.3, "early": 1.1}  # the weight of what is thought without context
EARLY_SHARE = 0.7891  # no share is exactly that


class Committee:
    """The committee of a corpus: words 0 and 1 are rare. The beginnings of `n_early` known memories are asked first."""

    def __init__(self, corpus, form, known, unknown, certain_from=3, least_share=0.2137, n_early=0):
        self.certain_from, self.least_share = certain_from, least_share
        self.lexicon = {}
        for word, tag in (token for sentence in corpus for token in sentence):
            self.lexicon.setdefault(word, Counter())[tag] += 1
        self.number = {word: i for i, word in enumerate(sorted(self.lexicon))}
        self.share = np.array([0.5, 0.3, 0.2])
        used = {"form": lambda word: word < 2, "known": lambda word: True, "unknown": lambda word: word < 2}
        lists = {"form": [form], "known": known, "unknown": unknown}
        self.memories = {name: [(m, Naive(m, corpus, False, used[name])) for m in lists[name]] for name in lists}
        self.trees = {name: grown(lists[name], corpus, is_used=used[name]) for name in lists}
        beginnings = [m[: max(1, len(m) - 1)] for m in known[:n_early]]
        self.memories["early"] = [(m, Naive(m, corpus, False)) for m in beginnings]
        self.trees["early"] = self.trees["known"]

    def arguments(self, text):
        words, first = flat(text)
        groups = []
        for name, memories in self.memories.items():
            trees = [_native.ContextTree(*arrays, N_TAGS) for arrays in self.trees[name]]
            weights = EARLY if name == "early" else WEIGHTS
            group = [(t, arguments(m, words), w[: len(m)]) for t, (m, _), w in zip(trees, memories, weights)]
            groups.append((group, *CAUTIONS["known" if name == "early" else name], STARTS[name]))
        counts = [self.lexicon[word] for word in self.number]
        tags = [sorted(own) for own in counts]
        lexicon = (
            np.cumsum([0, *map(len, tags)]).astype(np.uint64),
            np.array([tag for own in tags for tag in own], np.uint32),
            np.array([own[tag] for own, listed in zip(counts, tags) for tag in listed], np.uint32),
            np.array([own.total() for own in counts], np.uint32),
            *CAUTIONS["word"],
            self.certain_from,
            self.least_share,
            self.share,
        )
        lexical = np.array([self.number.get(word, -1) for word in range(N_WORDS + 1)], np.int32)
        *groups, early = groups
        return *groups, (early, EARLY_SHARE), lexicon, first, np.array(words, np.uint32), lexical

    def kept(self):
        return _native.KeptCandidates(len(self.number))

    def scores(self, sentence, tags, i):
        """Return the logarithm of what is thought of every tag that a word may have."""
        own = self.lexicon.get(sentence[i], Counter())
        ((_, form),) = self.memories["form"]
        shares = form.thoughts(dict(enumerate(self.share)), CAUTIONS["form"], sentence, tags, i)[-1]
        if own:
            doubt = CAUTIONS["word"][0] + CAUTIONS["word"][1] * len(own)
            shares = {tag: (own[tag] + doubt * share) / (own.total() + doubt) for tag, share in shares.items()}
        candidates = {tag for tag, share in shares.items() if share >= self.least_share}
        # A frequent word has tags of its own alone, and not its rarest ones.
        candidates = candidates & set(own) if own.total() >= self.certain_from else candidates | set(own)
        before = {tag: max(shares[tag], LEAST) for tag in sorted(candidates or {max(shares, key=shares.get)})}
        name = "known" if own or not self.memories["unknown"] else "unknown"
        if own and self.memories["early"]:
            total = self.weighed("early", before, sentence, tags, i)
            if len(total) == 1 or max(shares_of(total)) >= EARLY_SHARE:
                name = "early"
        total = self.weighed(name, before, sentence, tags, i)
        return total, [len(memory.path(sentence, tags, i)) for _, memory in self.memories[name]]

    def weighed(self, name, before, sentence, tags, i):
        total = {tag: STARTS[name] * math.log(p) for tag, p in before.items()}
        for (_, memory), weights in zip(self.memories[name], EARLY if name == "early" else WEIGHTS):
            thoughts = memory.thoughts(before, CAUTIONS["known" if name == "early" else name], sentence, tags, i)
            for (wider, narrower), weight in zip(pairwise(thoughts), weights):
                for tag in total:
                    total[tag] += weight * math.log(narrower[tag] / wider[tag])
        return total


def shares_of(scores):
    total = sum(map(math.exp, scores.values()))
    return [math.exp(score) / total for score in scores.values()]


forms = st.just([("word", 0)]) | st.just([("word", 0), ("word", 1)])
lists = st.lists(memory, min_size=1, max_size=3)


@given(
    corpora,
    texts,
    forms,
    lists,
    lists | st.just([]),
    st.sampled_from([1, 3, 100]),
    st.sampled_from([0.1, 0.9]),
    st.integers(0, 2),
)
def test_each_token_gets_the_tag_that_its_memories_think_most_of(
    corpus, text, form, known, unknown, certain_from, least_share, n_early
):
    committee = Committee(corpus, form, known, unknown, certain_from, least_share, n_early)
    given_, kept = committee.arguments(text), committee.kept()
    tags = _native.tag_by_committee(*given_, True, kept, 1, 2)
    assert tags.tolist() == _native.tag_by_committee(*given_, False, committee.kept(), 1, 1).tolist()
    assert tags.tolist() == _native.tag_by_committee(*given_, True, kept, 1, 1).tolist()  # what was kept is the same
    for sentence, begin in zip(text, given_[5].astype(int)):
        own = tags[begin : begin + len(sentence)].tolist()
        for i in range(len(sentence)):
            expected, depths = committee.scores(sentence, own[:i], i)
            assert expected[own[i]] >= max(expected.values()) - 1e-9
            _, found, scores, _, _, nodes = _native.committee_opinion(*given_, tags, begin + i)
            assert found == list(expected)
            assert scores == pytest.approx(list(expected.values()))
            assert [len(path) for path in nodes] == depths


@given(corpora, texts, forms, lists)
def test_a_wide_beam_finds_the_most_probable_tags(corpus, text, form, known):
    committee = Committee(corpus, form, known, [])
    given_ = committee.arguments(text)
    tags = _native.tag_by_committee(*given_, True, committee.kept(), N_TAGS**6, 1)
    for sentence, begin in zip(text, given_[5].astype(int)):
        paths = {(): 0.0}
        for i in range(len(sentence)):
            longer = {}
            for path, logarithm in paths.items():
                scores, _ = committee.scores(sentence, path, i)
                total = math.log(sum(math.exp(score) for score in scores.values()))
                longer |= {(*path, tag): logarithm + score - total for tag, score in scores.items()}
            paths = longer
        chosen = tuple(tags[begin : begin + len(sentence)].tolist())
        assert paths[chosen] >= max(paths.values()) - 1e-9


CORPUS = [[(0, 0), (1, 1)], [(1, 2), (2, 0)]]


def test_no_sentence_and_empty_sentences_have_no_tags():
    committee = Committee(CORPUS, [("word", 0)], [[("word", 0)]], [])
    for text in ([], [[]], [[], []]):
        for beam in (1, 3):
            assert _native.tag_by_committee(*committee.arguments(text), True, committee.kept(), beam, 1).tolist() == []


@pytest.mark.parametrize(
    ("at", "array"),
    [
        (0, [0, 2, 3, 3]),  # a child that is its own parent
        (0, [1, 2, 3]),
        (2, [0, 1, 1, 9]),
        (3, [0, 1, N_TAGS]),
        (4, [1]),
    ],
)
def test_arrays_that_are_no_tree_are_refused(at, array):
    arrays = [[1, 3, 3, 3], [0, 0, 1], [0, 1, 2, 3], [0, 0, 1], [2, 1, 1]]
    _native.ContextTree(*(np.array(a, np.uint32) for a in arrays), N_TAGS)
    arrays[at] = array
    with pytest.raises(ValueError, match=r"tree of contexts|out of range"):
        _native.ContextTree(*(np.array(a, np.uint32) for a in arrays), N_TAGS)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"word": np.array([0, 9], np.uint32)}, "a word is out of range"),
        ({"lexical": np.array([5], np.int32)}, "a word"),
        ({"first": np.array([0, 1], np.uint64)}, "do not fit"),
        ({"first": np.array([], np.uint64)}, "do not fit"),
        ({"beam": 0}, "at least one path"),
        ({"known": ([], 0.0, 0.1, 1.0)}, "caution"),
        ({"known": ([], 1.0, -0.1, 1.0)}, "caution"),
        ({"early": (([], 1.0, 0.1, 1.0), 0.0)}, "share that decides early"),
        ({"kept": _native.KeptCandidates(9)}, "words of the lexicon"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(change, message):
    committee = Committee(CORPUS, [("word", 0)], [[("word", 0)]], [])
    names = ("form", "known", "unknown", "early", "words", "first", "word", "lexical")
    given_ = dict(zip(names, committee.arguments([[0, 1]])))
    given_ |= {"form_of_word": True, "kept": committee.kept(), "beam": 1, "n_threads": 1}
    assert len(_native.tag_by_committee(**given_)) == 2
    with pytest.raises(ValueError, match=message):
        _native.tag_by_committee(**given_ | change)


@pytest.mark.parametrize(
    "level",
    [(None, None, 0, 9), (np.zeros(3, np.uint32), None, 0, 9), (None, TAG_CODES, 0, 9), (None, TAG_CODES, 1, 9)],
)
def test_levels_that_do_not_fit_are_refused(level):
    first, tags, rows = np.array([0, 2], np.uint64), np.zeros(2, np.uint32), np.arange(2, dtype=np.uint32)
    with pytest.raises(ValueError, match=r"level|code"):
        _native.grow_contexts([([level], rows)], first, tags, N_TAGS, False, 1)


def test_tokens_to_learn_from_are_in_the_corpus_and_in_order():
    first, tags = np.array([0, 2], np.uint64), np.zeros(2, np.uint32)
    for rows in ([2], [1, 0]):
        with pytest.raises(ValueError, match="token"):
            _native.grow_contexts([([], np.array(rows, np.uint32))], first, tags, N_TAGS, False, 1)
