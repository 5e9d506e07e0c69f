"""What must be the same for a run that is resumed: the program, what it does and its settings, and the data."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from hashlib import blake2b
from pathlib import Path

from casebase import __version__
from casebase.base.method import Method
from casebase.base.settings import Settings
from casebase.data.roles import Roles
from casebase.formats.columnar_parts import FragmentPart, Part, StreamPart
from casebase.formats.ids import IdsFile
from casebase.formats.partitions import Partition
from casebase.formats.parts import Parts
from casebase.formats.stored import Stored
from casebase.scale.scratch import Identity
from casebase.tagging.case_bases import TaggerSettings
from casebase.tagging.committee import CommitteeSettings
from casebase.tagging.corpora.parts import CorpusParts


def identity_for(
    parts: Parts, method: Method, settings: Settings, roles: Roles, ids: IdsFile | None, held_out: float | None
) -> Identity:
    """Return what is trained on which data, and how it is cut."""
    return {
        "version": __version__,
        "method": method.name,
        "settings": settings.to_dict(),
        **identity_of_data(parts, asdict(roles) | {"held_out": held_out}, ids),
    }


def identity_of_data(parts: Parts, options: Mapping[str, object], ids: IdsFile | None = None) -> Identity:
    """Return which data are read, with which options, and how they are cut."""
    return {
        "options": {**asdict(parts.plan.given), **options},
        "memory or workers": parts.sizes,
        "data": [*_data(parts), *([] if ids is None else [_file(ids.file, parts.scratch.has(ids.file.path))])],
    }


def identity_of_corpus(
    parts: CorpusParts,
    settings: TaggerSettings | CommitteeSettings,
    options: Mapping[str, object],
    sizes: tuple[int, int],
) -> Identity:
    """Return which tagger is trained on which files, and how they are cut."""
    return {
        "version": __version__,
        "method": "tagger",
        "settings": vars(settings),
        "options": dict(options),
        "memory or workers": sizes,
        "data": [_file(file, parts.scratch.has(file.path)) for file in parts.files],
    }


def _data(parts: Parts) -> Iterator[tuple[object, ...]]:
    for file in parts.files:
        yield _file(file, parts.scratch.has(file.path))
    for part in parts.parts:
        yield part.name, part.n_bytes, *_own_file(part)


def _file(file: Stored, is_temporary: bool) -> tuple[object, ...]:
    """Return how a file is known: by its time, or by its content if this is a copy of something without one."""
    if file.path is not None and not is_temporary:
        return file.path, file.size, os.stat(file.path).st_mtime_ns
    if file.path is not None:
        return file.name, file.size, _digest(file.path)
    return file.name, file.size, blake2b(file.data, digest_size=16).hexdigest()


def _own_file(part: Part) -> tuple[object, ...]:
    if isinstance(part, Partition):
        return (part.key,)  # Dask names what is computed by its recipe
    if isinstance(part, StreamPart):
        return (_digest(part.path),)
    if isinstance(part, FragmentPart) and Path(part.fragment.path).exists():
        return (os.stat(part.fragment.path).st_mtime_ns,)
    return ()


def _digest(path: str) -> str:
    content = blake2b(digest_size=16)
    with open(path, "rb") as file:
        while block := file.read(1 << 22):
            content.update(block)
    return content.hexdigest()
