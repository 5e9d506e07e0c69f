"""One case in a line of text means what the line means in a file."""

import pytest

from casebase.data import Cases
from casebase.data.kinds import cases_with_kinds
from casebase.errors import SchemaError
from casebase.formats import read_table
from casebase.formats.line import line_table

TITANIC = """\
pclass,sex,name,age,cabin,port,sold,survived
1,male,"Smith, John",25.0,,C,2024-05-01,died
1,female,"O""Neil, Eva",31.5,B5,S,2024-06-01,survived
3,male,"Rice, Tom",,,S,,died
3,female,"Kelly, Ann",18.25,C 7,Q,2025-01-31,survived
"""
FILES = {
    "titanic.csv": TITANIC,
    "titanic.tsv": "\n".join("\t".join(line.split(",")) for line in TITANIC.replace(", ", " ").splitlines()) + "\n",
    "first.csv": "class,a,b\nP,x,1\nQ,,2\nP,y,\n",  # the class is not the last column
    "words.txt": "the old man N\nan old dog V\nthe new man N\n",
    "tabs.txt": "the\told man\tN\nan\told dog\tV\n",
    "c45.txt": "the,old,man,N\nan,old,dog,V\n",
    "shapes.arff": "@relation r\n@attribute 'a b' {x,y}\n@attribute n real\n@attribute k {P,Q}\n@data\n"
    "x,1.5,P\n?,?,Q\n'x',2,P\n",
    "sparse.txt": "(1,a)(3,b) N\n(2,c) V\n",
}
KINDS = {"titanic.csv": {"pclass": "ordinal", "age": "number", "sold": "date", "name": "ignored", "port": "symbol"}}


def trained(tmp_path, name):
    """The schema of a model trained on a file, and the file."""
    path = tmp_path / name
    path.write_text(FILES[name])
    table = read_table(path, target="class" if name == "first.csv" else None)
    return cases_with_kinds(table, kinds=KINDS.get(name), find_others=False).schema, table


def coded(cases):
    return [column.tolist() for column in cases.columns], repr(cases.all_values()), cases.labels


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("has_class", [True, False])
def test_a_line_means_what_it_means_in_a_file(tmp_path, name, has_class):
    """`1,male,25.0,,C` was predicted with a missing cabin, but explained with an empty one."""
    schema, table = trained(tmp_path, name)
    lines = FILES[name].splitlines()
    n_header = 5 if name.endswith(".arff") else int(table.has_header)
    header, lines = lines[:n_header], lines[n_header:]
    for line in lines:
        if not has_class:
            line, head = without_class(line, name), [without_class(one, name) for one in header]
            head = [one for one in header if "@attribute k" not in one] if name.endswith(".arff") else head
        else:
            head = header
        path = tmp_path / f"new-{name}"
        path.write_text("\n".join([*head, line]) + "\n")
        expected = schema.encode(read_table(path, schema=schema))

        found = schema.encode(line_table(line, schema))

        assert repr(coded(found)) == repr(coded(expected)), line


def without_class(line, name):
    if name == "first.csv":
        return line.split(",", 1)[1]
    separator = {"titanic.csv": ",", "c45.txt": ",", "shapes.arff": ",", "titanic.tsv": "\t", "tabs.txt": "\t"}.get(
        name, " "
    )
    return line.rsplit(separator, 1)[0]


@pytest.fixture
def schema(tmp_path):
    return trained(tmp_path, "titanic.csv")[0]


def test_columns_by_name(schema):
    """Columns that are not named are missing, names may come in any order, and kinds are those of the file."""
    case = schema.encode(line_table('sold=2024-05-01, sex = male, age=25, name="Smith, John"', schema))

    values = dict(zip(schema.names, case.values(0)))
    assert values == {
        "pclass": None,
        "sex": "male",
        "age": 25.0,
        "cabin": None,
        "port": None,
        "sold.year": 2024.0,
        "sold.month": 5.0,
        "sold.weekday": "Wednesday",
        "sold.days": "2024-05-01",
    }


def test_the_class_may_be_named(schema):
    """As in a file, the class of a case is known and not asked for."""
    case = schema.encode(line_table("sex=male, survived=died", schema))

    assert case.labels.tolist() == [schema.classes.index("died")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sx=male, pclass=3", r"Unknown column 'sx'\. Did you mean 'sex'"),
        ("sex=male, sex=female", "'sex' is given twice"),
        ("sex=male pclass=3", "Separate the columns by commas: 'sex=male, pclass=3'"),
        ("1,male", "Expected 6 values .pclass, sex, age"),
        ("", "got 0"),
    ],
)
def test_what_cannot_be_read_is_refused(schema, text, message):
    """The message names the column or the number of values that was expected."""
    with pytest.raises(SchemaError, match=message):
        line_table(text, schema)


def test_values_may_have_an_equals_sign():
    """`Case=Nom` is a value where the data has such values, and no column has that name."""
    rows = [["Case=Nom", "Number=Sing", "N"], ["Case=Acc", "Number=Plur", "V"]]
    schema = Cases.from_table(rows, target=-1).schema

    assert schema.encode(line_table("Case=Acc,Number=Dual", schema)).values(0) == ["Case=Acc", "Number=Dual"]
    assert schema.encode(line_table("f2=Number=Dual", schema)).values(0) == [None, "Number=Dual"]


def test_a_model_without_a_file_takes_any_usual_line():
    """Commas, tabs and blanks separate values; blanks around a value that is typed mean nothing."""
    schema = Cases.from_table([["a", "b b", "N"]], target=-1).schema

    for text in ("a, b b", "a,b b", 'a,"b b"', "a\tb b", "a,b b,N"):
        assert schema.encode(line_table(text, schema)).columns == ([0], [0]), text
    assert schema.encode(line_table("a b", schema)).values(0) == ["a", "b"]


@pytest.mark.parametrize("text", ["a,b\rc", "a\r\nb,c", "a\nb\nc", "\r", "x" * 200_000 + ",\r"])
def test_a_typed_case_with_a_line_end_is_refused(text):
    """Regression: the reader of the standard library raised an error of its own."""
    schema = Cases.from_table([["a", "b", "c", "N"]], target=-1).schema

    with pytest.raises(SchemaError, match="Expected 3 values"):
        line_table(text, schema)


def test_blanks_around_names_and_values_mean_nothing():
    """However many there are: they are not divided in every way."""
    schema = Cases.from_table([{"sex": "male", "deck": "C", "class": "P"}], target="class").schema
    blanks = " " * 100_000

    table = line_table(f"{blanks}deck{blanks}={blanks}C D{blanks},{blanks}sex{blanks}={blanks}male", schema)
    assert [column.to_pylist() for column in table.columns] == [["male"], ["C D"]]
