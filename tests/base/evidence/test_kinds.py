"""Every kind of evidence is shown as text, as a page, in a notebook, and comes back from JSON."""

import importlib
import json
import re
from dataclasses import FrozenInstanceError, fields
from pathlib import Path

import pytest

import casebase
from casebase.base.evidence import Explanation
from casebase.errors import CasebaseError
from casebase.kinds import KINDS, evidence_from_dict, record_of
from casebase.render.blocks import (
    Amounts,
    CaseTable,
    Headline,
    Listing,
    Query,
    Rules,
    Sentences,
    Votes,
)
from casebase.render.blocks import Path as PathBlock
from casebase.render.page import render_html
from tests.base.evidence import records
from tests.base.evidence.test_html import parsed

every_kind = pytest.mark.parametrize("kind", KINDS)

# What each record of the tests gives, block by block.
BLOCKS = {
    "abstract": [Query, Votes, Sentences, CaseTable],
    "committee": [Listing, Listing],
    "evidence": [Query, Votes],
    "flip": [Query, Listing, Sentences],
    "hyphenation": [Listing],
    "lattice": [Query, Votes, Sentences, Rules, CaseTable],
    "lemma": [Listing],
    "neighbours": [Query, Votes, Sentences, PathBlock, CaseTable],
    "path": [Query, Votes, Sentences, PathBlock],
    "perceptron": [Query, Votes, Sentences, PathBlock, Amounts],
    "rule": [Query, Votes, Sentences, Rules, Rules, CaseTable],
    "shares": [Query, Votes, Sentences, Amounts, Listing, CaseTable, CaseTable],
    "string": [Query, Votes, Sentences, Rules, Rules, Listing],
    "tag": [Headline, Listing, Listing, Listing, Listing],
    "tree": [Query, Votes, Sentences, PathBlock],
}
# What a reader must find in the text, and what on the page.
SAID = {
    "abstract": (
        [
            "class = P: 4 of 5 records that agree on 1 of 2 kept features",
            "not compared: f2",
            "≠b",
            "Q 1",
            "… and 1 abstract case not listed",
        ],
        ["Not compared: f2", "≠ b", ">Q 1<", "… and 1 abstract case not listed"],
    ),
    "committee": (
        ["N rather than V", "for N:\n", "word = dog, tag-1 = D: N 1,200, V 1", "for V:\n    suffix3 = dog: never met"],
        ["rather than V", "For N:", "word = dog, tag-1 = D: N 1,200, V 1", "For V:", "suffix3 = dog: never met"],
    ),
    "flip": (
        ["P → Q, with 1 change", "f1: a → b", "no flip has fewer changes (proved)", "without records 4, 12"],
        [
            "P → Q <small>with 1 change</small>",
            "f1: a → b",
            "No flip has fewer changes (proved)",
            "ithout records 4, 12",
        ],
    ),
    "evidence": (["class = P: 1 of 1 vote; no other class has any."], ["class =</span> P", "1 of 1 vote; no"]),
    "hyphenation": (
        ["ki|ssa  no break: by default", "from 3 words: kis-sa, tas-su, …", "with KE (classes)", "over ss forbids"],
        [
            "ki|ssa  no break: by default",
            "<mark>kis|sa</mark>  break: s-s allows at level 2",
            "tas-su",
            "over ss forbids",
        ],
    ),
    "lemma": (
        ["zoo", "N; -s; not seen", "rests on 2 words of the corpus with the ending -oos:", "moos → moo"],
        ["N; -s; not seen", "2 words of the corpus with the ending -oos:", "boos → boo"],
    ),
    "lattice": (
        ["f1 = a, f2 = x", "≠?missing", "4 records are in their pools"],
        ["4 records are in their", "≠ ?missing"],
    ),
    "neighbours": (
        ["f3 0.5", "f2 = x     → P", "of another class (Q) is record 7 at 0.5."],
        ["+0.5", "cb-end", "nearest rival</small>", "never seen</small>", "class (Q) is record 7 at 0.5."],
    ),
    "path": (["f2 > 2.5  → P", "stopped at a leaf of 2 classes"], ["&gt; 2.5 → P", ">75%<", "leaf of 2 classes"]),
    "perceptron": (
        ["sums: P 3, R 1, Q -2", "+2.25  f2 = x", "-0.75  f1 = a", "… and 1 feature with less to say"],
        ["its lead over R is 2", "+2.25", "-0.75", "cb-against", "… and 1 feature with less to say"],
    ),
    "rule": (
        ["rule: f1 = a and f3 > 2 → P", "overrides: f2 = x → Q", "exception to it does not hold: f2 = y", "≠y"],
        ["Rules that hold", "otherwise", "Exceptions that do not hold", "exception</small>", "≠ y"],
    ),
    "shares": (
        [
            "class = P: p = 0.750",
            "forest (weight 80%): P, p = 0.875",
            "kernel (weight 20%): Q, p = 0.750",
            "+1.5  f1 = a",
            "1 of 9 records, with 0.125 of the 0.25 against it",
        ],
        ["p = 0.750", "weight 80%", "Records for it", "Records against it", "0.125"],
    ),
    "string": (
        [
            "class = T: 3 of 4 strings that the rule decides say so; the next class (SH) has 1.",
            "rule: |t → T (5 strings, 2 exceptions), level 2 of 2",
            "the exception to it does not hold: E|tKE (classes around the letter) → SH",
            "letters that no training string has: v",
            "na|tion → SH  (decided by an exception)",
            "… and 3 more",
        ],
        ["Rules that hold", "Exceptions that do not hold", "na|tion → SH", "… and 3 more"],
    ),
    "tag": (
        [
            "dog: N (in the lexicon; confidence 97.3 % by 1,204 held-out words)",
            "  N rather than V",
            "    word = dog",
            "rests on 1,201 places",
            "the [dog] barks  → N",
            "against it is 1 place in the corpus:\n    they [dog] him  → V",
        ],
        [
            "dog → N",
            "confidence 97.3 %",
            "word = dog",
            "Rests on 1,201 places",
            "the <mark>[dog]</mark> barks",
            "Against it is 1 place",
        ],
    ),
    "tree": (["f2 = x     → P", "f1 = z has no branch here"], ["f1 = z has no branch here", "cb-end", ">75%<"]),
}


def test_every_record_has_a_kind_that_is_listed():
    """JSON of a record that no list knows could not be read."""
    source = Path(casebase.__file__).parent
    for file in source.glob("*/**/*.py"):
        if re.search(r"^class \w+\(\w*(Evidence|Explanation)\)", file.read_text(encoding="utf-8"), re.MULTILINE):
            importlib.import_module(".".join(["casebase", *file.relative_to(source).with_suffix("").parts]))

    def below(record: type) -> set[type]:
        return {record}.union(*map(below, record.__subclasses__()))

    # Examples in the manual define records, too, if they ran in this process.
    ours = {record for record in below(Explanation) - {Explanation} if record.__module__.startswith("casebase.")}
    assert {(record.kind, record) for record in ours} == {(kind, record_of(kind)) for kind in KINDS}
    assert set(records.BY_KIND) == set(KINDS)


@every_kind
def test_a_record_is_frozen(kind):
    """Nobody changes evidence after the fact."""
    record = records.BY_KIND[kind]

    with pytest.raises(FrozenInstanceError):
        setattr(record, fields(record)[0].name, None)


@every_kind
def test_a_record_gives_its_blocks(kind):
    """The headline says the answer, and nothing that the record holds has been forgotten."""
    record = records.BY_KIND[kind]

    assert record.headline().answer
    assert [type(block) for section in record.sections() for block in section.blocks] == BLOCKS[kind]


@every_kind
def test_text_page_and_notebook_show_the_blocks(kind):
    """What the blocks hold can be read everywhere."""
    record, (in_text, on_page) = records.BY_KIND[kind], SAID[kind]
    page = render_html(record)

    assert [words for words in in_text if words not in str(record)] == []
    assert [words for words in on_page if words not in page] == []
    assert [words for words in on_page if words not in record._repr_html_()] == []
    parsed(page), parsed(record._repr_html_())


@every_kind
def test_json_and_back_changes_nothing(kind):
    """A record written as JSON and read again is equal to itself, and says its kind."""
    record = records.BY_KIND[kind]
    written = json.loads(json.dumps(record.to_dict(), allow_nan=False))

    assert written["kind"] == kind
    assert evidence_from_dict(written) == record


@every_kind
def test_a_record_with_something_missing_is_refused(kind):
    """What is missing is named."""
    written = records.BY_KIND[kind].to_dict()
    name = next(name for name in written if name != "kind")
    del written[name]

    with pytest.raises(CasebaseError, match=f"not complete: it lacks {name}"):
        evidence_from_dict(written)


def test_a_tag_that_rests_on_a_case_base_has_the_evidence_of_the_case_base():
    """The tagger's case bases give neighbours or paths, below the word and its tag."""
    record = records.tag(evidence=records.neighbours())

    assert "\n  class = P: 2 of 3 records at distance 0.5 say so; " in str(record)
    assert "≠ 1" in render_html(record)
    assert evidence_from_dict(json.loads(json.dumps(record.to_dict()))) == record


def test_a_tag_does_not_rest_on_every_kind():
    """A hyphenation is no evidence for a tag."""
    written = records.tag().to_dict() | {"evidence": records.hyphenation().to_dict()}

    with pytest.raises(CasebaseError, match="kind of evidence 'hyphenation'"):
        evidence_from_dict(written)
