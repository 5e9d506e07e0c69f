import pytest

from casebase.formats import read_table


@pytest.fixture
def rows():
    """Read a table and return its rows: what a file says, whatever its format."""

    def read(source, **options):
        return [list(row) for row in zip(*(c.to_pylist() for c in read_table(source, **options).columns))]

    return read
