"""From files of tagged sentences to the file of a tagger: open the parts, run the stages, save the tagger."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from casebase.base.threads import n_cores
from casebase.errors import CasebaseError, FormatError
from casebase.progress import Progress, note
from casebase.scale.engine import Engine
from casebase.scale.identity import identity_of_corpus
from casebase.scale.lean import released
from casebase.scale.resources import Resources
from casebase.scale.scratch import check_space, disk_errors, folder_in, identity_of, memory_of, scratch_folder
from casebase.scale.sentences import KeptSentences, read_sentences
from casebase.scale.stages import Stages
from casebase.scale.tagging import SHARES, TaggerWork, calibrate
from casebase.tagging.case_bases import checked_beam
from casebase.tagging.corpora.parts import PART_BYTES, CorpusParts, open_corpus
from casebase.tagging.files.tagger import save_tagger
from casebase.tagging.tagger import Tagger

if TYPE_CHECKING:
    from distributed import Client

BYTES_PER_BYTE = 40  # that a part takes for each byte of text while it is read, at the most, as measured
VALUES_PER_TOKEN = 6  # a token takes about as much as so many values of a table


@dataclass(frozen=True)
class TrainedTagger:
    """What a training has made: the sizes of the corpus, its tags, and the number of its further columns."""

    n_tokens: int
    n_sentences: int
    n_words: int
    tags: tuple[str, ...]
    n_columns: int


def fit_tagger(
    tagger: Tagger | None,
    data: Any,
    *,
    output: str | os.PathLike[str],
    memory: str | int | None = None,
    scratch: str | os.PathLike[str] | None = None,
    client: "Client | None" = None,
    n_threads: int | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Tagger:
    """Train a tagger on a corpus that need not fit into memory, save it, and return it.

    Parameters
    ----------
    tagger : Tagger or None
        A tagger with the parameters to use; it is not changed. None for the default.
    data : path, pattern, or list of them
        Files of tagged sentences ("corpus/*.txt"), in the order of their names; see
        `casebase.tagging.corpora.parts.open_corpus`.
    output : path
        The file of the tagger; an existing one is replaced when the new one is complete.
    memory, scratch, client, n_threads, progress
        As for `fit`.
    **options
        How to read the files: `format`, `tag_column`, `tag`, `encoding`, as `read_corpus` takes them.
    """
    if tagger is not None and not isinstance(tagger, Tagger):
        raise CasebaseError(f"Expected a Tagger with the parameters to use, or None for the default, got {tagger!r}.")
    resources = Resources(
        memory_of(memory), None if scratch is None else Path(scratch), n_threads or n_cores(), client=client
    )
    train_tagger(Tagger() if tagger is None else tagger, data, output, resources, progress=progress, **options)
    return Tagger.load(output)


def train_tagger(
    tagger: Tagger,
    data: Any,
    output: str | os.PathLike[str],
    resources: Resources,
    *,
    keep_corpus: bool = True,
    progress: Progress | None = None,
    **options: Any,
) -> TrainedTagger:
    """Train a tagger with these parameters on the parts of a corpus, and save it; `options` are for reading."""
    settings, beam = tagger.settings, checked_beam(tagger.beam)
    path = Path(output)
    if not path.parent.is_dir():
        raise CasebaseError(f"Cannot write {path}: there is no folder {path.parent}.")
    beside = path.parent.resolve()  # workers of a cluster have other working folders
    with disk_errors(beside / path.name), resources.engine() as engine:
        sizes = _sizes(resources, engine)
        with open_corpus(data, **options, part_bytes=sizes[0], scratch=beside) as parts:
            is_resumable = resources.scratch is not None
            identity = identity_of_corpus(parts, settings, options, sizes) if is_resumable else {}
            with scratch_folder(path, resources.scratch, identity) as folder, disk_errors(folder):
                stages = Stages(folder, engine, SHARES, progress, is_resumable)
                work = TaggerWork(stages, sizes[1])
                with released(work.mapped, resources.memory // 16):
                    model, corpus = work.learn(_read(parts, stages), settings)
                    calibration = calibrate(work, corpus, settings, n_jobs=engine.n_workers)
                    note(progress, "saving")
                    kept = model if keep_corpus else model.without_corpus()
                    save_tagger(path, kept, calibration, {"beam": beam})
                return TrainedTagger(
                    corpus.n_tokens,
                    corpus.n_sentences,
                    len(model.lexicon),
                    tuple(corpus.tags.to_pylist()),
                    len(corpus.texts),
                )


def _sizes(resources: Resources, engine: Engine) -> tuple[int, int]:
    """Return how many bytes of text a part has, and about how many tokens a task takes."""
    part_bytes = resources.part_bytes or min(PART_BYTES, int(resources.for_a_part(engine) / BYTES_PER_BYTE))
    n_tokens = resources.rows_at_a_time(VALUES_PER_TOKEN, engine)
    begun = None if resources.scratch is None else identity_of(folder_in(resources.scratch))
    match (begun or {}).get("memory or workers"):  # no more than in a training that is resumed
        case [int(n_bytes), int(n_before)]:
            return min(part_bytes, n_bytes), min(n_tokens, n_before)
    return part_bytes, n_tokens


def _read(parts: CorpusParts, stages: Stages) -> list[KeptSentences]:
    """Read every part once, and return those that have words."""
    check_space(stages.folder, parts.n_bytes, "reading-*.arrow")
    files = [(part, stages.folder / f"reading-{i:06}.arrow") for i, part in enumerate(parts.parts)]
    kept = [one for one in stages.run("reading", read_sentences, (), files) if one.n_tokens]
    if not kept:
        raise FormatError(f"{parts.files[0].name} has no words.")
    for one in kept:
        if one.n_extra != kept[0].n_extra:
            raise FormatError(
                f"{one.name}: expected {kept[0].n_extra} columns beside word and tag, as in {kept[0].name}, got "
                f"{one.n_extra}."
            )
    return kept
