"""Data sets of OpenML, from a folder or a small server that stands in for it."""

import hashlib
import json
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from casebase.datasets import DataNotFoundError, fetch_openml
from casebase.errors import CasebaseError, FormatError

PETS = """@relation pets
@attribute number integer
@attribute legs numeric
@attribute sound {miaow,'tweet, tweet'}
@attribute kind {cat,bird}
@data
1,4,miaow,cat
2,2,'tweet, tweet',bird
3,?,?,bird
"""


def describe(root, **changed):
    """Write what a server says about the set with the number 7; a change to None leaves a field out."""
    about = {
        "id": "7",
        "name": "pets",
        "version": "1",
        "url": (root / "pets.arff").as_uri(),
        "default_target_attribute": "kind",
        "row_id_attribute": "number",
        "md5_checksum": hashlib.md5(PETS.encode()).hexdigest(),
    } | changed
    (root / "api/v1/json/data/7").write_text(
        json.dumps({"data_set_description": {key: value for key, value in about.items() if value is not None}})
    )


@pytest.fixture
def root(tmp_path, monkeypatch):
    """A folder with the answers of a server that has one data set, in two versions."""
    root = tmp_path / "server"
    for place, sets in (
        ("status/active", [{"did": 9, "version": 2}, {"did": 7, "version": 1}]),
        ("data_version/1", [{"did": 7, "version": 1}]),
    ):
        file = root / "api/v1/json/data/list/data_name/pets/limit/100" / place
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps({"data": {"dataset": sets}}))
    (root / "pets.arff").write_text(PETS, encoding="utf-8")
    describe(root)
    monkeypatch.setenv("CASEBASE_CACHE", str(tmp_path / "kept"))
    return root


@pytest.fixture
def fetch(root):
    """Fetch from the folder."""
    return partial(fetch_openml, server=root.as_uri())


@pytest.mark.parametrize("which", [{"name": "pets"}, {"name": "pets", "version": 1}, {"data_id": 7}])
def test_a_set_by_name_or_number(fetch, which):
    """Numbers are floats where declared, the row number and the class are no features, gaps are ? and nan."""
    pets = fetch(**which)

    assert repr(pets) == "Dataset('pets': 3 cases, 2 features, 2 classes)"
    assert pets.feature_names == ("legs", "sound")
    assert pets.data[:2].tolist() == [[4.0, "miaow"], [2.0, "tweet, tweet"]]
    assert np.isnan(pets.data[2, 0])
    assert pets.data[2, 1] == "?"
    assert pets.target.tolist() == ["cat", "bird", "bird"]


def test_all_as_symbols_and_another_class(fetch):
    """Numbers stay as they are written; the class may be any column."""
    pets = fetch("pets", symbolic=True, target="sound")

    assert pets.data.tolist() == [["4", "cat"], ["2", "bird"], ["?", "bird"]]
    assert pets.target.tolist() == ["miaow", "tweet, tweet", "?"]


def test_over_http(root):
    """A local server answers as the folder does."""
    handler = partial(SimpleHTTPRequestHandler, directory=str(root))
    handler.log_message = lambda *args: None
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        address = f"http://127.0.0.1:{server.server_port}"
        describe(root, url=f"{address}/pets.arff")
        threading.Thread(target=server.serve_forever, daemon=True).start()
        pets = fetch_openml("pets", server=address)
        with pytest.raises(DataNotFoundError, match="no active data set called 'cars'"):
            fetch_openml("cars", server=address)
        server.shutdown()
    assert pets.target.tolist() == ["cat", "bird", "bird"]
    again = fetch_openml("pets", server=address)  # nobody is there any more
    assert again.data[0].tolist() == [4.0, "miaow"]


def test_what_was_fetched_is_not_asked_for_again(fetch, root):
    """The table may go from the server."""
    fetch("pets")
    (root / "pets.arff").unlink()

    assert len(fetch("pets").target) == 3


def test_without_a_network(tmp_path):
    """The message says what can be done instead; a report on a paper takes it as data that are not there."""
    with pytest.raises(DataNotFoundError, match=r"Cannot reach http://127\.0\.0\.1:9: .*load_keel.*CASEBASE_CACHE"):
        fetch_openml("pets", server="http://127.0.0.1:9", folder=tmp_path)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"name": "cars"}, "no active data set called 'cars'"),
        ({"name": "pets", "version": 5}, "no version 5 of a data set called 'pets'"),
        ({"data_id": 8}, "no data set with the number 8"),
    ],
)
def test_sets_that_are_not_there(fetch, asked, message):
    """The server is named, and what it does not have."""
    with pytest.raises(DataNotFoundError, match=message):
        fetch(**asked)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({}, "either the name"),
        ({"name": "pets", "data_id": 7}, "either the name"),
        ({"data_id": 7, "version": 1}, "version goes with a name"),
        ({"data_id": 7, "target": "kond"}, "Did you mean 'kind'"),
    ],
)
def test_wrong_questions(fetch, asked, message):
    """They are told before or after asking, with what to say instead."""
    with pytest.raises(CasebaseError, match=message):
        fetch(**asked)


@pytest.mark.parametrize("named", [None, "kind,sound"])
def test_a_set_without_a_single_class_asks_for_one(fetch, root, named):
    """OpenML has sets for other tasks."""
    describe(root, default_target_attribute=named)
    with pytest.raises(CasebaseError, match="pass target=, one of number, legs, sound, kind"):
        fetch("pets")


def test_a_damaged_table_is_not_kept(fetch, root):
    """What differs from its checksum is an error, and is fetched anew."""
    (root / "pets.arff").write_text(PETS[:-10], encoding="utf-8")
    with pytest.raises(FormatError, match="does not match its checksum"):
        fetch("pets")
    (root / "pets.arff").write_text(PETS, encoding="utf-8")

    assert len(fetch("pets").target) == 3


def test_a_server_cannot_choose_files_of_this_machine(root):
    """Only a server that is itself a folder may name files."""
    handler = partial(SimpleHTTPRequestHandler, directory=str(root))
    handler.log_message = lambda *args: None
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with pytest.raises(FormatError, match="that is not allowed"):
            fetch_openml(data_id=7, server=f"http://127.0.0.1:{server.server_port}")
        server.shutdown()


def test_answers_that_are_not_openml_s(fetch, root):
    """A page instead of JSON, or JSON of something else."""
    (root / "api/v1/json/data/7").write_text("<html>")
    with pytest.raises(FormatError, match="not JSON"):
        fetch(data_id=7)
    (root / "api/v1/json/data/7").write_text("[]")
    with pytest.raises(FormatError, match="is not OpenML"):
        fetch(data_id=7)


def test_a_folder_that_cannot_be_written_is_told(fetch, tmp_path):
    """The message names the folder and the ways to another one."""
    (tmp_path / "file").write_text("")
    with pytest.raises(CasebaseError, match=r"Cannot write to the cache .* CASEBASE_CACHE"):
        fetch("pets", folder=tmp_path / "file" / "below")
