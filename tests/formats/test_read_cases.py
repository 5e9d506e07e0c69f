"""From a file to cases in one call."""

import casebase as cb


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
