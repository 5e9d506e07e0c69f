"""The pictures of the manual that are drawn here: `python -m lab.pictures` writes them all into docs/."""
