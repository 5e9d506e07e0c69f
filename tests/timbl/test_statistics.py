"""The scores of the specification's worked example, as text and as numbers."""

import numpy as np
import pytest

from casebase.timbl.statistics import Outcome, Scores, confusion_of

# Test lines of classes A B B A C D C, answered A A B B C A A; D is not among the classes of training.
CONFUSION = confusion_of(np.array([0, 1, 1, 0, 2, 3, 2]), np.array([0, 0, 1, 1, 2, 0, 0]), 3)


def test_the_matrix_has_a_row_for_unknown_classes():
    """Rows are true classes, columns answers."""
    assert CONFUSION.tolist() == [[1, 1, 0], [1, 1, 0], [1, 0, 1], [1, 0, 0]]


def test_scores_per_class():
    """Of A: one found, three wrongly, two rightly not, one missed."""
    scores = Scores.of(CONFUSION)

    assert scores.true_positives.tolist() == [1, 1, 1]
    assert scores.false_positives.tolist() == [3, 1, 0]
    assert scores.true_negatives.tolist() == [2, 4, 5]
    assert scores.false_negatives.tolist() == [1, 1, 1]
    assert scores.precision.tolist() == [0.25, 0.5, 1.0]
    assert scores.f_score == pytest.approx([1 / 3, 0.5, 2 / 3])
    assert scores.auc == pytest.approx([0.45, 0.65, 0.75])
    assert scores.averages(scores.f_score) == pytest.approx((0.5, 0.5))
    assert scores.averages(scores.auc) == pytest.approx((0.616667, 0.616667), abs=1e-6)


def test_the_printed_scores():
    """Character by character what TiMBL prints."""
    outcome = Outcome(["A", "B", "C"], CONFUSION, n_exact=5, n_ties=1, n_ties_right=0)

    assert outcome.text(averages=True, per_class=True, matrix=True) == (
        "Scores per Value Class:\n"
        "class  |\tTP\tFP\tTN\tFN\tprecision\trecall(TPR)\tFPR\t\tF-score\t\tAUC\n"
        "     A |    \t1   \t3   \t2   \t1 \t0.25000 \t0.50000 \t0.60000 \t0.33333 \t0.45000\n"
        "     B |    \t1   \t1   \t4   \t1 \t0.50000 \t0.50000 \t0.20000 \t0.50000 \t0.65000\n"
        "     C |    \t1   \t0   \t5   \t1 \t1.00000 \t0.50000 \t0.00000 \t0.66667 \t0.75000\n"
        "F-Score beta=1, microav: 0.500000\n"
        "F-Score beta=1, macroav: 0.500000\n"
        "AUC, microav:            0.616667\n"
        "AUC, macroav:            0.616667\n"
        "overall accuracy:        0.428571  (3/7), of which 5 exact matches \n"
        "There was 1 tie of which 0 (0.00%) was correctly resolved\n"
        "\n"
        "Confusion Matrix:\n"
        "             A      B      C \n"
        "        ---------------------\n"
        "     A |      1      1      0 \n"
        "     B |      1      1      0 \n"
        "     C |      1      0      1 \n"
        "   -*- |      1      0      0 \n"
        "\n"
    )
    assert outcome.percent() == "42.8571\ntested 7 lines \ncorrect 3 lines \n"


def test_scores_that_are_not_defined():
    """A class that is neither asked nor answered has no precision and no recall; without any the average is -nan."""
    outcome = Outcome(["A", "B"], np.array([[0, 0], [0, 0], [2, 0]]), 0, 2, 1)
    text = outcome.text(averages=True, per_class=True, matrix=False)

    assert "     B |    \t0   \t0   \t2   \t0 \t (nan)\t \t (nan)\t \t0.00000 \t (nan)\t \t (nan)\t\n" in text
    assert "F-Score beta=1, microav: -nan\n" in text
    assert text.endswith("(0/2)\nThere were 2 ties of which 1 (50.00%) were correctly resolved\n")
