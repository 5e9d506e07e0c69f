"""From a file to cases in one call."""

import inspect

import pytest

import casebase as cb
from casebase.data import Cases
from casebase.formats import read_table


def test_cases_of_a_file(tmp_path):
    """Names, class and values of the file are those of the cases."""
    path = tmp_path / "words.csv"
    path.write_text("tag,word,freq\nV,can,0.5\nN,can,1.5\n")

    cases = cb.read_cases(path, target="tag")

    assert (cases.schema.names, cases.schema.classes) == (("word", "freq"), ("N", "V"))
    assert cases.values(1) == ["can", 1.5]


def test_kinds_may_be_said():
    """A caller may mean whole numbers as quantities."""
    cases = cb.read_cases(b"7 P\n8 Q\n", kinds={"f1": "numeric"})

    assert cases.values(0) == [7.0]


def test_every_option_of_a_file_is_in_the_signature():
    """Help and editors show what may be said; the others are not for training files."""
    options = inspect.signature(read_table).parameters.keys() - {"has_target", "schema", "keep_text"}

    assert inspect.signature(cb.read_cases).parameters.keys() == options | {"kinds"}
    assert all(f"{name} : " in (cb.read_cases.__doc__ or "") for name in options)


def test_every_option_of_a_file_is_handed_on():
    """Options that are not the defaults reach the reader."""
    text = "größe;farbe\nklein;rot\n".encode("latin-1")
    cases = cb.read_cases(
        text, format="csv", header=True, target="größe", separator=";", n_features=1, n_threads=2, encoding="latin-1"
    )
    compact = cb.read_cases(b"aaPPbb\nccQQdd\n", width=2, target=1)

    assert (cases.schema.names, cases.schema.classes) == (("farbe",), ("klein",))
    assert (compact.schema.names, compact.schema.classes) == (("f1", "f2"), ("PP", "QQ"))


@pytest.mark.parametrize("missing", ["s", "t", "u"])
def test_a_header_whose_names_are_values_too_is_a_header(tmp_path, missing):
    """Regression: `t` is a value of the model as well, so the names were a case, and values went to other columns."""
    schema = Cases.from_table([{"s": "t", "t": "x", "u": "u", "y": "P"}], target="y").schema
    names = [name for name in "stuy" if name != missing]
    file = tmp_path / "new.csv"
    file.write_text(",".join(names) + "\nt,x,u\n")

    assert list(read_table(file, schema=schema).names) == names

    file.write_text("t,x,u\nt,x,u\n")
    assert read_table(file, schema=schema).n_rows == 2
