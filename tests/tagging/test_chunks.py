"""Chunks as the CoNLL shared tasks count them."""

import pytest

from casebase.tagging.chunks import are_chunks, chunk_scores, chunks_of


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ("O O", []),
        ("B-NP B-NP", [(0, 1, "NP"), (1, 2, "NP")]),
        ("I-NP I-NP", [(0, 2, "NP")]),
        ("B-NP I-VP", [(0, 1, "NP"), (1, 2, "VP")]),
        ("B-NP I-NP I-NP O I-NP", [(0, 3, "NP"), (4, 5, "NP")]),
        ("B-NP I-NP E-NP I-NP", [(0, 3, "NP"), (3, 4, "NP")]),
        ("S-NP S-NP B-X", [(0, 1, "NP"), (1, 2, "NP"), (2, 3, "X")]),
        ("B-NP", [(0, 1, "NP")]),
        ("O B-ADJ-P I-ADJ-P", [(1, 3, "ADJ-P")]),
        ("", []),
    ],
)
def test_chunks_of_a_sentence(labels, expected):
    assert chunks_of(labels.split()) == expected


def test_scores_count_whole_chunks():
    actual = [["B-NP", "I-NP", "O", "B-VP"], ["B-NP", "B-PP"]]
    answered = [["B-NP", "I-NP", "B-VP", "B-VP"], ["B-NP", "B-NP"]]
    scores = chunk_scores(actual, answered)
    assert (scores.all.n_actual, scores.all.n_answered, scores.all.n_right) == (4, 5, 3)
    assert scores.all.f_score == pytest.approx(2 * (3 / 5) * (3 / 4) / (3 / 5 + 3 / 4))
    assert {s.type: (s.n_actual, s.n_answered, s.n_right) for s in scores.per_type} == {
        "NP": (2, 3, 2),
        "PP": (1, 0, 0),
        "VP": (1, 2, 1),
    }


def test_a_chunk_counts_only_in_its_own_sentence():
    assert chunk_scores([["B-NP"], ["I-NP"]], [["B-NP"], ["I-NP"]]).all.n_actual == 2


@pytest.mark.parametrize(("labels", "expected"), [(["B-", "O"], False), (["B-NP", "NN"], False), (["S-X"], True)])
def test_what_labels_are_chunks(labels, expected):
    assert are_chunks(labels) is expected
