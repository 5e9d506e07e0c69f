"""compat="mbt", token by token beside Debian's MBT 3.6: lexicon, ambitags, instances and tags."""

import random

import numpy as np
import pytest

from casebase.tagging.case_bases import training_rows
from casebase.tagging.features import instances
from casebase.tagging.tagger import Tagger
from lab.local import local_lines
from lab.peers import mbt
from tests.peers import found, require_mbt

pytestmark = pytest.mark.peer

# known, unknown, -%, -M, -n
PATTERNS = [
    ("ddfa", "dFapsss", 5, 100, 5),
    ("wwddfWaaw", "ppssdwFawchn", 10, 50, 3),
    ("dfa", "Fpsss", 5, 100, 5),
    ("ddwfWawa", "ddFaapppssss", 5, 20, 1),
    ("wfw", "wwFWwwhcn", 20, 200, 2),
    ("dddfaaa", "dddFaaachnpp", 1, 100, 5),
    ("fW", "FWs", 5, 10, 10),
    ("adfa", "aFasn", 5, 100, 0),
    ("ddfWa", "dWaps", 5, 0, 5),
]
# MBT's options, and ours.
LEARNERS = [
    ("K: -a IB1 U: -a IB1 -k3", {"known_learner": "ib1", "unknown_options": {"k": 3}}),
    (
        "K: -a TRIBL -q2 U: -a TRIBL -q3",
        {
            "known_learner": "tribl",
            "unknown_learner": "tribl",
            "known_options": {"switch": 2, "weighting_below": "gain_ratio"},
            "unknown_options": {"switch": 3, "weighting_below": "gain_ratio"},
        },
    ),
    ("K: -a IGTREE U: -a IGTREE", {"unknown_learner": "igtree"}),
    (
        "K: -a IB1 -k3 -mM -dID U: -a IB1 -mM -k7 -dID",
        {
            "known_learner": "ib1",
            "known_options": {"k": 3, "metric": "mvdm", "vote": "inverse_distance"},
            "unknown_options": {"k": 7, "metric": "mvdm", "vote": "inverse_distance"},
        },
    ),
    (
        "K: -a IB1 -w2 -k2 U: -a IB1 -k3 -w0 -dED1",
        {
            "known_learner": "ib1",
            "known_options": {"k": 2, "weighting": "information_gain"},
            "unknown_options": {"k": 3, "weighting": "none", "vote": "exponential"},
        },
    ),
]


@pytest.fixture(scope="module")
def brown():
    """A part of Brown, in an order without meaning: sentences to learn from, and sentences to tag."""
    require_mbt()
    lines = found(local_lines, "brown.tsv.gz")
    sentences, sentence = [], []
    for line in lines:
        if line:
            sentence.append(tuple(line.split("\t")))
        elif sentence:
            sentences.append(sentence)
            sentence = []
    random.Random(1).shuffle(sentences)
    return sentences[:1200], sentences[-400:]


def tagged_by_us(tagger, sentences):
    words = [[token[0] if len(token) == 2 else token[:-1] for token in sentence] for sentence in sentences]
    tags = [tag for tags in tagger.tag_many(words) for tag in tags]
    flat = [token[0] for sentence in sentences for token in sentence]
    return list(zip(flat, tagger.knows(words).tolist(), tags))


def our_instances(model, is_known):
    """Return the instances as lines of bytes; a value that is part of a letter is the byte itself."""
    pattern, _ = model.base(is_known)
    rows = training_rows(model.lexicon, model.text.word, model.settings)[0 if is_known else 1]
    cases = instances(pattern, model.describer, model.text, model.tag_of, rows)
    columns = []
    for feature, column, named in zip(cases.schema.features, cases.columns, pattern.features):
        encoding = "latin-1" if named.kind in ("first", "last") else "utf-8"
        columns.append(np.array([v.encode(encoding) for v in feature.vocabulary.values.to_pylist()], object)[column])
    columns.append(np.array([label.encode() for label in cases.schema.classes], object)[cases.labels])
    return [b" ".join(values) for values in zip(*columns)]


@pytest.mark.parametrize(("known", "unknown", "threshold", "n_frequent", "hapax_limit"), PATTERNS)
def test_lexicon_instances_and_tags_are_those_of_mbt(
    brown, tmp_path, known, unknown, threshold, n_frequent, hapax_limit
):
    """For all letters: the same lexicon, classes and instances, and the same tag for every token."""
    train, test = brown
    theirs = mbt.generate(
        train,
        tmp_path,
        known=known,
        unknown=unknown,
        threshold=threshold,
        n_frequent=n_frequent,
        hapax_limit=hapax_limit,
    )
    tagger = Tagger(
        known, unknown, ambiguity_threshold=threshold, n_frequent=n_frequent, hapax_limit=hapax_limit, compat="mbt"
    ).fit(train)
    lexicon = tagger.lexicon_
    words = lexicon.words.values.to_pylist()

    assert {w: (n, lexicon.counts_of(i)) for i, (w, n) in enumerate(zip(words, lexicon.frequency))} == theirs.lexicon
    assert dict(zip(words, lexicon.ambitag_texts(np.arange(len(words))).to_pylist())) == theirs.ambitags
    assert our_instances(tagger.model_, True) == theirs.instances("known")
    assert our_instances(tagger.model_, False) == theirs.instances("unknown")
    assert tagged_by_us(tagger, test) == theirs.tag(test)


@pytest.mark.parametrize(("options", "ours"), LEARNERS)
def test_tags_are_those_of_mbt_with_other_learners(brown, tmp_path, options, ours):
    """IB1, TRIBL and IGTree, metrics, weightings and votes: the same tag for every token."""
    train, test = brown[0], brown[1][:150]
    theirs = mbt.generate(train, tmp_path, options=options)

    assert tagged_by_us(Tagger(**ours, compat="mbt").fit(train), test) == theirs.tag(test)


@pytest.mark.parametrize("beam", [2, 5])
def test_tags_are_those_of_mbt_with_a_beam(brown, tmp_path, beam):
    """The paths that are kept, and the best of them at the end, are MBT's."""
    train, test = brown
    theirs = mbt.generate(train, tmp_path)

    assert tagged_by_us(Tagger(beam=beam, compat="mbt").fit(train), test) == theirs.tag(test, beam=beam)


def test_letters_beyond_ascii_are_bytes(tmp_path):
    """MBT 3.6 cuts letters of several bytes in two, and so does compat="mbt"."""
    require_mbt()
    words = ["Ödön", "über", "naïve", "façade", "Ärger", "été", "señor", "日本", "x", "das", "the"]
    train = [[(words[(i * j) % len(words)], "NVD"[(i + j) % 3]) for j in range(1, 6)] for i in range(1, 40)]
    test = [[(word + end, "N") for word in words] for end in ("", "é", "ñ-1")]
    theirs = mbt.generate(train, tmp_path, unknown="dFapppssshcn", hapax_limit=0)
    tagger = Tagger(unknown="dFapppssshcn", hapax_limit=0, compat="mbt").fit(train)

    assert our_instances(tagger.model_, False) == theirs.instances("unknown")
    assert tagged_by_us(tagger, test) == theirs.tag(test)


def test_columns_of_an_enriched_corpus(brown, tmp_path):
    """Columns between word and tag are the last features of both case bases, as with mbtg -E."""
    train, test = (
        [[(word, word[-1:], str(len(word)), tag) for word, tag in sentence] for sentence in part[:400]]
        for part in brown
    )
    theirs = mbt.generate(train, tmp_path)
    tagger = Tagger(compat="mbt").fit(train)

    assert our_instances(tagger.model_, True) == theirs.instances("known")
    assert our_instances(tagger.model_, False) == theirs.instances("unknown")
    assert tagged_by_us(tagger, test) == theirs.tag(test)
