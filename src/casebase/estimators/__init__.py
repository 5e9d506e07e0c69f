"""The estimators of scikit-learn: one file per method, by the name of the method."""
