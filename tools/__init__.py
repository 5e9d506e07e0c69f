"""Generators for the manual: the page of commands, and hooks for the site."""
