"""TRIBL2 as a scikit-learn classifier."""

from typing import ClassVar

from casebase.estimators._correctable import CorrectableClassifier


class TRIBL2Classifier(CorrectableClassifier):
    """Walk down while a case is known, and ask the nearest cases from there.

    Features are asked by descending weight, as long as some stored case shares all values so far; the cases that share
    them are then compared by all other features.

    Parameters
    ----------
    k, weighting, vote, decay_alpha, decay_beta, threshold
        As in `IB1Classifier`.
    metric : str or dict, default="overlap"
        As in `IB1Classifier`, but for "cosine" and "dot", which are refused.
    exact_match : bool or "never", default=False
        It has no effect: identical cases always answer alone.
    normalisation, diversify, feature_limit, missing, compat, n_jobs
        As in `IB1Classifier`.

    Attributes
    ----------
    weights_, classes_, ids_, fingerprint_, model_, n_features_in_, feature_names_in_ : as in `IB1Classifier`.

    Examples
    --------
    >>> from casebase import TRIBL2Classifier
    >>> X = [["sunny", "hot"], ["sunny", "cool"], ["rainy", "hot"], ["rainy", "cool"]]
    >>> clf = TRIBL2Classifier().fit(X, ["stay", "go", "stay", "go"])
    >>> clf.predict([["foggy", "hot"]]).tolist()
    ['stay']
    """

    learner: ClassVar[str] = "tribl2"

    def __init__(
        self,
        k=1,
        weighting="gain_ratio",
        metric="overlap",
        vote="equal",
        decay_alpha=1.0,
        decay_beta=1.0,
        threshold=1,
        exact_match=False,
        normalisation="probability",
        diversify=False,
        feature_limit=None,
        missing="value",
        compat=None,
        n_jobs=None,
    ):
        self.k = k
        self.weighting = weighting
        self.metric = metric
        self.vote = vote
        self.decay_alpha = decay_alpha
        self.decay_beta = decay_beta
        self.threshold = threshold
        self.exact_match = exact_match
        self.normalisation = normalisation
        self.diversify = diversify
        self.feature_limit = feature_limit
        self.missing = missing
        self.compat = compat
        self.n_jobs = n_jobs
