"""Taggers and hyphenators over HTTP: their answers, their reasons, and what they learn."""

from pathlib import Path

import pytest

import casebase as cb
from tests.serve.serving import client

SENTENCES = [
    [("The", "DT"), ("old", "JJ"), ("man", "NN"), ("ran", "VBD"), (".", ".")],
    [("A", "DT"), ("dog", "NN"), ("sleeps", "VBZ"), (".", ".")],
    [("The", "DT"), ("dog", "NN"), ("ran", "VBD"), ("home", "NN"), (".", ".")],
] * 8


@pytest.fixture(scope="module")
def tagger_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("taggers") / "tags.cb"
    cb.Tagger().fit(SENTENCES).save(path)
    return path


@pytest.fixture
def both(tagger_file: Path, tmp_path: Path) -> Path:
    """A folder with a tagger and a hyphenator, which a test may correct."""
    (tmp_path / "tags.cb").write_bytes(tagger_file.read_bytes())
    cb.Hyphenator(window=None).fit(["ta-lo", "ka-la", "ve-ne", "auto"]).save(tmp_path / "talo.cb")
    return tmp_path


def test_a_tagger_tags_explains_and_learns(both: Path) -> None:
    tagger = cb.Tagger.load(both / "tags.cb")
    with client(both) as asking:
        asked = [["The", "dog", "ran", "."], ["A", "man", "."]]
        found = asking.post("/v1/taggers/tags/tag", json={"sentences": asked}).json()
        assert [[one["tag"] for one in sentence] for sentence in found["sentences"]] == tagger.tag_many(asked)
        mixed = {"sentences": [["The", ["dog"], "ran", "."], [["A"], "man", "."]]}
        assert asking.post("/v1/taggers/tags/tag", json=mixed).json() == found
        text = asking.post("/v1/taggers/tags/tag", json={"text": "The dog ran. A man."}).json()
        assert text == found
        sure = asking.post("/v1/taggers/tags/tag", json={"sentences": asked, "confidence": True}).json()
        assert set(sure["sentences"][0][0]) == {"word", "tag", "confidence"}
        why = asking.post("/v1/taggers/tags/explain", json={"text": "The dog ran.", "limit": 2}).json()
        assert why["sentences"] == [[one.to_dict() for one in tagger.explain(["The", "dog", "ran", "."], 2)]]
        before = asking.post("/v1/taggers/tags/tag", json={"sentences": [["Wugs", "gromble"]]}).json()
        new = {"sentences": [[["Wugs", "NNS"], ["gromble", "VBP"]]], "by": "Ada"}
        done = asking.post("/v1/taggers/tags/learn", json=new, headers={"if-match": f'"{found["version"]}"'})
        assert (done.status_code, done.json()["before"]) == (200, before["version"])
        after = asking.post("/v1/taggers/tags/tag", json={"sentences": [["Wugs", "gromble"]]}).json()
        assert after["version"] == done.json()["version"]
        assert [one["tag"] for one in after["sentences"][0]] == ["NNS", "VBP"]
        late = asking.post("/v1/taggers/tags/learn", json=new, headers={"if-match": f'"{found["version"]}"'})
        assert late.status_code == 412


def test_a_hyphenator_hyphenates_explains_and_is_corrected(both: Path) -> None:
    hyphenator = cb.Hyphenator.load(both / "talo.cb")
    with client(both) as asking:
        found = asking.post("/v1/hyphenators/talo/hyphenate", json={"words": ["talo", "sauna"]}).json()
        assert [one["hyphenated"] for one in found["words"]] == hyphenator.hyphenate_many(["talo", "sauna"], "-")
        assert found["words"][0]["places"] == [2]
        text = asking.post("/v1/hyphenators/talo/hyphenate", json={"text": "Talo, kala!", "hyphen": "|"}).json()
        assert text["text"] == "Ta|lo, ka|la!"
        why = asking.post("/v1/hyphenators/talo/explain", json={"words": ["talo"]}).json()
        assert why["words"] == [hyphenator.explain("talo").to_dict()]
        key = {"idempotency-key": "s"}
        done = asking.post("/v1/hyphenators/talo/correct", json={"words": ["sau-na"]}, headers=key)
        assert (done.status_code, done.json()["ids"]) == (200, ["sauna"])
        again = asking.post(
            "/v1/hyphenators/talo/correct", json={"words": ["sau-na"]}, headers={"idempotency-key": "s"}
        )
        assert again.json() == done.json() | {"is_repeated": True}
        found = asking.post("/v1/hyphenators/talo/hyphenate", json={"words": ["sauna"]}).json()
        assert found["words"][0]["hyphenated"] == "sau-na"
        exported = asking.get("/v1/models/talo/export?to=hunspell").text
    assert exported == cb.Hyphenator.load(both / "talo.cb").export("hunspell")


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("taggers/tags/tag", {}, 422),
        ("taggers/tags/tag", {"sentences": ["The dog"]}, 422),
        ("taggers/tags/tag", {"sentences": [[]]}, 422),
        ("taggers/tags/tag", {"sentences": [["a"]], "text": "a"}, 422),
        ("taggers/tags/tag", {"sentences": [[7]]}, 422),
        ("taggers/tags/tag", {"sentences": [["a", "b"]] * 50_001}, 413),
        ("taggers/tags/learn", {"sentences": [["The", "dog"]]}, 422),
        ("taggers/tags/learn", {"sentences": [[["The"]]]}, 422),
        ("taggers/tags/learn", {}, 422),
        ("taggers/talo/tag", {"text": "a"}, 404),
        ("models/tags/predict", {"cases": [{}]}, 404),
        ("hyphenators/tags/hyphenate", {"words": ["a"]}, 404),
        ("hyphenators/talo/hyphenate", {"words": [""]}, 422),
        ("hyphenators/talo/hyphenate", {"words": "talo"}, 422),
        ("hyphenators/talo/hyphenate", {}, 422),
        ("hyphenators/talo/explain", {}, 422),
        ("hyphenators/talo/correct", {"words": ["ta-lo", "ta-lo"]}, 422),
        ("hyphenators/talo/correct", {"words": ["-"]}, 422),
        ("hyphenators/talo/correct", {"word": "ta-lo"}, 422),
    ],
)
def test_wrong_requests_are_refused(both: Path, path: str, body: dict[str, object], status: int) -> None:
    with client(both) as asking:
        answer = asking.post(f"/v1/{path}", json=body)
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json"), answer.text


def test_models_of_language_are_described(both: Path) -> None:
    with client(both) as asking:
        assert {one["kind"] for one in asking.get("/v1/models").json()["models"]} == {"tagger", "hyphenator"}
        assert asking.get("/v1/models/tags").json()["summary"]["n_sentences"] == 24
        assert asking.get("/v1/models/tags/report").json()["learner"] == "tagger"
        assert asking.get("/v1/models/tags/export").status_code == 422
        content = asking.get("/v1/models/tags/model").content
        (both / "copy.cb").write_bytes(content)
        assert "/v1/taggers/tags/tag" in asking.get("/v1/models/tags/openapi.json").json()["paths"]
    assert cb.Tagger.load(both / "copy.cb").tag(["A", "dog"]) == ["DT", "NN"]
