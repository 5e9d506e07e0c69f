"""The benchmark: casebase against the peers that are installed (`make bench`)."""
