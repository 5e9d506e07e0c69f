"""Blocks as HTML elements.

All text from data passes through `_text` or `escape`. Colour is never the only signal: a value that differs is marked
with ≠ and its cost, and a bar is next to its number.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any

from casebase.render import words
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
    Shown,
    Votes,
    by_weight,
)
from casebase.render.stylesheet import DEEPEST, STYLE
from casebase.render.words import format_value, number, printable, shorten

N_FEATURES_SHOWN = 12
N_VALUES_SHOWN = 24
N_VOTES_SHOWN = 12
VALUE_WIDTH = 40
AGREEMENT_WIDTH = 600


def render_fragment(evidence: Shown) -> str:
    """Return one explanation with its styles and its signs, to be embedded in a page such as a notebook."""
    said = evidence.headline()
    content = f'<p class="cb-answer">{headline(said)}</p>\n{body(said, evidence.sections(), "p")}'
    return fragment(f"<section>\n{content}\n{legend(signs_in(content))}</section>", STYLE)


def fragment(content: str, style: str) -> str:
    """Return content with its styles, to be embedded in a page such as a notebook."""
    return f'<div class="casebase-evidence">\n<style>\n{style}\n</style>\n{content}\n</div>'


# Each sign or kind of number with a pattern of the HTML that shows it; a page explains those that it has.
SIGNS = (
    ("≠", 'class="cb-differs"', "a value that differs from that of the query"),
    ("+0.1", r"</mark><small>\+", "beside such a value: what the difference adds to the distance"),
    ("(0.1)", 'class="cb-agree"', "after a value on which all records agree: the weight of the feature"),
    (
        "+ −",
        "sets the rival apart",
        "what a feature adds to the distance of the rival, beside the records that decided",
    ),
    ("→", 'class="cb-path"', "leads to the class that a node predicts; the node where the path ends is underlined"),
    ("→", 'class="cb-answer">[^<]* →', "leads from the query to the prediction"),
    ("dashed frame", 'class="cb-new"', "a value that no stored record has"),
    ("highlight", "<mark>[^≠]", "what the prediction is about"),
    ("?missing", r"\?missing", "a missing value"),
    ("–", ">–<", "a value that was not compared"),
    ("bar", 'class="cb-bar', "as long as the number next to it is large"),
    ("dark bar", "cb-bar cb-against", "an amount against the prediction"),
    ("p", "p = ", "a probability"),
    ("✓ ✗", "cb-verdict", "the prediction is the known class of the query, or is not"),
    ("▸", "<summary", "more, to be opened"),
    ("…", "…", "what does not fit is left out"),
)


def signs_in(content: str) -> set[int]:
    """Return the positions of the signs that some HTML has."""
    return {i for i, (_, mark, _) in enumerate(SIGNS) if re.search(mark, content)}


def legend(signs: set[int]) -> str:
    """Return the legend of some signs; empty if there are none."""
    shown = [(sign, meaning) for i, (sign, _, meaning) in enumerate(SIGNS) if i in signs]
    entries = [f"<div><dt>{escape(sign)}</dt><dd>{escape(meaning)}</dd></div>" for sign, meaning in shown]
    return f'<dl class="cb-signs" aria-label="Signs">{"".join(entries)}</dl>\n' if entries else ""


def headline(block: Headline) -> str:
    """Return the subject or the class variable, if there is one, and the prediction."""
    answer = escape(shorten(block.answer, 80))
    if block.target:
        subject = f"{escape(block.subject)}: " if block.subject else ""
        return f'{subject}<span class="cb-name">{escape(shorten(block.target, 80))} =</span> {answer}'
    if block.subject:
        answer = f"{escape(block.subject)} → {answer}"
    return f"{answer} <small>{escape(block.detail)}</small>" if block.detail else answer


def verdict(block: Headline) -> str:
    """Return whether the prediction is right, as a sign and a sentence; empty if that is not known."""
    if block.is_right is None:
        return ""
    kind, sign = ("cb-right", "✓") if block.is_right else ("cb-wrong", "✗")
    return f'<p class="cb-verdict {kind}">{sign} {_capitalise(block.verdict)}</p>\n'


def body(said: Headline, sections: Sequence[Section], title_tag: str = "h3") -> str:
    """Return the content below the prediction: its sentence, then the sections, those without a title first."""
    parts = [f"{_sentence(f'{said.sentence}.')}\n{verdict(said)}".rstrip()] if said.sentence else []
    for section in sorted(sections, key=lambda section: bool(section.title)):  # stable: otherwise in their order
        shown = [ELEMENTS[type(block)](block) for block in section.blocks]
        if section.title and any(shown):
            parts.append(f'<{title_tag} class="cb-part">{escape(section.title)}</{title_tag}>')
        parts += [part for part in shown if part]
    return "\n".join(parts)


def _headline(block: Headline) -> str:
    """Return the headline of an explanation inside another explanation."""
    if block.target:
        return f'<p class="cb-why">{escape(f"{block.target} = {shorten(block.answer, 80)}: {block.sentence}.")}</p>'
    detail = f", {block.detail}" if block.detail else ""
    return f'<p class="cb-why">{escape(shorten(block.answer, 80) + detail)}</p>'


def _sentences(block: Sentences) -> str:
    return "\n".join(map(_sentence, block.lines))


def _sentence(sentence: str) -> str:
    return f'<p class="cb-why">{_capitalise(sentence)}</p>'


def _capitalise(sentence: str) -> str:
    return escape(sentence[:1].upper() + sentence[1:])


def _note(note: str) -> str:
    return f'\n<p class="cb-note">{_capitalise(note)}</p>' if note else ""


def _text(value: Any, width: int = VALUE_WIDTH) -> str:
    return escape(shorten(format_value(value), width))


def _whole(value: Any) -> str:
    """Return a value in full: in a table, values that differ only at their ends must look different."""
    return escape(format_value(value))


def _name(feature: str) -> str:
    return escape(shorten(printable(feature), VALUE_WIDTH))


def _pair(feature: str, value: Any, width: int = VALUE_WIDTH) -> str:
    name = f"{_name(feature)} {words.sign(value)}".rstrip()
    return f'<span class="cb-name">{name}</span> {_text(value, width)}'


def bar(share: float, *, is_against: bool = False) -> str:
    """Return a bar whose length is a share of 1; screen readers skip it, because a number is next to it."""
    share = min(max(share, 0.0), 1.0) if share == share else 0.0
    kind = "cb-bar cb-against" if is_against else "cb-bar"
    return f'<span class="{kind} cb-share-{round(100 * share)}" aria-hidden="true"></span>'


def _query(block: Query) -> str:
    def entry(i: int) -> str:
        feature, is_new = block.features[i], block.features[i] in block.unseen
        pair = _pair(feature, block.values[i], 80)
        return (
            f'<li class="cb-new">{pair} <small class="cb-name">never seen</small></li>'
            if is_new
            else f"<li>{pair}</li>"
        )

    order = list(range(len(block.features)))
    if len(order) <= N_VALUES_SHOWN:
        return f'<ul class="cb-values">{"".join(map(entry, order))}</ul>'
    # Stable: unknown values come first, each group by weight.
    order = sorted(by_weight(len(order), block.weights), key=lambda i: block.features[i] not in block.unseen)
    first, rest = order[:N_VALUES_SHOWN], order[N_VALUES_SHOWN:]
    return (
        f'<ul class="cb-values">{"".join(map(entry, first))}</ul>\n<details><summary class="cb-note">'
        f"{words.plural(len(rest), 'more value')}{', of lesser weight' if block.weights else ''}</summary>\n"
        f'<ul class="cb-values">{"".join(map(entry, rest))}</ul></details>'
    )


def _votes(block: Votes) -> str:
    total = sum(block.counts.values()) or 1.0
    votes = words.largest(block.counts)
    rows = "\n".join(
        f'<tr><th scope="row">{_text(label)}</th>'
        + (f'<td class="cb-num">{number(n)}</td>' if block.unit else "")
        + f'<td class="cb-num">{escape(words.percent(n / total))}</td><td>{bar(n / total)}</td></tr>'
        for label, n in votes[:N_VOTES_SHOWN]
    )
    names = ["Class", *([block.unit] if block.unit else []), "Share", "Bar"]
    more = len(votes) - N_VOTES_SHOWN
    return _bars(names, rows) + _note(f"… and {more} more {'class' if more == 1 else 'classes'}" if more > 0 else "")


def _amounts(block: Amounts) -> str:
    most = max(map(abs, block.amounts), default=0.0) or 1.0
    rows = "\n".join(
        f'<tr><th scope="row">{_pair(feature, value)}</th><td class="cb-num">{amount:+.4g}</td>'
        f"<td>{bar(abs(amount) / most, is_against=amount < 0)}</td></tr>"
        for feature, value, amount in zip(block.features, block.values, block.amounts)
    )
    return _bars(("Value", "Amount", "Bar"), rows) + _note(block.note)


def _bars(names: Sequence[str], rows: str) -> str:
    """Return a table of names, numbers and bars; its headings are only for screen readers."""
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in names)
    return (
        f'<table class="cb-votes"><thead class="cb-hidden"><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody></table>'
    )


def _path(block: Path) -> str:
    steps = "\n".join(map(_step, block.steps))
    return f'<ol class="cb-path">{steps}</ol>' if steps else ""


def _step(step: PathStep) -> str:
    branch = "all records" if step.feature is None else _pair(step.feature, step.value)
    share = f" {escape(words.percent(step.share))} of it" if step.share < 1 else ""
    counts = f"{words.plural(step.n_cases, 'record')}: {words.list_counts(step.counts)}"
    return (
        f'<li class="cb-depth-{min(step.depth, DEEPEST)}"><span class="cb-step{" cb-end" if step.is_end else ""}">'
        f'{branch}{share} → {_text(step.default)}</span> <span class="cb-name">{escape(counts)}</span></li>'
    )


def _case_table(block: CaseTable) -> str:
    table = ""
    if block.rows:
        features = block.shown()
        shown, rest = features[:N_FEATURES_SHOWN], features[N_FEATURES_SHOWN:]
        columns = _with_remarks(block.columns)
        head = "".join(f'<th scope="col">{_capitalise(column.name)}</th>' for column, _ in columns)
        head += "".join(_feature_heading(block, i) for i in shown)
        query = "<td></td>" * (len(columns) - 1) + "".join(f"<td>{_whole(block.query[i])}</td>" for i in shown)
        rows = "\n".join(
            f"<tr>{''.join(_cell(*column, place) for column in columns)}{''.join(_value(row, i) for i in shown)}</tr>"
            for place, row in enumerate(block.rows)
        )
        # Without features the query has nothing to show.
        first = f'<tr class="cb-query"><th scope="row">query</th>{query}</tr>\n' if shown else ""
        agree = "all agree on" if len(block.rows) > 1 else "it agrees on"
        table = _named("cb-agree", agree, block.agreeing()) + _table("cb-cases", head, first + rows)
        table += _named("cb-note", "not shown", [printable(block.features[i]) for i in rest])
    return table + "".join(map(_note, block.notes))


def _named(kind: str, lead: str, entries: Sequence[str]) -> str:
    """Return a paragraph with the first of the entries, and the number of the others; empty without entries."""
    if not entries:
        return ""
    return f'<p class="{kind}">{_capitalise(lead)}: {escape(words.that_fit(entries, AGREEMENT_WIDTH))}</p>\n'


def _with_remarks(columns: Sequence[Column]) -> list[tuple[Column, Column | None]]:
    """Return the columns that have a name, each with its column of remarks, if any."""
    paired: list[tuple[Column, Column | None]] = []
    for column in columns:
        if column.name:
            paired.append((column, None))
        else:
            paired[-1] = (paired[-1][0], column)
    return paired


def _feature_heading(block: CaseTable, i: int) -> str:
    weight = f' title="weight {number(block.weights[i])}"' if i < len(block.weights) else ""
    return f'<th scope="col"{weight}>{_name(block.features[i])}</th>'


def _cell(column: Column, remark: Column | None, place: int) -> str:
    cell = column.cells[place]
    text = remark.cells[place] if remark else ""
    note = f' <small class="cb-name">{escape(text)}</small>' if text else ""
    # The cells of the first column are row headings.
    tag, scope = ("th", ' scope="row"') if column.name in ("record", "records") else ("td", "")
    if column.name == "record":  # a page that has a place for each record makes a link of it
        scope += f' data-record="{escape(str(cell))}"'
    if column.is_number:
        number_bar = "" if column.greatest is None else bar(cell / (column.greatest or 1.0))
        return f'<{tag}{scope} class="cb-num">{number(cell)}{number_bar}{note}</{tag}>'
    text = escape(words.list_counts(cell)) if isinstance(cell, Mapping) else _whole(cell)
    return f"<{tag}{scope}>{text}{note}</{tag}>"


def _value(row: Row, i: int) -> str:
    value = escape(row.values[i])
    if not row.differs[i]:
        return f'<td class="cb-agrees">{value}</td>'
    if row.costs is None:
        return f'<td class="cb-differs"><mark>≠ {value}</mark></td>'
    cost = number(row.costs[i])
    return f'<td class="cb-differs" title="differs, costs {cost}"><mark>≠ {value}</mark><small>+{cost}</small></td>'


def _rules(block: Rules) -> str:
    if not block.rules:
        return ""
    has_exceptions = any(rule.n_exceptions is not None for rule in block.rules)
    largest = max(rule.n_cases for rule in block.rules)
    middle = ["exceptions"] * has_exceptions + ["weight"] * any(rule.weight for rule in block.rules)
    head = "".join(
        f'<th scope="col">{_capitalise(name)}</th>' for name in ("records", *middle, block.outcome, block.condition)
    )
    rows = "\n".join(_rule(rule, largest) for rule in block.rules)
    return _table("cb-rules", head, rows) + _note(block.note)


def _rule(rule: Rule, largest: float) -> str:
    # The conditions have no fixed width, so their column is the last.
    pairs = "".join(f"<li>{_pair(feature, value)}</li>" for feature, value in zip(rule.features, rule.values))
    condition = f'<ul class="cb-values">{pairs}</ul>' if pairs else "otherwise"
    exceptions = "" if rule.n_exceptions is None else f'<td class="cb-num">{number(rule.n_exceptions)}</td>'
    weight = f'<td class="cb-num">{escape(rule.weight)}</td>' if rule.weight else ""
    is_counted = isinstance(rule.outcome, Mapping)
    outcome = escape(words.list_counts(rule.outcome)) if is_counted else _text(rule.outcome)
    share = rule.n_cases / largest if largest and math.isfinite(largest) else 0.0
    return (
        f'<tr><th scope="row" class="cb-num">{number(rule.n_cases)}{bar(share)}</th>'
        f"{exceptions}{weight}<td>{outcome}</td><td>{condition}</td></tr>"
    )


def _table(kind: str, head: str, rows: str) -> str:
    """Return a table in a frame of its own, which scrolls if the table is too wide."""
    return (
        f'<div class="cb-scroll" tabindex="0">\n<table class="{kind}">\n<thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{rows}\n</tbody>\n</table>\n</div>"
    )


def _listing(block: Listing) -> str:
    lead = _sentence(block.lead) if block.lead else ""
    entries = "\n".join(map(_entry, block.entries))
    return lead + (f'\n<ul class="cb-list">{entries}</ul>' if entries else "")


def _entry(entry: Entry) -> str:
    begin, end = entry.mark or (0, 0)
    text = escape(entry.text)
    if end:
        marked = f"<mark>{escape(entry.text[begin:end])}</mark>"
        text = f"{escape(entry.text[:begin])}{marked}{escape(entry.text[end:])}"
    below = "".join(f'<li class="cb-name">{escape(line)}</li>' for line in entry.below)
    return f"<li>{text}{f'<ul>{below}</ul>' if below else ''}</li>"


ELEMENTS: dict[type[Block], Callable[[Any], str]] = {
    Headline: _headline,
    Sentences: _sentences,
    Query: _query,
    Votes: _votes,
    Amounts: _amounts,
    Path: _path,
    CaseTable: _case_table,
    Rules: _rules,
    Listing: _listing,
}
