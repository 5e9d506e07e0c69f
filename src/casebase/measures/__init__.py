"""Pure functions of counts and distances: relevance, metrics, votes."""
