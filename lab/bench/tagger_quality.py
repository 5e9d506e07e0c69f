"""How the tagger's defaults were chosen: the tables of docs/tagger-quality.md.

    python -m lab.bench.tagger_quality held-out     Brown: the default and changes to it, on held-out sentences
    python -m lab.bench.tagger_quality case-bases   the same for two case bases, on a smaller part
    python -m lab.bench.tagger_quality chunks       CoNLL-2000: the chunker and changes to it, on held-out sentences
    python -m lab.bench.tagger_quality test         the defaults, on the test parts: once, see tagger_looks.py
    python -m lab.bench.tagger_quality reliability  how often tags of each confidence are right, on a held-out part
    python -m lab.bench.tagger_quality reliability-test     the same on the test parts

Of Brown, nine tenths of the shuffled sentences are the training part (see lab/bench/tagger.py). Its last ninth and the
ninth before are held out in turn, and the other eight are learnt from. Of CoNLL-2000, each fifth of the training file,
in its order, is held out in turn.
"""

import sys
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from casebase.tagging.presets import CHUNKS, WORDS
from casebase.tagging.scores import TaggingScores
from casebase.tagging.sentences import Sentences, sentences_of
from casebase.tagging.tagger import Tagger
from lab.bench.tagger import brown
from lab.bench.tagger_looks import looked_at
from lab.local import local_lines

Variants = Iterator[tuple[str, dict[str, Any]]]
Part = tuple[Sentences, Sentences]  # what is learnt from, what is tagged


def _without(name: str, group: str, memory: str, committee: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    kept = {features: weight for features, weight in committee[group].items() if features != memory}
    return f"{name}: without `{memory}`", {group: kept}


def words_variants() -> Variants:
    yield "**the default**", {}
    yield "beam 3", {"beam": 3}
    for memory in WORDS["known"]:
        name, changes = _without("known words", "known", memory, WORDS)
        yield name, {"committee": changes}
    first = next(iter(WORDS["known"]))
    yield f"known words: only `{first}`", {"committee": {"known": {first: 1.0}}}
    yield "known words: all weights 1", {"committee": {"known": dict.fromkeys(WORDS["known"], 1.0)}}
    for memory in WORDS["unknown"]:
        name, changes = _without("unknown words", "unknown", memory, WORDS)
        yield name, {"committee": changes}
    yield "unknown words: all weights 1", {"committee": {"unknown": dict.fromkeys(WORDS["unknown"], 1.0)}}
    yield "unknown words: only their form", {"committee": {"unknown": {"stem": 1e-9}}}
    letters = "shape suffix1 suffix2 suffix3 suffix4 suffix5"
    unknown = {features: weight for features, weight in WORDS["unknown"].items() if "stem" not in features}
    yield "no stems", {"committee": {"form": {letters: 1.0}, "unknown": unknown}}
    deepest = {f"{group}_caution": (1e-6, 0.0) for group in ("known", "unknown", "form")}
    yield "the narrowest known context decides alone (caution 0.000001)", {"committee": deepest}
    yield "known words: caution (1, 0.5)", {"committee": {"known_caution": (1.0, 0.5)}}
    yield "known words: caution (0.05, 0.05)", {"committee": {"known_caution": (0.05, 0.05)}}
    yield "first words are not looked up in lower case", {"committee": {"lowers_first": False}}
    yield (
        "contexts of one tag are split for known words too",
        {"committee": {"splits_pure": ["form", "known", "unknown"]}},
    )
    yield "contexts of one tag are never split", {"committee": {"splits_pure": []}}
    for name, values in (
        ("hapax_limit", (1, 20)),
        ("certain_from", (1, 100)),
        ("frequent_from", (10, 200)),
        ("ambiguity_threshold", (1, 10)),
    ):
        for value in values:
            yield f"{name} {value}", {"committee": {name: value}}


def chunk_variants() -> Variants:
    def changed(**changes: Any) -> dict[str, Any]:
        return {"committee": {**CHUNKS, **changes}}

    yield "**the chunker's committee**", {"committee": "chunks"}
    yield "beam 5", {"committee": "chunks", "beam": 5}
    for memory in CHUNKS["known"]:
        name, changes = _without("memories", "known", memory, CHUNKS)
        yield name, changed(**changes)
    yield "all weights 1", changed(known=dict.fromkeys(CHUNKS["known"], 1.0))
    yield "contexts of one label are not split", changed(splits_pure=[])
    yield (
        "the six memories chosen on every tenth sentence",
        changed(
            known={
                "column1 column1+1 tag-1 column1-1 suffix2 column1+2 wordtag-2 column1+3": 1.4,
                "word tag-1 column1+1 word+1": 1.4,
                "column1 column1-1 word-1 tag-1 wordtag-1": 1.0,
                "column1 column1+1 word word+1 tag-1": 0.7,
                "word wordclass+1 wordtag-2 wordclass-1": 0.3,
                "column1 column1-1 column1+1 wordclass-1 wordclass-2 suffix2": 0.6,
            },
            known_caution=(0.3, 0.3),
        ),
    )
    first = {
        "column1 tag-1 column1+1 column1-1 column1+2": 1.0,
        "word tag-1 column1+1": 1.0,
        "column1 column1-1 word-1 tag-1": 1.0,
        "column1 column1+1 word+1 tag-1": 1.0,
    }
    yield "the four memories that the search began with", changed(known=first)
    tags_only = "column1 column1+1 tag-1 column1-1 column1+2 tag-2"
    yield f"one memory: `{tags_only}`", changed(known={tags_only: 1.0})
    yield "the committee of words, which sees no tags", {}
    window = (
        "tag-2 tag-1 word-1 column1-2 column1-1 word column1 word+1 column1+1 column1+2 word-2 word+2 tag-3 column1+3"
    )
    by_values = {"metric": "mvdm", "k": 7, "vote": "inverse_distance"}
    yield (
        "one case base: IB1, value differences, k = 7, inverse distance, 14 features",
        {
            "known": window,
            "unknown": window,
            "known_learner": "ib1",
            "unknown_learner": "ib1",
            "known_options": by_values,
            "unknown_options": by_values,
            "n_frequent": 0,
            "hapax_limit": 0,
        },
    )


def case_base_variants() -> Variants:
    yield "MBT's default (IGTree `ddfa`, IB1 `dFapsss`)", {"compat": "mbt"}
    patterns = {
        "known": "tag-2 tag-1 word-1 word ambitag ambitag+1 ambitag+2 word+1",
        "unknown": "tag-1 ambitag+1 shape suffix1 suffix2 suffix3 prefix1 word-1 word+1",
        "n_frequent": 0,
    }
    by_values = {"metric": "mvdm", "k": 7, "vote": "inverse_distance"}
    unknown = {"unknown_learner": "ib1", "unknown_options": by_values}
    yield "IGTree, eight features", {**patterns, "known_learner": "igtree", **unknown}
    yield "IB1, overlap, k = 1", {**patterns, "known_learner": "ib1", **unknown}
    yield (
        "IB1, value differences, k = 7, inverse distance",
        {**patterns, "known_learner": "ib1", "known_options": by_values, **unknown},
    )
    yield (
        "TRIBL, two features in the tree, value differences, k = 7",
        {**patterns, "known_learner": "tribl", "known_options": {**by_values, "switch": 2}, **unknown},
    )
    yield "**the default**", {}


def brown_parts() -> list[Sentences]:
    """Return the training part and the test part."""
    return [
        sentences_of([[tuple(line.split("\t")) for line in sentence] for sentence in part], tagged=True)
        for part in brown(None)
    ]


def brown_test() -> Part:
    learnt, tagged = brown_parts()
    return learnt, tagged


def held_out_parts() -> list[Part]:
    train, _ = brown_parts()
    n = train.n_sentences
    cuts = [n * 7 // 9, n * 8 // 9, n]
    numbers = np.arange(n)
    return [
        (train.take(np.delete(numbers, np.s_[begin:end])), train.take(numbers[begin:end]))
        for begin, end in ((cuts[1], cuts[2]), (cuts[0], cuts[1]))
    ]


def small_part() -> list[Part]:
    """Return some 200,000 words to learn from, and 1,000 held-out sentences."""
    learnt, held_out = held_out_parts()[0]
    n = int(np.searchsorted(learnt.first, 200_000))
    return [(learnt.take(np.arange(n)), held_out.take(np.arange(1000)))]


def conll(name: str) -> Sentences:
    sentences: list[list[tuple[str, ...]]] = [[]]
    for line in local_lines(f"conll2000.{name}.txt.gz"):
        if line:
            sentences[-1].append(tuple(line.split()))
        else:
            sentences.append([])
    return sentences_of([sentence for sentence in sentences if sentence], tagged=True)


def chunk_parts() -> list[Part]:
    """Return the fifths of the training file: sentences of one article stay together, as in the test file."""
    train = conll("train")
    numbers = np.arange(train.n_sentences)
    fifths = np.array_split(numbers, 5)
    return [(train.take(np.setdiff1d(numbers, fifth)), train.take(fifth)) for fifth in fifths]


def _percent(number: float | None, digits: int) -> str:
    return "–" if number is None else f"{100 * number:.{digits}f}"


def word_cells(scores: TaggingScores) -> list[str]:
    shares = ((scores.all, 2), (scores.known, 2), (scores.unknown, 1))
    return [_percent(share.accuracy, digits) for share, digits in shares]


def chunk_cells(scores: TaggingScores) -> list[str]:
    assert scores.chunks is not None
    return [_percent(scores.chunks.all.f_score, 2)]


def table(variants: Variants, parts: list[Part], cells: Callable[[TaggingScores], list[str]]) -> Iterator[str]:
    for name, parameters in variants:
        scores = [Tagger(**parameters).fit(learnt).evaluate(tagged) for learnt, tagged in parts]
        yield f"| {name} | {' | '.join(cell for one in scores for cell in cells(one))} |"


CONFIDENCES = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.998, 1.0)


def reliability(title: str, parameters: Mapping[str, Any], learnt: Sentences, tagged: Sentences) -> Iterator[str]:
    """Return how often the tags of each confidence are right, and the same for the shares of the vote."""
    tagger = Tagger(**parameters).fit(learnt)
    assert tagged.tags is not None
    pairs = [pair for sentence in tagger.tag_many(tagged, confidence=True) for pair in sentence]
    is_right = np.array([tag for tag, _ in pairs]) == np.array(tagged.tags.to_pylist())
    confidence = np.array([np.nan if sure is None else sure for _, sure in pairs])
    is_known = tagger.knows(tagged)
    _, doubts = tagger.model_.tag_with_doubts(tagged.untagged(), beam=tagger.beam)
    yield f"{title}: {len(pairs):,} words, {is_right.mean():.2%} right, mean confidence {confidence.mean():.2%}"
    for name, rows in (("all", is_known | True), ("known", is_known), ("unknown", ~is_known)):
        errors = [calibration_error(said[rows], is_right[rows]) for said in (1 - doubts, confidence)]
        yield f"calibration error of {name} words: shares {errors[0]:.2%}, confidence {errors[1]:.2%}"
    yield "| said | words | mean said | right | words by share | mean share | right |"
    yield "|---|---:|---:|---:|---:|---:|---:|"
    for low, high in pairwise(CONFIDENCES):
        cells = []
        for said in (confidence, 1 - doubts):
            rows = (said >= low) & ((said < high) | (high == 1.0))
            n = int(rows.sum())
            cells += [f"{n:,}", *([_percent(x, 1) for x in (said[rows].mean(), is_right[rows].mean())] if n else "––")]
        yield f"| {100 * low:g}–{100 * high:g} | {' | '.join(cells)} |"


def calibration_error(said: np.ndarray, is_right: np.ndarray, n_bins: int = 20) -> float:
    """Return the mean distance of what was said and what was right, over bins of equally many words."""
    bins = np.array_split(np.argsort(said, kind="stable"), n_bins)
    gaps = [abs(said[rows].mean() - is_right[rows].mean()) * len(rows) for rows in bins if len(rows)]
    return float(sum(gaps) / len(said))


def reliabilities(what: str) -> Iterator[str]:
    if what == "reliability":
        part = held_out_parts()[0]
        yield from reliability("Brown, held-out part", {}, *part)
        yield from reliability("Brown, held-out part, beam 3", {"beam": 3}, *part)
        yield from reliability("Brown, held-out part, as MBT", {"compat": "mbt"}, *part)
        yield from reliability("CoNLL-2000, last fifth", {"committee": "chunks"}, *chunk_parts()[-1])
        return
    learnt, tagged = brown_parts()
    yield from reliability("Brown, test part", {}, learnt, tagged)
    yield from reliability("Brown, test part, as MBT", {"compat": "mbt"}, learnt, tagged)
    yield from reliability("CoNLL-2000, test file", {"committee": "chunks"}, conll("train"), conll("test"))


def test_rows() -> Iterator[str]:
    yield from table(iter([("Brown", {})]), [brown_test()], word_cells)
    chunks: list[tuple[str, dict[str, Any]]] = [
        ("CoNLL-2000", {"committee": "chunks"}),
        ("CoNLL-2000, beam 4", {"committee": "chunks", "beam": 4}),
    ]
    yield from table(iter(chunks), [(conll("train"), conll("test"))], chunk_cells)


def main(what: str) -> None:
    if what == "held-out":
        rows = table(words_variants(), held_out_parts(), word_cells)
    elif what == "case-bases":
        rows = table(case_base_variants(), small_part(), word_cells)
    elif what == "chunks":
        rows = table(chunk_variants(), chunk_parts(), chunk_cells)
    elif what == "test":
        rows = looked_at(test_rows)
    elif what.startswith("reliability"):
        rows = reliabilities(what)
    else:
        sys.exit(__doc__)
    for row in rows:
        print(row, flush=True)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) == 2 else "")
