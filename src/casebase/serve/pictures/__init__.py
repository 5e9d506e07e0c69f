"""Pictures of models: trees, graphs, rules, sets of features and weights, as facts and as SVG.

An SVG takes its colours from the page's style sheet, so it is light or dark as the reader prefers.
"""
