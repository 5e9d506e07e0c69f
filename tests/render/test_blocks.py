"""Every block is shown by every renderer, and none lets data become elements."""

from dataclasses import dataclass
from typing import get_args

import pytest

from casebase.render import html, text
from casebase.render.blocks import (
    Amounts,
    Block,
    CaseTable,
    Column,
    Entry,
    Headline,
    Listing,
    Path,
    PathStep,
    Query,
    Row,
    Rule,
    Rules,
    Section,
    Sentences,
    Votes,
)
from casebase.render.page import render_html
from casebase.render.text import render_text
from tests.base.evidence.test_html import EVIL, parsed

YES = Headline("yes", "1 of 1 vote")


@dataclass(frozen=True)
class Given:
    """Anything with a headline and sections can be shown."""

    blocks: tuple[Block, ...]
    title: str = "Title"
    page_only: bool = False
    said: Headline = YES

    def headline(self) -> Headline:
        return self.said

    def sections(self) -> tuple[Section, ...]:
        return (Section(self.title, self.blocks, self.page_only),)


def blocks(word: str) -> dict[type, Block]:
    """Return a block of each kind that has a word wherever it takes one."""
    counts = {word: 2.0, f"{word}2": 1.0}
    cases = CaseTable(
        (word,),
        (word,),
        (Column("record", (word,)), Column("", (word,)), Column("classes", (counts,))),
        (Row((word,), (True,), (0.5,)),),
        notes=(word,),
    )
    return {
        Headline: Headline(word, word),
        Sentences: Sentences((word,)),
        Query: Query((word,), (word,), (1.0,), frozenset([word])),
        Votes: Votes(counts, unit=word),
        Amounts: Amounts((word,), (word,), (-0.5,), word),
        Path: Path((PathStep(word, word, word, counts, 3.0, 1, 0.5, is_end=True),)),
        CaseTable: cases,
        Rules: Rules((Rule((word,), (word,), word, 3.0, 1.0), Rule((), (), counts, 1.0)), word, word, word),
        Listing: Listing((Entry(f"{word} {word} {word}", (word,), (len(word) + 1, 2 * len(word) + 1)),), word),
    }


# How often a reader sees the word in the text and on the page.
SEEN = {
    Headline: (2, 2),
    Sentences: (1, 1),
    Query: (2, 2),
    Votes: (2, 3),
    Amounts: (3, 3),
    Path: (5, 5),
    CaseTable: (9, 9),  # on the page once more, as the attribute that names a record
    Rules: (8, 8),
    Listing: (5, 5),
}
every_block = pytest.mark.parametrize("kind", get_args(Block), ids=lambda kind: kind.__name__)


def test_renderers_know_all_blocks():
    """A block that is added is shown by both, and is tested here."""
    assert set(get_args(Block)) == set(text.LINES) == set(html.ELEMENTS) == set(blocks("w"))


@every_block
def test_a_block_is_shown_whole(kind):
    """Each word of a block is in the text and on the page."""
    given = Given((blocks("wort")[kind],))
    page = render_html(given).partition("<main>")[2].lower()

    assert (render_text(given).count("wort"), page.count("wort")) == SEEN[kind]


@every_block
def test_a_block_is_escaped(kind):
    """No element, no attribute and no entity comes from data."""
    page = render_html(Given((blocks(EVIL)[kind],), title=EVIL, said=Headline(EVIL, EVIL, EVIL)), title=EVIL)

    opened = {tag for tag, _ in parsed(page)}
    assert "script" not in opened
    assert page.count("&lt;script&gt;") >= SEEN[kind][1] / 2
    assert all(set(attrs) <= ATTRIBUTES for _, attrs in parsed(page))


ATTRIBUTES = {"class", "scope", "title", "aria-hidden", "tabindex", "lang", "charset", "name", "content"} | {
    "aria-label",
    "data-record",
}


@every_block
def test_a_block_for_pages_is_not_printed(kind):
    """What repeats the text in another form is left out of it."""
    given = Given((blocks("wort")[kind],), page_only=True)

    assert render_text(given) == "yes, 1 of 1 vote"
    assert "wort" in render_html(given).lower()


def test_headlines_as_a_terminal_says_them():
    """An answer with its support; a word with its answer; or as the record words it."""
    said = [
        Headline("P", "1 of 2 votes"),
        Headline("N", "known", "dog"),
        Headline("d-g", subject="dg"),
        Headline("P", wording="so"),
        Headline("P", "1 of 2 votes", target="kind", sentence="1 of 2 votes"),
        Headline("P", "1 of 2 votes", verdict="wrong: the class is Q", is_right=False),
    ]

    assert [render_text(Given((), said=one)) for one in said] == [
        "P, 1 of 2 votes",
        "dog: N (known)",
        "dg: d-g",
        "so",
        "kind = P: 1 of 2 votes.",
        "P, 1 of 2 votes\n  wrong: the class is Q",
    ]


def test_sentences_without_a_title_come_first_on_a_page():
    """They stand right below the answer, wherever a terminal has them."""
    votes, why = Section("Votes", (Votes({"P": 1.0, "Q": 2.0}),)), Section("", (Sentences(("so it was",)),))

    page = html.body(YES, (votes, why))

    assert page.index("So it was") < page.index("Votes")


def test_tables_stand_apart_in_a_text():
    """A blank line precedes a table, and none a sentence; an indented section is indented with its blank lines."""
    path = Path((PathStep(None, None, "P", {"P": 1.0}, 1.0, 0),))

    class Nested(Given):
        def sections(self) -> tuple[Section, ...]:
            return (Section("", (Sentences(("why",)), path), indent=1),)

    assert render_text(Nested(())).splitlines()[1:] == ["    why", "  ", "    all records  → P  1 record: P 1"]


def test_an_empty_block_leaves_no_title():
    """A title over nothing would only puzzle."""
    assert "Title" not in render_html(Given((Rules(()), Path(())))).partition("<main>")[2]
