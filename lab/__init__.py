"""The papers' experiments, the benchmark, runners of other programs, the manual's pictures; not installed."""
