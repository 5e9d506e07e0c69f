"""casebase compare."""

import json
from contextlib import contextmanager

import pytest

import casebase as cb
from casebase.cli import main
from casebase.representations import Comparison
from tests.cli.conftest import WEATHER


@pytest.fixture(scope="module")
def clumps(tmp_path_factory):
    """Two files: the same rows of pixels, told by pixels and by edges."""
    folder = tmp_path_factory.mktemp("clumps")
    for name in ("pixel", "edge"):
        ds = cb.datasets.load_clumps(8, representation=name)
        write(folder / f"{name}.csv", ds.feature_names, ds.data, ds.target)
    return folder / "pixel.csv", folder / "edge.csv"


def write(path, names, rows, classes):
    lines = [",".join([*names, "class"]), *(",".join([*map(str, row), kind]) for row, kind in zip(rows, classes))]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def test_compare_says_what_python_says(run, clumps):
    """The record of --json is the one of compare_representations, whatever the number of threads."""
    ran = run("compare", "--learner", "igtree", *clumps, "--json", "-j", "2")
    cases = {path.stem: cb.read_cases(path) for path in clumps}

    assert ran.code == 0
    assert Comparison.from_dict(json.loads(ran.out)) == Comparison.from_dict(
        json.loads(json.dumps(cb.compare_representations(cases, learner="igtree").to_dict()))
    )


def test_compare_shows_the_answer(run, clumps):
    """The best one first, then the tables; nothing is cut off in a pipe."""
    ran = run("compare", "--learner", "igtree", *clumps)

    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines()[0] == "edge is the best representation for igtree."
    for title in ("Ranking", "Pairs", "Why runs ended", "Sensitivity to the first sample"):
        assert title in ran.out
    assert "…" not in ran.out


def test_compare_writes_a_page_and_a_picture(run, clumps, tmp_path):
    page, picture = tmp_path / "report.html", tmp_path / "curves.png"
    ran = run("compare", "--learner", "igtree", *clumps, "--html", page, "--plot", picture)

    assert ran.code == 0
    assert "edge is the best representation" in page.read_text(encoding="utf-8")
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert run("compare", "--learner", "igtree", *clumps, "--html", "-").out == page.read_text(encoding="utf-8")


def test_representations_are_named_by_file_or_as_said(run, clumps):
    """NAME=FILE names one; files of one name in several folders are named by their paths."""
    pixel, edge = clumps
    ran = run("compare", "--learner", "igtree", f"dots={pixel}", edge, "--json", "--max-runs", "1")
    assert json.loads(ran.out)["names"] == ["dots", "edge"]

    other = edge.parent / "other"
    other.mkdir(exist_ok=True)
    (other / "edge.csv").write_text(edge.read_text())
    ran = run("compare", "--learner", "igtree", edge, other / "edge.csv", "--json", "--max-runs", "1")
    assert json.loads(ran.out)["names"] == [str(edge), str(other / "edge.csv")]


def test_one_file_may_come_from_standard_input(run, clumps):
    pixel, edge = clumps
    ran = run(
        "compare",
        "--learner",
        "igtree",
        "-",
        edge,
        "--format",
        "csv",
        "--json",
        "--max-runs",
        "1",
        stdin=pixel.read_text(),
    )

    assert json.loads(ran.out)["names"] == ["stdin", "edge"]


@pytest.mark.parametrize(
    ("vary", "names"),
    [
        (["bins=2,3"], ["bins=2", "bins=3"]),
        (["method=mdlp,equal_width", "bins=4"], ["method=mdlp", "method=equal_width bins=4"]),
        (["features=sky+wind,-sky,2"], ["features=sky+wind", "features=-sky", "features=best2"]),
        (["ngrams=1,2-3"], ["ngrams=1", "ngrams=2-3"]),
    ],
)
def test_representations_of_one_file(run, weather, vary, names):
    """--vary makes them, and names them by what was asked for."""
    options = [part for one in vary for part in ("--vary", one)]
    ran = run("compare", "--learner", "igtree", weather, *options, "--json", "--max-runs", "2")

    assert ran.code == 0, ran.err
    assert json.loads(ran.out)["names"] == names


def test_windows_of_one_file(run, written):
    """A table of five columns around a token, seen through two windows."""
    rows = "".join(
        f"{a},{b},c,{d},{e},{'P' if b == d else 'Q'}\n" for a in "xy" for b in "xy" for d in "xy" for e in "xy"
    )
    ran = run("compare", "--learner", "igtree", written(rows), "--vary", "window=1,2+0", "--json", "--max-runs", "2")

    assert json.loads(ran.out)["names"] == ["window=1+1", "window=2+0"]


def test_parameters_of_the_learner(run, clumps):
    """They reach the learner, numbers as numbers."""
    ran = run(
        "compare",
        "--learner",
        "igtree",
        *clumps,
        "-p",
        "weighting=chi_squared",
        "-p",
        "feature_limit=3",
        "--json",
        "--max-runs",
        "1",
    )

    assert json.loads(ran.out)["parameters"] == {"weighting": "chi_squared", "feature_limit": 3}


WRONG = {
    "one file": (["{pixel}"], 2, "Give two or more files"),
    "no file": ([], 2, "Missing argument"),
    "vary two files": (
        ["{pixel}", "{edge}", "--vary", "bins=3"],
        2,
        "from one file; got 2 files",
    ),
    "vary nothing": (["{pixel}", "--vary", "bins="], 2, "such as bins=…,…; got 'bins='"),
    "vary what": (["{pixel}", "--vary", "bin=3,5"], 2, "Did you mean 'bins'"),
    "vary once": (["{weather}", "--vary", "bins=3"], 1, "gives only one representation (bins=3)"),
    "no numbers": (["{pixel}", "--vary", "bins=3,5"], 1, "There are no numbers to discretise"),
    "same name": (["a={pixel}", "a={edge}"], 2, "Two representations are called 'a'"),
    "same file": (["{pixel}", "{pixel}"], 2, "Two representations are called"),
    "no name": (["={pixel}", "{edge}"], 2, "FILE or NAME=FILE"),
    "two inputs": (["-", "-"], 2, "Standard input can be read only once"),
    "not there": (["{pixel}", "nowhere.csv"], 1, "nowhere.csv"),
    "length": (["{pixel}", "{weather}"], 1, "'pixel' has 256 of them, 'weather' 14"),
    "empty": (["{pixel}", "{empty}"], 1, "empty.csv"),
    "no rows": (["{pixel}", "{header}"], 1, "header.csv"),
    "one column": (["{pixel}", "{narrow}"], 1, "narrow.csv: expected at least one feature and a class"),
    "binary": (["{pixel}", "{binary}"], 1, "binary.csv"),
    "labels": (["{pixel}", "{other}"], 1, "have another class in 'other' than in 'pixel': first example 3"),
    "metric": (["{pixel}", "{edge}", "--metric", "pixle1=numeric"], 1, "Did you mean 'pixel1'"),
    "parameter": (["{pixel}", "{edge}", "-p", "weigthing=none"], 2, "Did you mean 'weighting'"),
    "parameter form": (["{pixel}", "{edge}", "-p", "weighting"], 2, "--parameter takes NAME=VALUE"),
    "learner": (["{pixel}", "{edge}", "--learner", "ib1"], 2, "'ib1' is not one of"),
    "first size": (["{pixel}", "{edge}", "--first-size", "999"], 1, "a whole number from 1 to 256"),
    "confidence": (["{pixel}", "{edge}", "--confidence", "99"], 1, "confidence is a share"),
    "max runs": (["{pixel}", "{edge}", "--max-runs", "0"], 1, "max_runs is a whole number of at least 1"),
    "growth": (["{pixel}", "{edge}", "--growth", "1"], 1, "above 1"),
    "seed": (["{pixel}", "{edge}", "--random-state", "-1"], 2, "--random-state"),
    "plot name": (["{pixel}", "{edge}", "--plot", "curves.txt"], 1, "A picture is saved as"),
    "plot folder": (["{pixel}", "{edge}", "--plot", "nowhere/c.svg"], 1, "there is no folder"),
    "html folder": (["{pixel}", "{edge}", "--html", "nowhere/c.html"], 1, "there is no folder"),
    "both to output": (["{pixel}", "{edge}", "--json", "--html", "-"], 2, "both write to standard output"),
}


@pytest.mark.parametrize("case", WRONG)
def test_compare_says_what_is_wrong(run, clumps, weather, written, case):
    """Before any work, with what to do; a message and no traceback."""
    arguments, code, message = WRONG[case]
    pixel, edge = clumps
    lines = pixel.read_text().splitlines()
    lines[4] = lines[4][: lines[4].rindex(",")] + ",yes"
    files = {
        "pixel": pixel,
        "edge": edge,
        "weather": weather,
        "empty": written("", "empty.csv"),
        "header": written("a,b,class\n", "header.csv"),
        "narrow": written("class\n" + "P\nQ\n" * 128, "narrow.csv"),
        "binary": written(bytes(range(256)) * 8, "binary.csv"),
        "other": written("\n".join(lines) + "\n", "other.csv"),
    }
    learner = [] if "--learner" in arguments else ["--learner", "igtree"]
    ran = run("compare", *learner, *(argument.format(**files) for argument in arguments))

    assert (ran.code, ran.out) == (code, "")
    assert message in ran.err.replace("\n", " ")


def test_constant_columns_are_answered_and_said(run, clumps, written):
    """A representation that says nothing is worse than one that says something, and the report says why."""
    _, edge = clumps
    kinds = [line.rpartition(",")[2] for line in edge.read_text().splitlines()[1:]]
    constant = written("a,b,class\n" + "".join(f"x,y,{kind}\n" for kind in kinds), "constant.csv")
    ran = run("compare", "--learner", "igtree", edge, constant)

    assert ran.code == 0
    assert "'constant' has the same values in all examples" in ran.out


def test_all_examples_of_one_class_are_refused(run, written):
    one, other = (written("a,class\n" + "x,P\ny,P\n" * 10, name) for name in ("one.csv", "other.csv"))
    ran = run("compare", "--learner", "igtree", one, other)

    assert (ran.code, "All examples are of class 'P'" in ran.err) == (1, True)


def test_missing_values_and_contradictions_are_counted(run, written):
    """Missing values are read, and said; examples that no hypothesis can tell apart are counted."""
    rows = WEATHER.splitlines()
    holes = [row.replace("sunny", "?").replace("90", "") for row in rows]
    full, gaps = written(WEATHER * 1, "full.csv"), written("\n".join(holes) + "\n", "gaps.csv")
    ran = run("compare", "--learner", "igtree", full, gaps, "--max-runs", "3")

    assert ran.code == 0
    assert "values are missing in 'gaps'" in ran.out
    assert "With 14 examples the test of independence" in ran.out


@pytest.fixture
def interrupted(monkeypatch):
    """Ctrl-C after the third run."""

    @contextmanager
    def progress_bar(label):
        def progress(done, total):
            if done == 3:
                raise KeyboardInterrupt

        yield progress

    monkeypatch.setattr("casebase.cli.compare.progress_bar", progress_bar)


def test_an_interruption_keeps_what_was_decided(run, clumps, interrupted):
    """The answer so far is printed and marked."""
    ran = run("compare", "--learner", "igtree", *clumps, "--json", "-j", "1")
    record = json.loads(ran.out)

    assert record["was_interrupted"]
    assert (record["best"], len(record["runs"])) == (None, 6)
    assert (ran.code, "only finished runs count" in ran.err) == (130, True)


def test_the_exit_code_of_an_interruption(clumps, interrupted, monkeypatch, capsys):
    """The program ends with the code of the command that was interrupted: it was 0."""
    monkeypatch.setattr("sys.argv", ["casebase", "compare", "--learner", "igtree", *map(str, clumps)])
    with pytest.raises(SystemExit) as ended:
        main()

    assert ended.value.code == 130
    assert "Interrupted after 3 runs" in capsys.readouterr().out
