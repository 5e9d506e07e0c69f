"""Data sets of OpenML, fetched over the network and cached.

The server answers three requests: the number of a name, the description of a number, and the table itself as ARFF.
A folder of files with the same answers can replace it (`server="file:///…"`).
"""

import hashlib
import json
import os
import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import numpy as np

from casebase.datasets._base import MISSING, Dataset
from casebase.errors import CasebaseError, DataNotFoundError, FormatError, unknown_name
from casebase.formats.arff import ArffText, parse_arff
from casebase.formats.source import Source

SERVER = "https://www.openml.org"
FOLDER_VARIABLE = "CASEBASE_CACHE"
SECONDS = 30.0  # timeout of a silent server


def fetch_openml(
    name: str | None = None,
    *,
    data_id: int | None = None,
    version: int | None = None,
    target: str | None = None,
    symbolic: bool = False,
    folder: str | Path | None = None,
    server: str = SERVER,
) -> Dataset:
    """Return a data set of OpenML, from the network the first time and from a folder afterwards.

    Give its `name`, with a `version` unless you want the first active one, or its number `data_id`. `target` is the
    class column, by default the one that OpenML names. Numeric columns become floats; with `symbolic=True` all values
    are strings. The cache is `folder`, or else the folder in the environment variable `CASEBASE_CACHE`, or else
    `~/.cache/casebase`.

    >>> fetch_openml("kr-vs-kp")  # doctest: +SKIP
    Dataset('kr-vs-kp': 3196 cases, 36 features, 2 classes)

    Vanschoren et al., OpenML: Networked Science in Machine Learning, SIGKDD Explorations 15, 2013.
    """
    if (name is None) == (data_id is None):
        raise CasebaseError("Give either the name of an OpenML data set, or its number as data_id.")
    if data_id is not None and version is not None:
        raise CasebaseError(f"version goes with a name: data_id={data_id} already stands for one version.")
    cache = _Cache(server.rstrip("/"), _folder(folder))
    number = data_id if name is None else _number_of(cache, name, version)
    about = _description(cache, number)
    text = parse_arff(Source(f"{about['name']}.arff", _table(cache, about)))
    return _data_set(text, about, target, symbolic=symbolic)


class _Absent(Exception):
    """The server answered, and has nothing at this address."""


def _says_absent(error: OSError) -> bool:
    """Return whether the server found nothing, for which OpenML answers 412."""
    if isinstance(error, urllib.error.HTTPError):
        return error.code in (400, 404, 410, 412)
    return isinstance(getattr(error, "reason", None), FileNotFoundError)


class _Cache:
    """Answers of a server, cached in a folder by address."""

    def __init__(self, server: str, folder: Path) -> None:
        self.server = server
        self.folder = folder

    def ask(self, address: str, *, changes: bool = False) -> bytes:
        """Return the content of an address, from the cache unless it is new or `changes` over time."""
        path = self.folder / hashlib.sha256(address.encode()).hexdigest()
        if path.is_file() and not changes:
            return path.read_bytes()
        try:
            with urllib.request.urlopen(address, timeout=SECONDS) as answer:
                content: bytes = answer.read()
        except OSError as error:
            if _says_absent(error):
                raise _Absent(address) from error
            if path.is_file():
                return path.read_bytes()
            raise DataNotFoundError(
                f"Cannot reach {self.server}: {getattr(error, 'reason', error)}. Without a network there are "
                f"load_keel, load_local and the computed sets; what was fetched before is cached in "
                f"{self.folder} (the environment variable {FOLDER_VARIABLE} names another folder)."
            ) from error
        self._keep(path, content)
        return content

    def _keep(self, path: Path, content: bytes) -> None:
        # Under another name first, so that an interrupted write leaves no partial answer behind.
        unfinished = path.with_suffix(f".{os.getpid()}")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            unfinished.write_bytes(content)
            unfinished.replace(path)
        except OSError as error:
            raise CasebaseError(
                f"Cannot write to the cache {self.folder}: {error.strerror}. Pass another folder=, or set the "
                f"environment variable {FOLDER_VARIABLE}."
            ) from error

    def forget(self, address: str) -> None:
        (self.folder / hashlib.sha256(address.encode()).hexdigest()).unlink(missing_ok=True)


def _folder(folder: str | Path | None) -> Path:
    if folder is not None:
        return Path(folder)
    named = os.environ.get(FOLDER_VARIABLE)
    return (Path(named) if named else Path.home() / ".cache" / "casebase") / "openml"


def _number_of(cache: _Cache, name: str, version: int | None) -> int:
    """Return the number of a data set by name: the active one with the lowest version, or the given version."""
    wanted = f"{quote(name, safe='')}/limit/100" + (f"/data_version/{version}" if version else "/status/active")
    try:
        found = _json(cache, f"{cache.server}/api/v1/json/data/list/data_name/{wanted}", changes=True)
        sets = found["data"]["dataset"]
    except _Absent:
        sets = []
    except (KeyError, TypeError):
        raise FormatError(f"{cache.server}: the answer about the name {name!r} is not OpenML's.") from None
    if not sets:
        which = f"version {version} of a data set" if version else "active data set"
        raise DataNotFoundError(f"{cache.server} has no {which} called {name!r}.")
    return int(min(sets, key=lambda each: int(each["version"]))["did"])


def _description(cache: _Cache, number: int | None) -> Mapping[str, Any]:
    try:
        about = _json(cache, f"{cache.server}/api/v1/json/data/{number}")["data_set_description"]
        return about if {"name", "url"} <= set(about) else _not_openml(cache, number)
    except _Absent:
        raise DataNotFoundError(f"{cache.server} has no data set with the number {number}.") from None
    except (KeyError, TypeError):
        return _not_openml(cache, number)


def _not_openml(cache: _Cache, number: int | None) -> Mapping[str, Any]:
    raise FormatError(f"{cache.server}: the answer about number {number} is not OpenML's.")


def _json(cache: _Cache, address: str, *, changes: bool = False) -> Any:
    try:
        return json.loads(cache.ask(address, changes=changes))
    except (json.JSONDecodeError, UnicodeDecodeError):
        cache.forget(address)
        raise FormatError(f"{address}: the answer is not JSON.") from None


def _table(cache: _Cache, about: Mapping[str, Any]) -> bytes:
    """Return the bytes of the table after checking their checksum."""
    address = str(about["url"])
    allowed = ("http", "https", *["file"] * cache.server.startswith("file:"))
    if urlsplit(address).scheme not in allowed:  # a server must not make us read local files
        raise FormatError(f"{cache.server} says that {about['name']} is at {address}, an address that is not allowed.")
    try:
        content = cache.ask(address)
    except _Absent:
        raise DataNotFoundError(f"{address}: the table of {about['name']} is not there.") from None
    expected = about.get("md5_checksum")
    if expected and hashlib.md5(content, usedforsecurity=False).hexdigest() != expected:
        cache.forget(address)
        raise FormatError(f"{address}: the content does not match its checksum. Try again.")
    return content


def _data_set(text: ArffText, about: Mapping[str, Any], target: str | None, *, symbolic: bool) -> Dataset:
    names = [attribute.name for attribute in text.attributes]
    wanted = target or about.get("default_target_attribute")
    if not wanted or (target is None and "," in wanted and wanted not in names):
        raise CasebaseError(
            f"OpenML names no single class for {about['name']}: pass target=, one of {', '.join(names)}."
        )
    if wanted not in names:
        raise CasebaseError(unknown_name("target", wanted, names))
    left_out = {wanted, *_name_list(about.get("ignore_attribute")), *_name_list(about.get("row_id_attribute"))}
    kept = [i for i, name in enumerate(names) if name not in left_out]
    data = np.empty((text.n_rows, len(kept)), dtype=object)
    for column, i in enumerate(kept):
        is_measured = text.attributes[i].is_numeric and not symbolic
        data[:, column] = _numbers(text, i) if is_measured else _symbols(text, i)
    classes = np.array(_symbols(text, names.index(wanted)))
    words = f"{about['name']}, version {about.get('version', '?')}, from OpenML (number {about.get('id', '?')})."
    return Dataset(str(about["name"]), data, classes, tuple(names[i] for i in kept), words)


def _symbols(text: ArffText, column: int) -> list[str]:
    return [MISSING if value is None else value for value in text.columns[column].to_pylist()]


def _numbers(text: ArffText, column: int) -> list[Any]:
    try:
        return list(text.numbers(column).tolist())
    except ValueError as error:
        raise FormatError(
            f"{text.source.name}: {text.attributes[column].name} is declared to be numeric: {error}."
        ) from None


def _name_list(names: object) -> list[str]:
    """Return the names that OpenML gives as nothing, as a comma-separated text, or as a list."""
    return [] if not names else names.split(",") if isinstance(names, str) else [str(name) for name in names]  # type: ignore[attr-defined]
