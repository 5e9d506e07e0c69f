"""What the installed package has beside its modules."""

from importlib.resources import files


def test_types_are_for_users_too():
    """Type checkers read the annotations of a package only if it says so."""
    assert (files("casebase") / "py.typed").is_file()
