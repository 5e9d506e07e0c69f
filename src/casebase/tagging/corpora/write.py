"""Writer for a tagged corpus: in the lines of its file, or in another format."""

from casebase.errors import CasebaseError, unknown_name
from casebase.tagging.corpora.conllu import N_COLUMNS, TAG_COLUMNS
from casebase.tagging.corpora.corpus import Corpus, RunningLines
from casebase.tagging.sentences import texts_in
from casebase.tagging.universal import NOTHING

TAGGED_FORMATS = ("tagged", "tsv", "conll2000", "conllu")


def corpus_text(corpus: Corpus, tags: list[str], *, format: str | None = None, tag: str = "upos") -> str:
    """Return the corpus with these tags as text; in its own format all lines are kept.

    >>> from casebase.tagging.corpora.read import read_corpus
    >>> corpus = read_corpus(b"The dog barks\\n", tagged=False, format="tokens")
    >>> corpus_text(corpus, ["D", "N", "V"])
    'The/D dog/N barks/V\\n'
    >>> corpus_text(corpus, ["D", "N", "V"], format="tsv")
    'The\\tD\\ndog\\tN\\nbarks\\tV\\n\\n'
    """
    own = "tagged" if corpus.format in ("tokens", "text") else corpus.format
    if format is None or format == own:
        return corpus.lines.with_tags(corpus.sentences.words, tags)
    if format not in TAGGED_FORMATS:
        raise CasebaseError(unknown_name("format of tagged text", format, TAGGED_FORMATS))
    lengths = corpus.sentences.lengths
    if format == "tagged":
        return RunningLines(lengths).with_tags(corpus.sentences.words, tags)
    columns = [*map(texts_in, (corpus.sentences.words, *corpus.sentences.extra)), tags]
    lines, at = [], 0
    for n in lengths.tolist():
        for i in range(at, at + n):
            fields = [column[i] for column in columns]
            lines.append(_conllu(i - at + 1, fields[0], fields[-1], tag) if format == "conllu" else fields)
        lines.append([])
        at += n
    separator = " " if format == "conll2000" else "\t"
    return "".join(f"{separator.join(fields)}\n" for fields in lines)


def _conllu(number: int, word: str, label: str, tag: str) -> list[str]:
    fields = [str(number), word, *[NOTHING] * (N_COLUMNS - 2)]
    fields[TAG_COLUMNS[tag]] = label
    return fields
