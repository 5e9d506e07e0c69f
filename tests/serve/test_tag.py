"""The page of a tagger: its text, its tags and why, corrections, downloads, and hostile texts."""

import json
from pathlib import Path
from urllib.parse import quote_plus

import pytest
from click.testing import CliRunner
from markupsafe import escape

pytest.importorskip("starlette")

from casebase.cli import cli
from casebase.serve.pages import tag
from casebase.tagging.tagger import Tagger
from tests.serve.hostile import HOSTILE, check_harmless
from tests.serve.language import chunker, write_tagger
from tests.serve.serving import TOKENS, client

TEXT = "The cat walks . dogs dog the walks ."


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tagger(tmp_path_factory.mktemp("tagger") / "dogs.cb")


@pytest.fixture
def model(kept: Path, tmp_path: Path) -> Path:
    """A copy that a test may correct."""
    path = tmp_path / "dogs.cb"
    path.write_bytes(kept.read_bytes())
    return path


def address(text: str, **others: str) -> str:
    return "&".join([f"text={quote_plus(text)}", *(f"{name}={quote_plus(value)}" for name, value in others.items())])


def test_the_words_are_those_of_the_command_line(kept: Path) -> None:
    """Tags, confidence and known words are what `casebase tagger tag --json` prints for the same text."""
    text = "The cat walks. A dog dogs the Dog-2.\nwalks help"
    printed = CliRunner().invoke(cli, ["tagger", "tag", str(kept), "--json"], input=text).stdout
    with client(kept, read_only=True) as asking:
        facts = asking.get(f"/m/dogs/tag.json?{address(text)}").json()

    expected = [json.loads(line) for line in printed.splitlines() if line.startswith("[")]
    shown = [[{name: word[name] for name in expected[0][0]} for word in words] for words in facts["sentences"]]
    assert shown == expected
    assert [len(words) for words in shown] == [4, 6, 2]
    assert (facts["n_words"], facts["n_unknown"]) == (12, 1)


def test_a_word_shows_the_places_that_decided_and_its_rivals(kept: Path) -> None:
    """The evidence is that of the library, as facts and as HTML."""
    evidence = Tagger.load(kept).explain(["The", "cat", "walks", "."], 5)[2]
    with client(kept, read_only=True) as asking:
        facts = asking.get(f"/m/dogs/tag.json?{address('The cat walks .', at='1.3')}").json()
        page = asking.get(f"/m/dogs/tag?{address('The cat walks .', at='1.3')}").text

    assert facts["evidence"] == evidence.to_dict()
    assert facts["rivals"] == [{"tag": "N", "share": evidence.evidence.to_dict()["distribution"]["N"]}]
    assert "Places in the corpus" in page
    assert "[walks]" in page
    assert ">new</sup>" in page, "unknown words are marked in letters"


def test_a_fix_is_learned_and_the_next_sentence_changes(model: Path) -> None:
    """The sentence with the right tags joins the corpus; the page says what changed, also in another sentence."""
    text = "The wug walks .\nA wug walks ."
    with client(model) as asking:
        before = asking.get(f"/m/dogs/tag.json?{address(text, at='1.2')}").json()
        assert [word["tag"] for word in before["sentences"][0]] == ["D", "N", "V", "P"]
        fields = {"text": text, "at": "1.2", "version": before["version"], "by": "Ana"}
        answer = asking.post(
            "/m/dogs/tag",
            data=fields
            | {
                "tag": [
                    "",
                    "X",
                    "",
                    "",
                ]
            },
            follow_redirects=False,
        )
        assert answer.status_code == 303
        place = answer.headers["location"].partition("#")[0]
        facts = asking.get(place.replace("/tag?", "/tag.json?")).json()
        page = asking.get(place).text

    changed = facts["since"]["changed"]
    assert [(one["at"], one["before"], one["after"]) for one in changed] == [("1.2", "N", "X"), ("2.2", "N", "X")]
    assert facts["version"] != before["version"]
    assert "was N" in page
    assert "have another tag than before" in page
    learned = list(Tagger.load(model).model_.corpus)[-1]
    assert learned == [("The", "D"), ("wug", "X"), ("walks", "V"), (".", "P")]


def test_a_button_gives_one_word_the_tag_of_a_rival(model: Path) -> None:
    with client(model) as asking:
        facts = asking.get(f"/m/dogs/tag.json?{address('The cat walks .', at='1.3')}").json()
        fields = {"text": "The cat walks .", "at": "1.3", "version": facts["version"], "choose": "3:N"}
        asking.post("/m/dogs/tag", data=fields | {"tag": [""] * 4})

    assert list(Tagger.load(model).model_.corpus)[-1] == [("The", "D"), ("cat", "N"), ("walks", "N"), (".", "P")]


def test_a_sentence_that_is_outvoted_is_said_to_be(model: Path) -> None:
    """Twenty places say V, one says P: the tag stays, and the page does not claim otherwise."""
    with client(model) as asking:
        version = asking.get("/m/dogs/tag.json").json()["version"]
        fields = {"text": "A dog dogs the Dog-2 .", "at": "1.3", "version": version, "choose": "3:P"}
        page = asking.post("/m/dogs/tag", data=fields | {"tag": [""] * 6}).text

    assert "dogs is P in the sentence, but stays V" in page


def test_a_correction_of_an_old_version_is_refused(model: Path) -> None:
    """Two people open the page; the second one, who saw the old tags, is told so."""
    with client(model) as asking:
        version = asking.get("/m/dogs/tag.json").json()["version"]
        fields = {"text": "The dog walks .", "at": "1.3", "version": version, "tag": ["", "", "N", ""]}
        assert asking.post("/m/dogs/tag", data=fields).status_code == 200
        assert asking.post("/m/dogs/tag", data=fields).status_code == 412
        assert asking.post("/m/dogs/tag", data=fields | {"version": ""}).status_code == 412


def test_who_may_only_read_has_no_form(model: Path) -> None:
    with client(model, tokens=TOKENS, needs_token=True) as asking:
        reader = {"Authorization": f"Bearer {'r' * 20}"}
        page = asking.get(f"/m/dogs/tag?{address(TEXT, at='1.1')}", headers=reader).text
        fields = {"text": "The dog .", "at": "1.1", "version": "x", "tag": ["", "", ""]}
        refused = asking.post("/m/dogs/tag", data=fields, headers=reader)

    assert "Put it right" not in page
    assert refused.status_code == 403


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"tag": ["", ""]}, "Expected 4 fields"),
        ({"tag": ["a b", "", "", ""]}, "without blanks"),
        ({"tag": ["x" * 101, "", "", ""]}, "short text"),
        ({"tag": [""] * 4, "choose": "9:N"}, "from 1 to 4"),
        ({"tag": [""] * 4, "at": "7.1"}, "Expected the number of a sentence"),
        ({"tag": [""] * 4, "at": "²"}, "Expected the number of a sentence"),
        ({"tag": [""] * 4, "text": "  "}, "empty"),
        ({"tag": [""] * 4, "text": "a" * 4001}, "4,001 characters"),
        ({"tag": [""] * 4, "format": "pdf"}, "format of a corpus"),
    ],
)
def test_wrong_forms_are_refused_and_nothing_is_learned(model: Path, fields: dict[str, str], said: str) -> None:
    with client(model) as asking:
        version = asking.get("/m/dogs/tag.json").json()["version"]
        given = {"text": "The cat walks .", "at": "1.3", "version": version} | fields
        answer = asking.post("/m/dogs/tag", data=given)
        assert answer.status_code == 422
        assert said in answer.text
        assert asking.get("/m/dogs/tag.json").json()["version"] == version


def test_downloads_are_what_the_command_line_writes(kept: Path) -> None:
    text = "The cat walks.\nA dog."
    with client(kept, read_only=True) as asking:
        for ending in ("tsv", "conllu"):
            answer = asking.get(f"/m/dogs/tag.{ending}?{address(text)}")
            printed = CliRunner().invoke(cli, ["tagger", "tag", str(kept), "--to", ending], input=text).stdout
            assert answer.text == printed
            assert "\twalks\t" in f"\t{answer.text}".replace("\n", "\n\t")
            assert f'filename="dogs-tags.{ending}"' in answer.headers["content-disposition"]


def test_learning_with_a_large_corpus_is_a_job(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tag, "LONG", 10)
    with client(model) as asking:
        version = asking.get("/m/dogs/tag.json").json()["version"]
        fields = {"text": "The dog walks .", "at": "1.3", "version": version, "tag": ["", "", "N", ""]}
        answer = asking.post("/m/dogs/tag", data=fields, follow_redirects=False)
        assert answer.headers["location"] == "/jobs/1?followed=1"
        job = asking.app.app.state.jobs.job("1")  # type: ignore[attr-defined]
        while not job.is_ended:
            job.wait_for_change(1.0)
        assert job.state == "done"
        assert asking.get(job.place.partition("#")[0].replace("/tag?", "/tag.json?")).json()["since"]["is_kept"]


def test_a_chunker_reads_words_with_their_columns(tmp_path: Path) -> None:
    """A tagger that reads tags beside words takes one word per line, and learns such sentences."""
    path, text = chunker(tmp_path / "chunks.cb"), "The D\ndog N\nruns V"
    with client(path) as asking:
        facts = asking.get(f"/m/chunks/tag.json?{address(text, at='1.2')}").json()
        assert facts["n_columns"] == 1
        assert [word["tag"] for word in facts["sentences"][0]] == ["B-NP", "I-NP", "O"]
        fields = {"text": text, "at": "1.2", "version": facts["version"], "tag": ["", "", "B-VP"]}
        assert asking.post("/m/chunks/tag", data=fields).status_code == 200
    assert list(Tagger.load(path).model_.corpus)[-1][2] == ("runs", "V", "B-VP")


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_are_shown_as_they_are(model: Path, text: str) -> None:
    """As words, as tags that a tagger learned, as places, versions and formats: nothing becomes HTML."""
    with client(model) as asking:
        version = asking.get("/m/dogs/tag.json").json()["version"]
        for query in (address(text, at="1.1"), address(TEXT, at=text), address(TEXT, since=text)):
            answer = asking.get(f"/m/dogs/tag?{query}")
            assert answer.status_code in (200, 422)
            check_harmless(answer.text)
        assert str(escape(text.replace("\r\n", "\n"))) in asking.get(f"/m/dogs/tag?{address(text)}").text
        check_harmless(asking.get(f"/m/dogs/tag?{address(TEXT, format=text)}").text)
        fields = {"text": TEXT, "at": "1.1", "version": version, "tag": [text[:100]] + [""] * 8, "by": text[:200]}
        check_harmless(asking.post("/m/dogs/tag", data=fields).text)
        check_harmless(asking.get(f"/m/dogs/tag?{address(TEXT, at='1.1', since=version)}").text)
        check_harmless(asking.get("/m/dogs").text)


def test_other_models_have_no_such_page(models: Path, kept: Path) -> None:
    with client(models / "ib1.cb", kept, read_only=True) as asking:
        assert asking.get("/m/ib1/tag").status_code == 422
        assert asking.get("/m/ib1/hyphenate").status_code == 422
        assert asking.get("/m/dogs/hyphenate").status_code == 422
