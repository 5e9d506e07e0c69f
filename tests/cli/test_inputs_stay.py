"""An output that is one of the inputs is refused, by every command that writes."""

import shutil

import pytest

HYPHENATED = "hy-phen\nna-tion\nre-cord\n"
TAGGED = "I/PRON like/VERB tea/NOUN\nTea/NOUN is/VERB good/ADJ\n"


@pytest.fixture
def place(run, weather, model, tmp_path, monkeypatch):
    """A folder with one file of each kind that commands read."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(weather, "data.csv")
    shutil.copy(weather, "other.csv")
    shutil.copy(weather, "data.svg")
    shutil.copy(model, "model.cb")
    (tmp_path / "ids").write_text("0\n")
    (tmp_path / "words").write_text(HYPHENATED)
    (tmp_path / "corpus").write_text(TAGGED)
    (tmp_path / "text").write_text("I like tea\n")
    assert run("hyphen", "train", "words", "-o", "hyphen.cb").code == 0
    assert run("hyphen", "export", "hyphen.cb", "--to", "json", "-o", "patterns.json").code == 0
    assert run("tagger", "train", "corpus", "-o", "tagger.cb").code == 0
    (tmp_path / "link").symlink_to("data.csv")
    return tmp_path


@pytest.mark.parametrize(
    "command",
    [
        "train data.csv -o data.csv",
        "train data.csv -o ./data.csv",
        "train data.csv -o link",
        "train data.csv --ids ids -o ids",
        "predict model.cb data.csv -o data.csv",
        "predict model.cb data.csv -o model.cb",
        "insert model.cb data.csv -o data.csv",
        "remove model.cb --ids ids -o ids",
        "explain model.cb data.csv --html data.csv",
        "explain model.cb data.csv --html model.cb",
        "select data.svg --format csv --plot data.svg",
        "compare data.csv other.csv --html other.csv",
        "compare data.csv x=data.svg --format csv --plot data.svg",
        "align corpus -o corpus",
        "strings train words -o words",
        "hyphen train words -o words",
        "hyphen apply hyphen.cb words -o words",
        "hyphen apply hyphen.cb words -o hyphen.cb",
        "hyphen correct hyphen.cb hyp-hen --among words -o words",
        "hyphen export hyphen.cb --to json -o hyphen.cb",
        "hyphen import patterns.json -o patterns.json",
        "hyphen explain hyphen.cb word --html hyphen.cb",
        "tagger explain tagger.cb word --html tagger.cb",
        "tagger train corpus -o corpus",
        "tagger learn tagger.cb corpus -o corpus",
        "tagger tag tagger.cb text -o text",
        "tagger tag tagger.cb text -o tagger.cb",
        "timbl -f data.csv -t other.csv -o data.csv",
        "timbl -f data.csv -I data.csv",
    ],
)
def test_an_input_is_never_overwritten(run, place, command):
    """`train data.csv -o data.csv` put the model where the data had been."""
    before = {path.name: path.read_bytes() for path in place.iterdir()}

    ran = run(*command.split())

    assert ran.code == 1
    assert "is an input and would be overwritten. Name another file" in ran.err
    assert before == {path.name: path.read_bytes() for path in place.iterdir()}


def test_a_model_may_be_replaced_by_its_correction(run, place):
    """Commands that change a model write to it, whether or not that is said."""
    for command in ("insert model.cb data.csv -o model.cb", "hyphen correct hyphen.cb hyp-hen -o hyphen.cb"):
        assert run(*command.split()).code == 0
