"""What the classifiers that are decision trees share: their sizes."""

from sklearn.utils.validation import check_is_fitted

from casebase.estimators._base import CaseClassifier
from casebase.estimators._codelength import SaidInBits
from casebase.estimators._tree_exports import TreeExports


class TreeClassifier(TreeExports, SaidInBits, CaseClassifier):
    """Base of ID3 and C4.5."""

    @property
    def n_nodes_(self) -> int:
        check_is_fitted(self, "model_")
        return self.model_.nodes.n_nodes

    @property
    def n_leaves_(self) -> int:
        check_is_fitted(self, "model_")
        return self.model_.nodes.n_leaves

    @property
    def depth_(self) -> int:
        check_is_fitted(self, "model_")
        return self.model_.nodes.depth
