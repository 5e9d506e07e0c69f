"""Base of the classifiers that are decision trees: the sizes of the tree."""

from sklearn.utils.validation import check_is_fitted

from casebase.estimators._base import CaseClassifier
from casebase.estimators._codelength import Codelength
from casebase.estimators._tree_exports import TreeExports


class TreeClassifier(TreeExports, Codelength, CaseClassifier):
    """Base of ID3 and C4.5."""

    @property
    def n_nodes_(self) -> int:
        check_is_fitted(self, "model_")
        return int(self.model_.nodes.n_nodes)

    @property
    def n_leaves_(self) -> int:
        check_is_fitted(self, "model_")
        return int(self.model_.nodes.n_leaves)

    @property
    def depth_(self) -> int:
        check_is_fitted(self, "model_")
        return int(self.model_.nodes.depth)
