"""A tagger at a desk: it learns sentences, which come to the end of its corpus."""

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from casebase.base.log import Entry, Id, with_entry
from casebase.data.arrow import pa, pc
from casebase.errors import CasebaseError
from casebase.serve.desks.contents import ContentKind, with_edit
from casebase.serve.desks.edits import Edit, Kind
from casebase.tagging.sentences import Sentences
from casebase.tagging.tagger import Tagger


@dataclass(frozen=True, eq=False)
class TaggerContent:
    """A tagger; its version is a hash of its corpus, and the ids in its log are the numbers of sentences from 0."""

    saved: Tagger
    kind: ClassVar[ContentKind] = "tagger"

    @property
    def is_correctable(self) -> bool:
        return self.saved.has_corpus_

    @property
    def log(self) -> tuple[Entry, ...]:
        return self.saved._log

    @property
    def is_calibrated(self) -> bool:
        return not self.saved._has_old_calibration

    @cached_property
    def version(self) -> str:
        return fingerprint(self.saved.corpus_)

    def prepare(self, edit: Edit) -> Edit:
        if edit.kind != "learn":
            raise CasebaseError(f"This is a tagger: it learns sentences, and takes no {edit.kind!r}.")
        first = self.saved.corpus_.n_sentences
        return edit.with_ids(range(first, first + len(edit.content["sentences"])))

    def apply(self, edit: Edit) -> "TaggerContent":
        larger = self.saved.after(edit.content["sentences"], self.log)
        log = with_entry(self.log, "insert", edit.ids or (), self.version, fingerprint(larger.corpus_), edit.author)
        larger._log = with_edit(log, edit)
        return TaggerContent(larger)

    def recalibrate(self) -> "TaggerContent":
        return self if self.is_calibrated else TaggerContent(self.saved.recalibrated())

    def inverse(self, entry: Entry) -> tuple[Kind, tuple[Id, ...] | None, dict[str, Any]]:
        raise CasebaseError("A tagger cannot forget a sentence. Let it learn the sentence with the right tags.")

    def save(self, path: Path) -> None:
        self.saved.save(path)


def fingerprint(corpus: Sentences) -> str:
    """Return a hash of a corpus, sentence by sentence: 32 hexadecimal digits."""
    digest = hashlib.blake2b(corpus.first.astype("<i8").tobytes(), digest_size=16)
    for column in (corpus.words, corpus.tags, *corpus.extra):
        texts = pc.cast(column, pa.large_string())
        digest.update(pc.binary_length(texts).to_numpy().astype("<i8").tobytes())
        digest.update("".join(texts.to_pylist()).encode())
    return digest.hexdigest()
