"""Answers that tasks write give the file of `casebase predict`, however the questions are cut and the memory is."""

from dataclasses import replace

import pytest
from click.testing import CliRunner

import casebase as cb
from casebase import methods
from casebase.batches.lines import Wanted
from casebase.batches.questions import Questions
from casebase.cli import cli
from casebase.errors import CasebaseError
from casebase.neighbours import ib1
from casebase.scale.answering import answer_file, ranges_for
from casebase.scale.opened import ModelFile
from tests.scale.tables import pieces, write_mixed

LATE = {
    "plain": lambda text: text,
    "a text among numbers": lambda text: text.replace(".25", "lots", 1),
    "an encoding": lambda text: text.replace("c4,large", "été,large"),
    "quotes": lambda text: text.replace("c3,small", '"c""\n3",small'),
}
WAYS = {
    "plain": ([], Wanted()),
    "json": (["--json", "--proba"], Wanted(as_json=True, proba=True)),
    "append": (["--append", "--proba"], Wanted(append=True, proba=True)),
    "sets": (
        ["--confidence", "0.8", "--abstain", "--class-conditional"],
        Wanted(confidence=0.8, abstain=True, class_conditional=True),
    ),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("answering")
    write_mixed(folder / "train.csv", 200)
    for learner in ("ib1", "igtree"):
        assert ran("train", folder / "train.csv", "-o", folder / f"{learner}.cb", "--learner", learner).exit_code == 0
    write_mixed(folder / "new.csv", 90, seed=5)
    return folder


def ran(*words):
    return CliRunner().invoke(cli, [str(word) for word in words])


def expected(folder, data, way, learner="ib1", options=()):
    outcome = ran("predict", folder / f"{learner}.cb", data, "-o", folder / "expected", *way, *options)
    assert outcome.exit_code == 0, outcome.output
    return (folder / "expected").read_bytes()


def answered(folder, data, wanted=WAYS["plain"][1], *, learner="ib1", rows=20, n_threads=1, **options):
    out = folder / "answers"
    answer_file(folder / f"{learner}.cb", str(data), out, pieces(rows, n_threads=n_threads), wanted=wanted, **options)
    assert not [path for path in folder.iterdir() if path.name.startswith(".")]
    return out.read_bytes()


@pytest.mark.parametrize(
    ("late", "way"),
    [*((late, "append") for late in LATE), ("plain", "plain"), ("plain", "json"), ("an encoding", "sets")],
)
def test_the_cut_does_not_show(folder, tmp_path, late, way):
    """Also where a late part decides how the first ones are read."""
    data = tmp_path / "new.csv"
    data.write_bytes(LATE[late]((folder / "new.csv").read_text()).encode("cp1252"))
    words, wanted = WAYS[way]
    whole = ran("predict", folder / "ib1.cb", data, "-o", folder / "whole", *words)
    for rows, n_threads in ((7, 1), (40, 2)):
        if whole.exit_code:
            assert late == "a text among numbers"
            with pytest.raises(CasebaseError, match="weight"):
                answered(folder, data, wanted, rows=rows, n_threads=n_threads)
        else:
            given = answered(folder, data, wanted, rows=rows, n_threads=n_threads)
            assert given == (folder / "whole").read_bytes()


def test_a_late_text_makes_codes_of_numbers(tmp_path):
    """1.50 is the number 1.5 until a later line shows that the column has codes: then all parts are read again."""
    (tmp_path / "train.csv").write_text("code,kind\n1.50,P\n1.50,P\nx,Q\nx,Q\nx,Q\n")
    (tmp_path / "new.csv").write_text("code\n" + "1.50\n" * 20 + "x\n")
    assert ran("train", tmp_path / "train.csv", "-o", tmp_path / "ib1.cb", "--learner", "ib1").exit_code == 0
    assert answered(tmp_path, tmp_path / "new.csv", rows=2).decode() == "P\n" * 20 + "Q\n"


@pytest.mark.parametrize("way", ["plain", "json", "append"])
@pytest.mark.parametrize(("n_ranges", "rows"), [(2, 25), (5, 90)])
def test_ranges(folder, way, n_ranges, rows):
    words, wanted = WAYS[way]
    given = answered(folder, folder / "new.csv", wanted, rows=rows, n_ranges=n_ranges)
    assert given == expected(folder, folder / "new.csv", words)


@pytest.mark.parametrize("settings", [{"k": 3, "vote": "inverse_distance"}, {"k": 2, "metric": {"colour": "mvdm"}}])
def test_ranges_with_ties(folder, tmp_path, settings):
    """Other settings, of which some votes are tied and asked for again."""
    methods.save(tmp_path / "ib1.cb", ib1.fit(cb.read_cases(folder / "train.csv"), **settings))
    data = folder / "new.csv"
    assert answered(tmp_path, data, rows=30, n_ranges=3) == expected(tmp_path, data, [])


def test_who_has_no_ranges(folder):
    """By default a model without ranges is asked as a whole; who asks for ranges is told why there are none."""
    plain = Wanted()
    for learner, wanted, message in (
        ("igtree", plain, "Only a memory of ib1 can be asked in ranges, and this is a model of igtree"),
        ("ib1", replace(plain, confidence=0.9), "--confidence compares each question with the whole memory"),
    ):
        file = ModelFile.of(folder / f"{learner}.cb")
        model = methods.load(file.path).model
        assert ranges_for(model, file, wanted, None, 1) == []
        with pytest.raises(CasebaseError, match=message):
            ranges_for(model, file, wanted, 2, 1)
    file = ModelFile.of(folder / "ib1.cb")
    model = methods.load(file.path).model
    assert ranges_for(model, file, plain, None, 2 * file.size) == []
    ranges = ranges_for(model, file, plain, None, file.size)
    assert ranges == [(0, 100), (100, 200)]


def test_ids_of_one_kind(folder, tmp_path):
    """A late id that is a text makes texts of all ids, and ids that occur twice are told."""
    lines = (folder / "new.csv").read_text().splitlines()
    ids = ["id", *range(len(lines) - 3), "a7", 3]
    data = tmp_path / "new.csv"
    data.write_text("".join(f"{one},{line}\n" for one, line in zip(ids, lines)))
    out = folder / "answers"
    told = answer_file(
        folder / "ib1.cb",
        data,
        out,
        pieces(20),
        wanted=WAYS["json"][1],
        questions=Questions(str(data), "id"),
    )
    assert out.read_bytes() == expected(folder, data, WAYS["json"][0], options=["--id-column", "id"])
    assert told.repeated_ids == ("3",)
    assert told.n_cases == 90


def test_resumed(folder, tmp_path, monkeypatch):
    """Parts that were answered before an error are not answered again."""
    data, out, scratch = tmp_path / "new.csv", tmp_path / "answers", tmp_path / "scratch"
    text = (folder / "new.csv").read_text()
    data.write_text(text)
    words = ["predict", folder / "igtree.cb", data, "-o", out, "--scratch", scratch]
    from casebase.scale import asking, resources

    monkeypatch.setattr(resources, "FEWEST_BYTES", 300)
    calls = []
    answer = asking.AnswerLines.text

    def failing(self, *arguments, **options):
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return answer(self, *arguments, **options)

    monkeypatch.setattr(asking.AnswerLines, "text", failing)
    stopped = ran(*words, "-j", "1")
    assert stopped.exit_code == 130
    assert "resumes it" in stopped.output
    assert not out.exists()
    assert ran(*words, "-j", "1").exit_code == 0
    assert len(calls) == 3 + (5 - 2)
    assert out.read_bytes() == expected(folder, folder / "new.csv", [], "igtree")
    assert not list(scratch.iterdir())


def test_from_python(folder, tmp_path):
    """The same file from Parquet, and from batches that can be read only once."""
    table = cb.read_cases(folder / "new.csv")
    assert table.n_cases == 90
    n = cb.scale.predict(folder / "ib1.cb", folder / "new.csv", output=tmp_path / "a.csv", append=True, ranges=2)
    assert n == 90
    assert (tmp_path / "a.csv").read_bytes() == expected(folder, folder / "new.csv", ["--append"])
    with pytest.raises(CasebaseError, match="there is no folder"):
        cb.scale.predict(folder / "ib1.cb", folder / "new.csv", output=tmp_path / "no" / "a.csv")


def test_a_tie_that_changes_later_votes(folder, tmp_path):
    model = ib1.fit(cb.read_cases(folder / "train.csv"), k=3, vote="inverse_linear", compat="timbl")
    methods.save(tmp_path / "ib1.cb", model)
    with pytest.raises(CasebaseError, match="a tie changes the votes of all later questions"):
        answered(tmp_path, folder / "new.csv")
