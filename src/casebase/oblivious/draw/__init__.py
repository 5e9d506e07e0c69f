"""Oblivious trees, graphs and the search for features as drawings."""
