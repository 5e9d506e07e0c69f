"""scikit-learn's methods on symbols, which must be encoded as numbers."""

from typing import Any

from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder
from sklearn.tree import DecisionTreeClassifier


def unpruned_tree(seed: int = 0) -> Pipeline:
    """Return a tree grown by entropy to pure leaves on one-hot values: the peer of C4.5.

    It splits by gain, not by gain ratio; a split asks for one value against all others; nothing is pruned.
    `seed` decides between splits of equal gain.
    """
    grown = DecisionTreeClassifier(criterion="entropy", random_state=seed)
    return make_pipeline(OneHotEncoder(handle_unknown="ignore", sparse_output=False), grown)


def one_neighbour() -> Pipeline:
    """Return a classifier by the one nearest case in Hamming distance; of several, the first."""
    codes = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    nearest: Any = KNeighborsClassifier(n_neighbors=1, metric="hamming", algorithm="brute")
    return make_pipeline(codes, nearest)
