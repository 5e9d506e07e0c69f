"""Beside the package: the experiments of the papers, the benchmark, other programs, and the pictures of the manual."""
