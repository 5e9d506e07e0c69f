"""Bad input ends in a message with exit code 1: never a traceback, never a wrong answer."""

import os
import subprocess
import sys

import numpy as np
import pytest
from click.testing import CliRunner

import casebase as cb
from casebase.cli import cli
from casebase.errors import CasebaseError

GOOD = "size,colour,class\nsmall,red,P\nlarge,blue,Q\nsmall,blue,P\n"


@pytest.fixture
def train(tmp_path):
    """Train IB1, or another learner, on a content and return the message that ends it, or None."""

    def train(content, *options, name="data.csv", output="m.cb"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        learner = () if "--learner" in options else ("--learner", "ib1")
        result = CliRunner().invoke(cli, ["train", str(path), "-o", str(tmp_path / output), *learner, *options])
        if result.exit_code == 0:
            return None
        assert isinstance(result.exception, CasebaseError), result.exception
        return str(result.exception)

    return train


def test_good_input_has_no_message(train):
    """The fixture itself works."""
    assert train(GOOD) is None


@pytest.mark.parametrize(
    ("content", "format", "message"),
    [
        ("a,b,c\nd,e,f\ng,h\n", "csv", "data.csv, line 3: expected 3 fields as in the first line, got 2"),
        ("a,b,c\nd,e,f,g\n", "csv", "data.csv, line 2: expected 3 fields as in the first line, got 4"),
        ("a b c\n\nd e\n", "columns", "data.csv, line 3: expected 2 features and a class (3 fields), got 2 fields"),
        ("a\tb\tc\nd\te\n", "tabbed", "data.csv, line 2: expected 2 features and a class (3 fields), got 2 fields"),
        ("a,b,c\nd,e\n", "c45", "data.csv, line 2: expected 2 features and a class (3 fields), got 2 fields"),
    ],
)
def test_ragged_lines(train, content, format, message):
    """File, line, what was expected and what came."""
    assert message in train(content, "--no-header", "--format", format)


@pytest.mark.parametrize("content", ["", "\n\n \n", "\ufeff"])
@pytest.mark.parametrize("name", ["x.csv", "x.tsv", "x.txt"])
def test_empty_files(train, content, name):
    """A file with nothing in it says so."""
    assert "expected at least one line of data, got none" in train(content, name=name)


def test_header_only(train):
    """A header without data says so, and offers the option of the command line."""
    assert (
        "expected data after the header, got none. If the first line is data, pass header=False (--no-header)."
        in train("a,b,class\n")
    )


@pytest.mark.parametrize("name", ["x.csv", "x.txt", "x.arff"])
def test_nul_bytes(train, name):
    """A NUL byte is not text."""
    start = b"@relation r\n@attribute a {x}\n@attribute b {y}\n@data\n" if name == "x.arff" else b""

    assert "got a NUL byte" in train(start + b"x, y\nx, \0y\n", name=name)


@pytest.mark.parametrize("name", ["x.csv", "x.tsv", "x.txt"])
def test_latin_1(train, name):
    """Said to be UTF-8, it is refused with the line and the option that helps; said to be nothing, it is read."""
    separator = {"x.csv": ",", "x.tsv": "\t", "x.txt": " "}[name]
    content = separator.join(["größe", "x", "P"]) + "\n" + separator.join(["café", "y", "Q"]) + "\n"
    message = train(content.encode("latin-1"), "--encoding", "utf-8", name=name)

    assert f"{name}, line 1: expected UTF-8 text, got the byte 0xF6" in message
    assert "--encoding latin-1" in message
    assert train(content.encode("latin-1"), "--encoding", "latin-1", name=name) is None
    assert train(content.encode("latin-1"), name=name) is None


def test_one_line_of_ten_megabytes(train):
    """A long value is a value."""
    assert train(f"a,{'x' * 10_000_000},P\nb,c,Q\n", "--no-header") is None


def test_ten_megabytes_without_an_end(train):
    """A file that is one long line of fields is refused with the number of fields."""
    assert "more than the limit" in train("x " * 5_000_000, name="x.txt")


def test_a_hundred_thousand_values(train):
    """A feature in which no value occurs twice is learned all the same."""
    assert train("id,class\n" + "".join(f"v{i},{'PQ'[i % 2]}\n" for i in range(100_000))) is None


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("1,200000,P\n", "got 200000 features, more than the limit"),
        ("1,2000000000,P\n", "line 1: expected the number of a feature, got '2000000000'"),
        (f"1,{'9' * 5000},P\n", "line 1: expected the number of a feature, got '999"),
    ],
)
def test_feature_numbers_without_end(train, content, message):
    """Regression: a mistyped number asked for as many columns, or was too long to be read."""
    assert message in train(content, "--format", "binary")


@pytest.mark.parametrize("number", ["NaN", "nan", "NA", "?", ""])
def test_missing_numbers(train, number):
    """A gap in a column of numbers is a gap."""
    assert train(f"n,class\n1.5,P\n{number},Q\n2.5,P\n") is None


@pytest.mark.parametrize("number", ["inf", "-inf", "1e999", "Infinity"])
def test_infinite_numbers(train, number):
    """A column of measurements with infinity is refused, unless it is to be compared by its spelling."""
    content = f"n,class\n1.5,P\n{number},Q\n2.5,P\n"

    assert "data.csv: Feature 'n' contains infinity (first in row 2 of 3)" in train(content)


def test_a_case_without_a_class(train):
    """Rows are counted from 1, as people count, and the file is named."""
    assert "data.csv: The class is missing in 1 case, the first in row 2 of 2." in train("a,b\nx,P\ny,\n")


@pytest.mark.parametrize("command", [["select"], ["weights"]])
def test_a_model_is_no_data(train, tmp_path, command):
    """It was said to be text in another encoding."""
    assert train(GOOD) is None
    result = CliRunner().invoke(cli, [command[0], str(tmp_path / "m.cb"), *command[1:]])

    assert "m.cb is a casebase model, not data" in str(result.exception)


def test_ids_that_are_too_few(train, tmp_path):
    """The file of ids is named, with how many it should have."""
    (tmp_path / "ids").write_text("1\n2\n3\n4\n5\n6\n7\n")

    assert "ids: expected one id per line for each of the 3 cases; got 7." in train(
        GOOD, "--ids", str(tmp_path / "ids")
    )


def test_infinity_in_parquet(tmp_path):
    """Where a column is numeric by its type, infinity is refused with its row."""
    import pyarrow as pa
    import pyarrow.parquet

    path = tmp_path / "x.parquet"
    pyarrow.parquet.write_table(pa.table({"n": [1.0, float("inf")], "class": ["P", "Q"]}), path)
    result = CliRunner().invoke(cli, ["train", str(path), "-o", str(tmp_path / "m.cb")])

    assert "contains infinity (first in row 2 of 2)" in str(result.exception)


@pytest.mark.parametrize(
    "content",
    ["f,class\nx,P\nx,Q\n", "f,class\nx,P\ny,P\n", "f,class\nx,P\n"],
    ids=["constant", "one class", "one case"],
)
@pytest.mark.parametrize("learner", ["ib1", "igtree", "tribl"])
def test_data_that_teach_nothing(train, content, learner):
    """Constant features, one class and a single case are learned without complaint."""
    assert train(content, "--header", "--learner", learner) is None


@pytest.mark.parametrize("k", ["0", "-1"])
def test_k_out_of_range(train, k):
    """k counts distances."""
    assert f"a whole number of at least 1; got {k}" in train(GOOD, "-k", k)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--target", "clas"], "Unknown column 'clas'. Did you mean 'class'? Known: size, colour, class."),
        (["--target", "9"], "no column 9: the file has 3 columns. Columns are numbered from 1 on the command line"),
        (["--target", "0"], "There is no column 0: columns count from 1"),
        (["--target", "²"], "Unknown column '²'"),
        (["--target", "class2", "--no-header"], "Pass header=True (--header) if the first line has the names"),
        (["--weighting", "gain_ration"], "Did you mean 'gain_ratio'?"),
        (["--weighting", "1,2,3"], "one weight per feature (2)"),
        (["--weighting", "1,nan"], "finite"),
        (["--metric", "overlp"], "Did you mean 'overlap'?"),
        (["--metric", "sise=overlap"], "Did you mean 'size'?"),
        (["--metric", "size=nummeric"], "Did you mean 'numeric'?"),
        (["--metric", "size=numeric"], "its value 'large' is not a number"),
        (["--metric", "size=ignored,colour=ignored"], "ignored"),
        (["--format", "cvs"], "Did you mean 'csv'?"),
        (["--encoding", "latin-99"], "Unknown encoding 'latin-99'"),
        (["--encoding", "rot13"], "Unknown encoding 'rot13'"),
        (["--separator", "ab"], "a separator of one ASCII character"),
        (["--width", "2"], "only the compact format"),
    ],
)
def test_options_that_do_not_fit(train, options, message):
    """The message names what was wrong, what is known, and the option in its own spelling."""
    assert message in train(GOOD, *options)


def test_places_where_nothing_can_be_written(train, tmp_path):
    """Missing folders and folders are refused before any work."""
    (tmp_path / "folder").mkdir()

    assert "there is no folder" in train(GOOD, output="missing/m.cb")
    assert "it is a folder" in train(GOOD, output="folder")


def test_a_folder_without_permission(train, monkeypatch):
    """A folder that may not be written to is said to be so, before any work."""
    monkeypatch.setattr(os, "access", lambda *_: False)

    assert "permission denied" in train(GOOD)


def test_failed_training_keeps_the_old_model(train, tmp_path):
    """A mistake in the new data leaves the old model as it was."""
    assert train(GOOD) is None
    old = (tmp_path / "m.cb").read_bytes()
    assert train("a,b,c\nd,e\n") is not None

    assert (tmp_path / "m.cb").read_bytes() == old


def test_killed_while_writing_keeps_the_old_model(train, tmp_path):
    """A program that is killed between writing and renaming leaves the old model."""
    assert train(GOOD) is None
    old = (tmp_path / "m.cb").read_bytes()
    script = (
        "import os, signal, sys, casebase.base.files as files\n"
        "files.os.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)\n"
        "from casebase.cli import main\n"
        "main()"
    )
    arguments = ["train", tmp_path / "data.csv", "-o", tmp_path / "m.cb", "--learner", "ib1", "-k", "3"]
    ran = subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True)

    assert ran.returncode == -9
    assert (tmp_path / "m.cb").read_bytes() == old


@pytest.mark.parametrize("command", ["predict", "evaluate", "explain"])
@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("small\nlarge\n", "Expected 2 features"),
        ("size,weight,class\nsmall,3,P\n", "no column 'colour'"),
        ("small,red,P,more\nlarge,red,P,more\n", "Expected 2 features"),
        ("", "expected at least one line of data"),
    ],
)
def test_new_cases_that_do_not_fit_the_model(train, tmp_path, command, content, message):
    """The features of the model are named where others came."""
    assert train(GOOD) is None
    (tmp_path / "new.csv").write_text(content)
    result = CliRunner().invoke(cli, [command, str(tmp_path / "m.cb"), str(tmp_path / "new.csv")])

    assert isinstance(result.exception, CasebaseError)
    assert message in str(result.exception)


def test_a_test_file_without_a_class(train, tmp_path):
    """Without a class there is nothing to compare with."""
    assert train(GOOD) is None
    (tmp_path / "new.csv").write_text("size,colour\nsmall,red\n")
    result = CliRunner().invoke(cli, ["evaluate", str(tmp_path / "m.cb"), str(tmp_path / "new.csv")])

    assert "has no class column 'class' to compare with" in str(result.exception)


@pytest.mark.parametrize(("case", "n"), [("small", 1), ("small red blue big", 4), ("", 0), ("a,b,c,d", 4)])
def test_a_typed_case_of_another_length(train, tmp_path, case, n):
    """The features that were expected are named; one value more is the class."""
    assert train(GOOD) is None
    result = CliRunner().invoke(cli, ["explain", str(tmp_path / "m.cb"), "--case", case])

    assert f"Expected 2 values (size, colour), got {n}" in str(result.exception)


@pytest.mark.parametrize("name", ["predict", "evaluate", "explain", "inspect"])
def test_data_in_the_place_of_a_model(tmp_path, name):
    """A data file is not a model."""
    (tmp_path / "data.csv").write_text(GOOD)
    arguments = [name, str(tmp_path / "data.csv")] + ([] if name == "inspect" else [str(tmp_path / "data.csv")])

    assert "is not a casebase model file" in str(CliRunner().invoke(cli, arguments).exception)


@pytest.mark.parametrize("estimator", [cb.IB1Classifier, cb.IGTreeClassifier, cb.TRIBLClassifier])
@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([], [], "0 feature|0 sample|no cases"),
        ([[]], ["P"], "0 feature"),
        ([["a"]], [], "inconsistent|empty|at least one"),
        ([["a"], ["b"]], ["P"], "inconsistent"),
        ([["a", "b"], ["c"]], ["P", "Q"], "Row 1"),
        (["a", "b"], ["P", "Q"], "1D array|2D array"),
        ("ab", ["P", "Q"], "array"),
        (np.zeros((2, 2, 2)), ["P", "Q"], "dim 3"),
        (None, ["P"], "array"),
    ],
    ids=str,
)
def test_tables_that_are_none(estimator, X, y, message):
    """What is not a table with a class per row is refused, as scikit-learn does."""
    with pytest.raises(ValueError, match=message):
        estimator().fit(X, y)


def test_numbers_too_far_apart(train):
    """A range that overflows is refused before anything is written."""
    assert "whose difference exceeds the range of a double" in train("n,class\n1e308,P\n-1e308,Q\n2.5,Q\n")


def test_dot_products_too_large():
    """Regression: the compiled search's own error came through, with a traceback."""
    X = [[1e6, 1e6], [2.0, 3.0]]
    clf = cb.IB1Classifier(metric="dot", weighting="none").fit(X, ["P", "Q"])

    with pytest.raises(CasebaseError, match=r"larger than 2147483647.*scale the numbers down"):
        clf.predict(X)


@pytest.mark.parametrize("compat", [None, "timbl"])
def test_cosines_of_vectors_too_long(compat):
    """Regression: no case was near enough, and the compiled vote's own error came through, with a traceback."""
    X = [[1e200, 1.0], [2e200, 2.0]]
    clf = cb.IB1Classifier(metric="cosine", weighting="none", compat=compat).fit(X, ["P", "Q"])

    with pytest.raises(CasebaseError, match=r"'cosine' cannot compare.*scale the numbers down"):
        clf.predict([[1.5e200, 2.0]])


def test_squares_too_large_for_timbl():
    """Regression: TiMBL's Euclidean metric subtracts squares; where these overflow no case was near enough."""
    X, y = [[1e200], [2e200], [4e200]], ["P", "Q", "R"]
    clf = cb.IB1Classifier(metric="euclidean", weighting="none", compat="timbl").fit(X, y)

    assert clf.predict([[1.1e200], [2.1e200], [3.9e200]]).tolist() == y


def test_text_for_a_number_is_refused():
    """A question's text in a numeric feature used to count as a missing number."""
    clf = cb.IB1Classifier(metric={0: "numeric"}).fit([["1", "a"], ["2", "b"]], ["P", "Q"])
    with pytest.raises(CasebaseError, match=r"Feature 'f1' is numeric, but row 2 of 2 has 'zz'"):
        clf.predict([["?", "a"], ["zz", "a"]])


@pytest.mark.parametrize("scale", [1e-20, 1e14])
def test_weights_whose_sums_are_not_exact(scale):
    """All features used to weigh nothing when case weights were very large or very small."""
    with pytest.raises(CasebaseError, match="Multiply all weights"):
        cb.IB1Classifier().fit([["a"], ["b"]], ["P", "Q"], sample_weight=[scale, scale])


def test_half_a_character():
    """A lone surrogate is no text that a model file could hold."""
    with pytest.raises(CasebaseError, match="lone surrogate"):
        cb.IB1Classifier().fit([["\ud800"], ["b"]], ["P", "Q"])
