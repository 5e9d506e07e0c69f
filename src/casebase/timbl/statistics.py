"""The scores that TiMBL prints after a test.

They are functions of the confusion matrix: rows are the true classes in the order of their first occurrence in training
and a last row for classes it never saw, columns are the answers.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from casebase.measures.votes import EPSILON

UNKNOWN = "-*-"


@dataclass(frozen=True, eq=False)
class Scores:
    """The scores of each class; NaN where a score is undefined."""

    true_positives: np.ndarray
    false_positives: np.ndarray
    true_negatives: np.ndarray
    false_negatives: np.ndarray
    precision: np.ndarray
    recall: np.ndarray
    false_positive_rate: np.ndarray
    f_score: np.ndarray
    auc: np.ndarray

    @classmethod
    def of(cls, confusion: np.ndarray) -> "Scores":
        """Return the scores of a confusion matrix whose last row is for unknown classes."""
        n_classes = confusion.shape[1]
        right = np.diag(confusion[:n_classes]).astype(float)
        missed = confusion[:n_classes].sum(axis=1) - right
        wrong = confusion.sum(axis=0) - right
        others = confusion.sum() - right - missed - wrong
        with np.errstate(divide="ignore", invalid="ignore"):
            precision = right / (right + wrong)
            recall = right / (right + missed)
            rate = wrong / (wrong + others)
            both = precision + recall
            f_score = np.where(both < EPSILON, np.nan, 2 * precision * recall / both)
        auc = 0.5 * recall * rate + recall * (1 - rate) + 0.5 * (1 - recall) * (1 - rate)
        return cls(right, wrong, others, missed, precision, recall, rate, f_score, auc)

    def averages(self, score: np.ndarray) -> tuple[float, float]:
        """Return the micro and the macro average of a score.

        The micro average divides by all test lines of known classes, those without a defined score included.
        """
        n_lines = self.true_positives + self.false_negatives
        defined = ~np.isnan(score)
        with np.errstate(divide="ignore", invalid="ignore"):
            micro = np.float64(np.sum(score[defined] * n_lines[defined])) / np.float64(n_lines.sum())
            macro = np.float64(score[defined].sum()) / np.float64(defined.sum())
        return float(micro), float(macro)


@dataclass(frozen=True, eq=False)
class Outcome:
    """The outcome of a test."""

    classes: Sequence[str]
    confusion: np.ndarray
    n_exact: int
    n_ties: int
    n_ties_right: int
    encoding: str = "utf-8"  # the width of a column counts bytes

    @property
    def n_lines(self) -> int:
        return int(self.confusion.sum())

    @property
    def n_correct(self) -> int:
        return int(np.trace(self.confusion[: len(self.classes)]))

    def text(self, *, averages: bool, per_class: bool, matrix: bool) -> str:
        """Return what TiMBL prints below the last tested line."""
        lines = []
        if averages:
            scores = Scores.of(self.confusion)
            lines += class_table(self._names(), scores) if per_class else []
            micro_f, macro_f = scores.averages(scores.f_score)
            micro_auc, macro_auc = scores.averages(scores.auc)
            lines += [
                f"F-Score beta=1, microav: {_average(micro_f)}",
                f"F-Score beta=1, macroav: {_average(macro_f)}",
                f"AUC, microav:            {_average(micro_auc)}",
                f"AUC, macroav:            {_average(macro_auc)}",
            ]
        lines.append(self._accuracy())
        if self.n_ties:
            share = 100.0 * self.n_ties_right / self.n_ties
            was, ties = ("was", "tie") if self.n_ties == 1 else ("were", "ties")
            lines.append(
                f"There {was} {self.n_ties} {ties} of which {self.n_ties_right} ({share:.2f}%) {was} correctly resolved"
            )
        if matrix:
            lines += ["", *confusion_table(self._names(), self.confusion), ""]
        return "\n".join(lines) + "\n"

    def _names(self) -> list[str]:
        return [" " * (6 - len(label.encode(self.encoding))) + label for label in self.classes]

    def _accuracy(self) -> str:
        exact = f", of which {self.n_exact} exact matches " if self.n_exact else ""
        return f"overall accuracy:        {self.n_correct / self.n_lines:.6f}  ({self.n_correct}/{self.n_lines}){exact}"

    def percent(self) -> str:
        """Return the contents of a percent file."""
        share = np.float32(100.0 * self.n_correct / self.n_lines)
        return f"{share:.6g}\ntested {self.n_lines} lines \ncorrect {self.n_correct} lines \n"


def confusion_of(actual: np.ndarray, answered: np.ndarray, n_classes: int) -> np.ndarray:
    """Return the matrix of counts; a true class `n_classes` is one that training never saw."""
    cells = actual.astype(np.int64) * n_classes + answered
    return np.bincount(cells, minlength=(n_classes + 1) * n_classes).reshape(n_classes + 1, n_classes)


def class_table(classes: Sequence[str], scores: Scores) -> list[str]:
    """Return the table of scores per class; `classes` are padded to the width of their column."""
    lines = [
        "Scores per Value Class:",
        "class  |\tTP\tFP\tTN\tFN\tprecision\trecall(TPR)\tFPR\t\tF-score\t\tAUC",
    ]
    counts = scores.true_positives, scores.false_positives, scores.true_negatives, scores.false_negatives
    shares = scores.precision, scores.recall, scores.false_positive_rate, scores.f_score, scores.auc
    for i, label in enumerate(classes):
        numbers = "   ".join(f"\t{int(count[i])}" for count in counts)
        texts = ("\t (nan)\t" if np.isnan(share[i]) else f"\t{share[i]:.5f}" for share in shares)
        lines.append(f"{label} |    {numbers} {' '.join(texts)}")
    return lines


def confusion_table(classes: Sequence[str], confusion: np.ndarray) -> list[str]:
    """Return the confusion matrix as lines."""
    lines = [
        "Confusion Matrix:",
        " " * 8 + "".join(f"{label} " for label in classes),
        " " * 8 + "-" * (7 * len(classes)),
    ]
    for label, row in zip([*classes, f"{UNKNOWN:>6}"], confusion.tolist()):
        lines.append(f"{label} |" + "".join(f" {n:6d}" for n in row) + " ")
    return lines


def _average(number: float) -> str:
    return "-nan" if np.isnan(number) else f"{number:.6f}"
