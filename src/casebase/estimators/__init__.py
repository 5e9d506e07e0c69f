"""The scikit-learn estimators, one file per method."""
