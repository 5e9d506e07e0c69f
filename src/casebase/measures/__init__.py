"""Pure functions of counts and distances: feature weights, metrics, votes, codelengths, tests."""
