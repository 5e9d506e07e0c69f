"""The web service: model files that people and programs read and correct at the same time.

This module imports nothing: a desk, which keeps one model file, needs no web framework.
"""
