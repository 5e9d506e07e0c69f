"""The scores of a tagger, printed as tables."""

from rich.console import Console

from casebase.base.model import format_count
from casebase.cli.output import grid
from casebase.tagging.chunks import ChunkScores
from casebase.tagging.scores import SentenceShare, Share, TaggingScores

N_TAGS = 20
N_CONFUSIONS = 10


def print_scores(
    out: Console, scores: TaggingScores, *, n_tags: int = N_TAGS, n_confusions: int = N_CONFUSIONS
) -> None:
    """Print accuracies, the scores of each tag, and the most frequent confusions."""
    table = grid("", "words", "right", "accuracy")
    for name, share in (("all", scores.all), ("known", scores.known), ("unknown", scores.unknown)):
        table.add_row(name, f"{share.n_words:,}", f"{share.n_right:,}", percent(share))
    out.print(table, markup=False)
    out.print(
        f"\n{scores.sentences.n_right:,} of {format_count(scores.sentences.n_sentences, 'sentence')} without an error "
        f"({percent(scores.sentences)})"
    )
    if scores.words_per_second is not None:
        out.print(f"{scores.words_per_second:,.0f} words a second")
    if scores.chunks is not None:
        _print_chunks(out, scores.chunks)
    frequent = sorted(scores.per_tag, key=lambda score: -score.n_actual)
    tags = grid("tag", "words", "precision", "recall", "F")
    for score in frequent[:n_tags]:
        tags.add_row(
            score.tag, f"{score.n_actual:,}", _share(score.precision), _share(score.recall), f"{score.f_score:.4f}"
        )
    out.print()
    out.print(tags, markup=False)
    if len(frequent) > n_tags:
        out.print(f"… and {format_count(len(frequent) - n_tags, 'rarer tag')}; --json has them all")
    if not scores.confusions:
        return
    confused = grid("is", "tagged", "times", first_left=2)
    confused.add_column("for example", justify="left", overflow="fold")
    for one in scores.confusions[:n_confusions]:
        confused.add_row(one.actual, one.answered, f"{one.n:,}", one.examples[0])
    out.print()
    out.print(confused, markup=False)
    if len(scores.confusions) > n_confusions:
        out.print(f"… and {len(scores.confusions) - n_confusions:,} rarer confusions; --json has them all")


def _print_chunks(out: Console, chunks: ChunkScores) -> None:
    table = grid("chunk", "chunks", "found", "right", "precision", "recall", "F")
    for score in (chunks.all, *chunks.per_type):
        table.add_row(
            score.type,
            f"{score.n_actual:,}",
            f"{score.n_answered:,}",
            f"{score.n_right:,}",
            _share(score.precision),
            _share(score.recall),
            f"{score.f_score:.4f}",
        )
    out.print()
    out.print(table, markup=False)


def percent(share: Share | SentenceShare) -> str:
    return "" if share.accuracy is None else f"{share.accuracy:.2%}"


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"
