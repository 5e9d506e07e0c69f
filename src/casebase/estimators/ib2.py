"""IB2 as a scikit-learn classifier."""

from typing import Any, ClassVar, Self

from casebase.estimators.ib1 import IB1Classifier


class IB2Classifier(IB1Classifier):
    """IB2: store only the cases that the memory so far misclassifies.

    The result depends on the order of the cases. Weights and value differences come from all of them.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    ids_ : the ids of the stored cases.
    records_ : the stored cases as an Arrow table.
    log_ : empty, since IB2 cannot be corrected.
    weights_, classes_, kinds_, calibration_, model_, n_features_in_, feature_names_in_ : as in `IB1Classifier`.

    Examples
    --------
    >>> from casebase import IB2Classifier
    >>> X = [["sunny", "hot"], ["sunny", "cool"], ["rainy", "hot"], ["rainy", "cool"]]
    >>> clf = IB2Classifier().fit(X, ["stay", "go", "stay", "go"])
    >>> clf.ids_.tolist(), clf.predict([["foggy", "hot"]]).tolist()
    ([0, 1], ['stay'])
    """

    learner: ClassVar[str] = "ib2"

    def fit(self, X: Any, y: Any, ids: Any = None) -> Self:  # type: ignore[override]  # weights have no meaning here
        """Store the cases that are needed, in the order given.

        Parameters
        ----------
        X : table of shape (n_cases, n_features)
            As for `IB1Classifier`.
        y : array-like of shape (n_cases,)
            The class of each case.
        ids : array-like of shape (n_cases,), optional
            Names of the cases, whole numbers or text; 0, 1, 2 … by default.
        """
        return super().fit(X, y, ids=ids)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # from small tables it stores too few cases
        return tags
