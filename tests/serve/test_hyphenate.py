"""The page of a hyphenator: breaks and their patterns, corrections and the words that move, files, hostile words."""

import json
import shutil
from pathlib import Path
from urllib.parse import quote_plus

import pytest
from click.testing import CliRunner
from markupsafe import escape

pytest.importorskip("starlette")

from casebase.cli import cli
from casebase.hyphenation.hyphenator import Hyphenator
from casebase.serve.pages import hyphenate
from tests.serve.hostile import HOSTILE, check_harmless
from tests.serve.language import write_hyphenator, write_tagger
from tests.serve.serving import TOKENS, client


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_hyphenator(tmp_path_factory.mktemp("hyphenator") / "suomi.cb")


@pytest.fixture
def model(kept: Path, tmp_path: Path) -> Path:
    """A copy that a test may correct."""
    return Path(shutil.copy(kept, tmp_path / "suomi.cb"))


def test_words_have_their_breaks_and_patterns(model: Path) -> None:
    """Several words without repetition; the chosen one has the evidence of the library."""
    evidence = Hyphenator.load(model).explain("kalossa")
    with client(model) as asking:
        facts = asking.get("/m/suomi/hyphenate.json?words=Talo,+2+kalossa:+kalossa&at=kalossa").json()
        page = asking.get("/m/suomi/hyphenate?words=Talo,+2+kalossa:+kalossa&at=kalossa").text
        alone = asking.get("/m/suomi/hyphenate.json?words=kalossa").json()

    assert facts["words"] == [
        {"word": "Talo", "hyphenated": "Ta-lo"},
        {"word": "kalossa", "hyphenated": "ka-los-sa"},
    ]
    assert facts["evidence"] == evidence.to_dict() == alone["evidence"]
    assert 'value="5" checked' in page
    assert 'value="3" checked' not in page
    assert "-KE (classes) allows at level 1" in page


def test_a_fix_is_learned_and_shows_which_words_move(model: Path) -> None:
    """Of the watched words and the training words: the same as `casebase hyphen correct --json` says."""
    watched = model.parent / "watched.txt"
    watched.write_text("trena\nsatraan\n", encoding="utf-8")
    copy = str(shutil.copy(model, model.parent / "copy.cb"))
    printed = CliRunner().invoke(cli, ["hyphen", "correct", copy, "ka-tro", "--among", str(watched), "--json"]).stdout
    expected = json.loads(printed)
    assert expected["moved"], "the example moves a word"
    with client(model) as asking:
        facts = asking.get("/m/suomi/hyphenate.json?words=katro&among=trena+satraan&try=1&place=2").json()
        assert {name: facts["would"][name] for name in expected} == expected, "before anything is learned"
        fields = {
            "words": "katro",
            "at": "katro",
            "among": "trena satraan",
            "version": facts["version"],
            "place": ["2"],
        }
        answer = asking.post("/m/suomi/hyphenate", data=fields, follow_redirects=False)
        assert answer.status_code == 303
        place = answer.headers["location"].partition("#")[0]
        after = asking.get(place.replace("/hyphenate?", "/hyphenate.json?")).json()
        page = asking.get(place).text

    assert {name: after["since"][name] for name in expected} == expected
    assert after["since"]["n_moved"] == len(expected["moved"])
    assert after["words"] == [{"word": "katro", "hyphenated": "ka-tro", "was": "kat-ro"}]
    assert expected["moved"][0]["after"] in page
    assert Hyphenator.load(model).hyphenate("katro", "-") == "ka-tro"
    assert Hyphenator.load(model).words_.words.count("katro") == 1


def test_a_trial_learns_nothing(model: Path) -> None:
    with client(model) as asking:
        before = asking.get("/m/suomi/hyphenate.json?words=katro").json()
        asking.get("/m/suomi/hyphenate?words=katro&try=1&place=2")
        after = asking.get("/m/suomi/hyphenate.json?words=katro").json()

    assert after == before


def test_many_words_that_move_are_counted_and_some_are_shown(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hyphenate, "MOST_MOVED", 2)
    words = "+".join(f"{a}at{r}o" for a in "klmn" for r in "rv")
    with client(model) as asking:
        facts = asking.get(f"/m/suomi/hyphenate.json?words=satro&try=1&place=2&among={words}").json()

    assert len(facts["would"]["moved"]) == 2
    assert facts["would"]["n_moved"] > 2


def test_a_correction_of_an_old_version_is_refused(model: Path) -> None:
    with client(model) as asking:
        version = asking.get("/m/suomi/hyphenate.json").json()["version"]
        fields = {"words": "katro", "at": "katro", "version": version, "place": ["2"]}
        assert asking.post("/m/suomi/hyphenate", data=fields).status_code == 200
        assert asking.post("/m/suomi/hyphenate", data=fields).status_code == 412


def test_an_old_state_that_is_gone_is_said_to_be(model: Path) -> None:
    with client(model) as asking:
        page = asking.get("/m/suomi/hyphenate?words=katro&since=0123").text

    assert "no longer kept" in page


def test_who_may_only_read_has_no_form(model: Path) -> None:
    reader = {"Authorization": f"Bearer {'r' * 20}"}
    with client(model, tokens=TOKENS, needs_token=True) as asking:
        assert "Learn these breaks" not in asking.get("/m/suomi/hyphenate?words=katro", headers=reader).text
        fields = {"words": "katro", "at": "katro", "version": "x"}
        assert asking.post("/m/suomi/hyphenate", data=fields, headers=reader).status_code == 403


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"place": ["0"]}, "from 1 to 4"),
        ({"place": ["5"]}, "from 1 to 4"),
        ({"place": ["two"]}, "from 1 to 4"),
        ({"at": ""}, "Expected one word"),
        ({"at": "kat-ro"}, "Expected one word"),
        ({"at": "k" * 201}, "201 characters"),
        ({"among": "k" * 4001}, "4,001 characters"),
        ({"words": "k" * 2001}, "2,001 characters"),
    ],
)
def test_wrong_forms_are_refused_and_nothing_is_learned(model: Path, fields: dict[str, str], said: str) -> None:
    with client(model) as asking:
        version = asking.get("/m/suomi/hyphenate.json").json()["version"]
        answer = asking.post("/m/suomi/hyphenate", data={"words": "katro", "at": "katro", "version": version} | fields)
        assert answer.status_code == 422
        assert said in answer.text
        assert asking.get("/m/suomi/hyphenate.json").json()["version"] == version


def test_the_files_are_those_of_export(kept: Path) -> None:
    hyphenator = Hyphenator.load(kept)
    with client(kept, read_only=True) as asking:
        for ending, to in (("tex", "tex"), ("dic", "hunspell"), ("json", "json")):
            answer = asking.get(f"/m/suomi/patterns.{ending}")
            assert answer.text == hyphenator.export(to)
            assert f'filename="hyph-suomi.{ending}"' in answer.headers["content-disposition"]


def test_learning_among_many_words_is_a_job(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hyphenate, "LONG", 5)
    with client(model) as asking:
        version = asking.get("/m/suomi/hyphenate.json").json()["version"]
        fields = {"words": "katro", "at": "katro", "version": version, "place": ["2"]}
        answer = asking.post("/m/suomi/hyphenate", data=fields, follow_redirects=False)
        assert answer.headers["location"] == "/jobs/1?followed=1"


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_words_are_shown_as_they_are(model: Path, text: str) -> None:
    """As words, as the chosen word, as watched words, as the author; nothing becomes HTML."""
    short, given = text[:1000], quote_plus(text[:1000])
    with client(model) as asking:
        version = asking.get("/m/suomi/hyphenate.json").json()["version"]
        page = asking.get(f"/m/suomi/hyphenate?words={given}&among={given}&since={given[:100]}").text
        check_harmless(page)
        assert str(escape(short.replace("\r\n", "\n"))) in page
        check_harmless(asking.get(f"/m/suomi/hyphenate?words=katro&at={given}&try=1&place={given}").text)
        fields = {"words": short, "at": "katro", "version": version, "place": ["2"], "by": text[:200], "among": short}
        check_harmless(asking.post("/m/suomi/hyphenate", data=fields).text)


def test_home_and_overview_say_what_they_are(kept: Path, tmp_path: Path) -> None:
    """The rows of the home page, and the page of each model, as facts and as HTML."""
    tagger = write_tagger(tmp_path / "dogs.cb", 1)
    with client(kept, tagger, read_only=True) as asking:
        rows = {row["name"]: row for row in asking.get("/index.json").json()["models"]}
        pages = [asking.get(path).text for path in ("/", "/m/dogs", "/m/suomi")]
        dogs, suomi = (asking.get(f"/m/{name}.json").json() for name in ("dogs", "suomi"))

    assert (rows["dogs"]["title"], rows["dogs"]["size"]) == ("Tagger", "19 words in 4 sentences")
    assert (rows["suomi"]["title"], rows["suomi"]["size"]) == ("Hyphenator", "1 pattern from 10 words")
    assert "19 words in 4 sentences" in pages[0]
    assert dogs["tags"][0] == {"tag": "N", "frequency": 6}
    assert dogs["about"]["Learner"] == "Tagger, a committee of memories"
    assert "/m/dogs/tag" in pages[1]
    assert suomi["patterns"] == [
        {"pattern": "-KE", "level": 1, "allows": True, "is_classes": True, "support": 14.0},
    ]
    assert "/m/suomi/patterns.tex" in pages[2]
