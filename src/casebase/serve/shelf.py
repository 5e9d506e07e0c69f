"""The shelf: the model files that are served, each at its desk, and tables that nothing was learned from yet."""

import os
import re
import shutil
import tempfile
import threading
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from casebase.errors import CasebaseError, NotFoundError, unknown_name
from casebase.formats.source import GZIP_MAGIC, ZSTD_MAGIC, is_model_file
from casebase.serve.desks.desk import Desk

SUFFIXES = frozenset(
    {".csv", ".tsv", ".txt", ".data", ".arff", ".parquet", ".xlsx", ".jsonl", ".ndjson", ".json", ".feather", ".arrow"}
)  # the files of a folder that are tables; a file that is named alone may have any ending
BESIDE = (".journal", ".lock", ".kept")  # what a desk keeps beside its model file


class Shelf:
    """Models and tables by name; a name is made of the file's name, and never a path."""

    def __init__(self, folder: Path | None = None, *, read_only: bool = False, hidden: Iterable[Path] = ()) -> None:
        self.folder, self.read_only = folder, read_only
        self.hidden = frozenset(path.resolve() for path in hidden)  # files of a folder that nobody may see: tokens
        self.desks: dict[str, Desk] = {}
        self.tables: dict[str, Path] = {}
        self._lock = threading.Lock()
        self._address: str | None = None
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)

    def add(self, paths: Iterable[str | os.PathLike[str]]) -> None:
        """Put models, tables, and the models and tables of folders on the shelf."""
        for path in map(Path, paths):
            if path.is_dir():
                for file in sorted(path.iterdir()):
                    if _is_served(file, path, self.hidden):
                        self.add_file(file)
            else:
                self.add_file(path)

    def announce(self, address: str) -> None:
        """Tell commands that want to change one of the model files where the server is that has them."""
        with self._lock:
            self._address = address
            for desk in self.desks.values():
                desk.announce(address)

    def add_file(self, path: Path) -> str:
        """Put a model or a table on the shelf and return its name."""
        if not path.is_file():
            raise CasebaseError(f"There is no file {path}. Give a model, a table, or a folder of them.")
        with self._lock:
            if is_model_file(str(path)):
                if any(path.resolve() == desk.path for desk in self.desks.values()):
                    raise CasebaseError(f"{path} is given twice.")
                name = _free_name(path.stem, self.desks)
                self.desks[name] = Desk.open(path, name=name, read_only=self.read_only, address=self._address)
            else:
                name = _free_name(path.stem, self.tables)
                self.tables[name] = path
        return name

    def receive(self, content: BinaryIO, file_name: str) -> tuple[str, bool]:
        """Keep an uploaded file in the folder under a name that cannot leave it, and put it on the shelf.

        Returns its name, and whether it is a model.
        """
        folder = self.writable_folder()
        with new_upload(folder) as file:
            shutil.copyfileobj(content, file, 1 << 20)
        return self.take(Path(file.name), file_name)

    def take(self, upload: Path, file_name: str) -> tuple[str, bool]:
        """Put an uploaded file on the shelf, which is in the folder under a temporary name; it goes if it is refused.

        Returns its name, and whether it is a model.
        """
        stem, suffix = os.path.splitext(Path(file_name.replace("\\", "/")).name)
        safe_suffix = suffix.lower() if suffix.lower() in (*SUFFIXES, ".cb", ".xls", ".ods") else ".txt"
        path = self._free_path(upload.parent, safe_name(stem), safe_suffix)
        try:
            refuse_compressed(upload)
            os.replace(upload, path)
        except OSError as error:
            raise CasebaseError(f"Cannot write {path}: {error.strerror}.") from error
        finally:
            upload.unlink(missing_ok=True)
        try:
            return self.add_file(path), is_model_file(str(path))
        except BaseException:
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

    def replace_model(self, name: str, upload: Path) -> str:
        """Put an uploaded model in the place of one in the folder; whatever happens, one of the two is there."""
        path = self._close(name)
        for beside in BESIDE:
            Path(f"{path}{beside}").unlink(missing_ok=True)
        try:
            os.replace(upload, path)
        except OSError as error:
            raise CasebaseError(f"Cannot replace {path}: {error.strerror}.") from error
        finally:
            kept = self.add_file(path)
        return kept

    def drop_model(self, name: str) -> None:
        """Take a model from the shelf; delete its files if it was uploaded or learned here."""
        self._delete(self._close(name))

    def _close(self, name: str) -> Path:
        """Take a model from the shelf, and return its file, which is whole."""
        with self._lock:
            desk = self.desk(name)
            del self.desks[name]
        desk.close()
        return desk.path

    def drop_table(self, name: str) -> None:
        """Take a table from the shelf; delete its file if it was uploaded here."""
        with self._lock:
            path = self.table(name)
            del self.tables[name]
        self._delete(path)

    def _delete(self, path: Path) -> None:
        if self.folder is not None and path.parent.resolve() == self.folder.resolve():
            for beside in ("", *BESIDE):
                Path(f"{path}{beside}").unlink(missing_ok=True)

    def close(self) -> None:
        """Write what is not yet in the model files, and let others have them."""
        for desk in list(self.desks.values()):
            desk.close()

    def __iter__(self) -> Iterator[str]:
        yield from (*self.desks, *self.tables)

    def writable_folder(self) -> Path:
        """Return the folder for new files; an error if the server has none."""
        if self.folder is None or self.read_only:
            raise CasebaseError("This server takes no files. Start it with --folder FOLDER, where it can keep them.")
        return self.folder

    def _free_path(self, folder: Path, stem: str, suffix: str) -> Path:
        return next(path for one in _numbered(stem) if not (path := folder / f"{one}{suffix}").exists())


@contextmanager
def new_upload(folder: Path) -> Iterator[BinaryIO]:
    """Yield a new file for an upload; an error leaves nothing of it."""
    path = None
    try:
        with tempfile.NamedTemporaryFile(dir=folder, prefix=".upload-", delete=False) as file:
            path = Path(file.name)
            yield cast(BinaryIO, file)
    except BaseException as error:
        if path is not None:
            path.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise CasebaseError(f"Cannot write to {folder}: {error.strerror}.") from error
        raise


def refuse_compressed(upload: Path) -> None:
    with open(upload, "rb") as file:
        if file.read(8).startswith((GZIP_MAGIC, ZSTD_MAGIC)):  # what it holds may be a thousand times as large
            raise CasebaseError("A compressed file is not taken here. Unpack it, then drop the table.")


def safe_name(stem: str) -> str:
    """Return a file's stem as a name for an address.

    >>> safe_name("../été 2024 (final)"), safe_name("…")
    ('t-2024-final', 'table')
    """
    return re.sub(r"[^A-Za-z0-9._-]+", "-", stem).strip("-.")[:60] or "table"


def _free_name(stem: str, taken: Collection[str]) -> str:
    """Return a name that is not taken; models and tables have names of their own, which do not depend on each other."""
    return next(one for one in _numbered(safe_name(stem)) if one not in taken)


def _is_served(file: Path, folder: Path, hidden: Collection[Path]) -> bool:
    """Return whether a file of a folder is put on the shelf: a model or a table, and no link that leads out of it."""
    if not file.is_file() or file.name.startswith(".") or file.resolve() in hidden:
        return False
    if not file.resolve().is_relative_to(folder.resolve()):
        return False
    return file.suffix.lower() in SUFFIXES or is_model_file(str(file))


def _numbered(name: str) -> Iterator[str]:
    yield name
    for n in range(2, 100_000):
        yield f"{name}-{n}"
