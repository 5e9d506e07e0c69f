"""The pictures of the manual that are drawn here: `python -m tools.pictures` writes them all into docs/."""
