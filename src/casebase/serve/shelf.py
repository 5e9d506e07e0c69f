"""The shelf: the model files that are served, each at its desk, and tables that nothing was learned from yet."""

import os
import re
import tempfile
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from casebase.errors import CasebaseError, NotFoundError, unknown_name
from casebase.formats.source import is_model_file
from casebase.serve.desks.desk import Desk

SUFFIXES = frozenset(
    {".csv", ".tsv", ".txt", ".data", ".arff", ".parquet", ".xlsx", ".jsonl", ".ndjson", ".json", ".feather", ".arrow"}
)  # the files of a folder that are tables; a file that is named alone may have any ending


class Shelf:
    """Models and tables by name; a name is made of the file's name, and never a path."""

    def __init__(self, folder: Path | None = None, *, read_only: bool = False) -> None:
        self.folder, self.read_only = folder, read_only
        self.desks: dict[str, Desk] = {}
        self.tables: dict[str, Path] = {}
        self._lock = threading.Lock()
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)

    def add(self, paths: Iterable[str | os.PathLike[str]]) -> None:
        """Put models, tables, and the models and tables of folders on the shelf."""
        for path in map(Path, paths):
            if path.is_dir():
                for file in sorted(path.iterdir()):
                    if file.is_file() and (file.suffix in SUFFIXES or is_model_file(str(file))):
                        self.add_file(file)
            else:
                self.add_file(path)

    def add_file(self, path: Path) -> str:
        """Put a model or a table on the shelf and return its name."""
        if not path.is_file():
            raise CasebaseError(f"There is no file {path}. Give a model, a table, or a folder of them.")
        with self._lock:
            name = self._free_name(path.stem)
            if is_model_file(str(path)):
                self.desks[name] = Desk.open(path, name=name, read_only=self.read_only)
            else:
                self.tables[name] = path
        return name

    def receive(self, content: BinaryIO, file_name: str) -> str:
        """Keep an uploaded file in the folder under a name that cannot leave it, and put it on the shelf."""
        folder = self.writable_folder()
        stem, suffix = os.path.splitext(Path(file_name.replace("\\", "/")).name)
        safe_suffix = suffix.lower() if re.fullmatch(r"\.[A-Za-z0-9]{1,10}", suffix) else ""
        with tempfile.NamedTemporaryFile(dir=folder, prefix=".upload-", delete=False) as file:
            while block := content.read(1 << 20):
                file.write(block)
        path = self._free_path(folder, safe_name(stem), safe_suffix)
        os.replace(file.name, path)
        try:
            return self.add_file(path)
        except CasebaseError:
            path.unlink()  # a damaged model
            raise

    def new_model_path(self, stem: str) -> Path:
        """Return a path for a new model in the folder."""
        return self._free_path(self.writable_folder(), safe_name(stem), ".cb")

    def desk(self, name: str) -> Desk:
        """Return the desk with this name."""
        if name not in self.desks:
            raise NotFoundError(unknown_name("model", name, self.desks))
        return self.desks[name]

    def table(self, name: str) -> Path:
        """Return the file of the table with this name."""
        if name not in self.tables:
            raise NotFoundError(unknown_name("table", name, self.tables))
        return self.tables[name]

    def drop(self, name: str) -> None:
        """Take a model or a table from the shelf; delete its file if it was uploaded or learned here."""
        if name in self.desks:
            desk = self.desks.pop(name)
            desk.close()
            path = desk.path
        else:
            path = self.table(name)
            del self.tables[name]
        if self.folder is not None and path.parent.resolve() == self.folder.resolve():
            path.unlink(missing_ok=True)

    def close(self) -> None:
        """Write what is not yet in the model files, and let others have them."""
        for desk in self.desks.values():
            desk.close()

    def __iter__(self) -> Iterator[str]:
        yield from (*self.desks, *self.tables)

    def writable_folder(self) -> Path:
        """Return the folder for new files; an error if the server has none."""
        if self.folder is None or self.read_only:
            raise CasebaseError("This server takes no files. Start it with --folder FOLDER, where it can keep them.")
        return self.folder

    def _free_name(self, stem: str) -> str:
        name = safe_name(stem)
        taken = {*self.desks, *self.tables}
        return next(one for one in _numbered(name) if one not in taken)

    def _free_path(self, folder: Path, stem: str, suffix: str) -> Path:
        return next(path for one in _numbered(stem) if not (path := folder / f"{one}{suffix}").exists())


def safe_name(stem: str) -> str:
    """Return a file's stem as a name for an address.

    >>> safe_name("../été 2024 (final)"), safe_name("…")
    ('t-2024-final', 'table')
    """
    return re.sub(r"[^A-Za-z0-9._-]+", "-", stem).strip("-.")[:60] or "table"


def _numbered(name: str) -> Iterator[str]:
    yield name
    for n in range(2, 100_000):
        yield f"{name}-{n}"
