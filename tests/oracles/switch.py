"""The cross-validated errors of TRIBL with every switch point, one query after the other."""

from tests.oracles import tribl
from tests.oracles.weights import relevance


def cross_validated_errors(rows, labels, keys):
    """Return how many cases each switch point answers wrongly; cases are dealt into five folds by class and key."""
    order = sorted(range(len(rows)), key=lambda i: (labels[i], keys[i]))
    n_folds, n_features = min(5, len(rows)), len(rows[0])
    errors = dict.fromkeys(range(n_features + 1), 0)
    for fold in range(n_folds):
        held_out = order[fold::n_folds]
        others = [i for i in range(len(rows)) if i not in held_out]
        known, classes = [rows[i] for i in others], [labels[i] for i in others]
        # Features that split the cases alike weigh the same; rounding must not decide which of them is asked first.
        weights = [round(weight, 12) for weight in relevance(known, classes, "gain_ratio")]
        for switch in errors:
            for i in held_out:
                answer = tribl.classify(
                    known, classes, rows[i], weights, [1.0] * n_features, switch, label_order=sorted(set(labels))
                )
                errors[switch] += answer.label != labels[i]
    return errors
