"""The memory of stored cases: sorted segments, the relevance of features, and corrections."""
