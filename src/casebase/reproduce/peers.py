"""What people use otherwise: scikit-learn's methods on symbols, which they take as numbers only."""

from typing import Any

from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder
from sklearn.tree import DecisionTreeClassifier


def unpruned_tree(seed: int = 0) -> Pipeline:
    """Return a tree grown by entropy to pure leaves, on one column for each value: C4.5-like, but not C4.5.

    It splits by gain, not by gain ratio; a split asks for one value against all others; nothing is pruned.
    `seed` decides between splits of equal gain.
    """
    grown = DecisionTreeClassifier(criterion="entropy", random_state=seed)
    return make_pipeline(OneHotEncoder(handle_unknown="ignore", sparse_output=False), grown)


def features_of_tree(fitted: Pipeline) -> int:
    """Return how many features a fitted `unpruned_tree` asks about, whatever the number of their values."""
    encoder, grown = fitted[0], fitted[1].tree_
    feature_of = [f for f, values in enumerate(encoder.categories_) for _ in values]
    return len({feature_of[column] for column in grown.feature if column >= 0})


def one_neighbour() -> Pipeline:
    """Return the nearest case by the number of values that differ; of several, the one that comes first."""
    codes = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    nearest: Any = KNeighborsClassifier(n_neighbors=1, metric="hamming", algorithm="brute")
    return make_pipeline(codes, nearest)
