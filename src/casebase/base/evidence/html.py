"""Evidence as a page: one file, no scripts, nothing from elsewhere, light or dark as the reader prefers.

Everything that comes from data passes `_text`, which spells and escapes it. Colour never speaks alone: a
value that differs carries ≠ and its cost, a bar stands beside its number.
"""

import html
from collections.abc import Sequence
from typing import Any

from casebase.base.evidence import wording
from casebase.base.evidence.records import (
    AbstractEvidence,
    AskedRule,
    Evidence,
    Neighbour,
    NeighbourEvidence,
    PathEvidence,
    PerceptronEvidence,
    Pool,
    ReachedNode,
    RuleEvidence,
    SmileEvidence,
    Step,
    TreeEvidence,
)
from casebase.render import words
from casebase.render.words import number, printable, shortened, spelled

N_FEATURES_SHOWN = 12
N_VALUES_SHOWN = 24
N_VOTES_SHOWN = 12
N_RULES_SHOWN = 24
VALUE_WIDTH = 40

# Every rule begins with the class of the outer element: in a notebook nothing else may change its looks.
STYLE = """
.casebase-evidence { color-scheme: light dark; --ink: #1d2126; --soft: #69717c; --page: #fff;
  --panel: #f5f6f8; --line: #d9dde3; --bar: #3b6fb6; --mark: #fdeeda; --mark-ink: #8a4300;
  color: var(--ink); background: var(--page); font: 15px/1.5 system-ui, sans-serif; }
@media (prefers-color-scheme: dark) {
  .casebase-evidence { --ink: #e4e7eb; --soft: #98a1ad; --page: #15181c; --panel: #1f242a;
    --line: #363d46; --bar: #79a8e8; --mark: #43300f; --mark-ink: #ffc98a; }
}
.casebase-evidence section { border: 1px solid var(--line); border-radius: 8px; padding: 1rem 1.25rem;
  margin: 1rem 0; }
.casebase-evidence .cb-answer { margin: 0; font-size: 1.25rem; font-weight: 600; line-height: 1.3; }
.casebase-evidence .cb-answer small { font-size: .95rem; font-weight: 400; color: var(--soft); }
.casebase-evidence .cb-part { margin: 1.1rem 0 .35rem; font-size: .8rem; font-weight: 600; color: var(--soft);
  text-transform: uppercase; letter-spacing: .05em; }
.casebase-evidence ul, .casebase-evidence ol { list-style: none; margin: 0; padding: 0; }
.casebase-evidence .cb-why { margin: .35rem 0 0; }
.casebase-evidence .cb-values { display: flex; flex-wrap: wrap; gap: .3rem .4rem; }
.casebase-evidence .cb-values li { background: var(--panel); border: 1px solid var(--line);
  border-radius: 5px; padding: 0 .5rem; overflow-wrap: anywhere; }
.casebase-evidence .cb-values .cb-new { border: 1px dashed var(--mark-ink); }
.casebase-evidence .cb-name { color: var(--soft); }
.casebase-evidence .cb-note { color: var(--soft); font-size: .9rem; margin: .4rem 0 0; }
.casebase-evidence .cb-scroll { overflow-x: auto; }
.casebase-evidence table { border-collapse: collapse; font-size: .93rem; margin: 0; }
.casebase-evidence th, .casebase-evidence td { text-align: left; padding: .25rem .75rem .25rem 0;
  border-bottom: 1px solid var(--line); vertical-align: top; white-space: nowrap; background: none; }
.casebase-evidence thead th { color: var(--soft); font-weight: 600; vertical-align: bottom; }
.casebase-evidence tbody th { font-weight: 400; }
.casebase-evidence .cb-num { font-variant-numeric: tabular-nums; }
.casebase-evidence .cb-asked :is(th, td) { font-weight: 600; background: var(--panel); }
.casebase-evidence .cb-cases th:first-child { padding-left: .4rem; }
.casebase-evidence .cb-agrees { color: var(--soft); }
.casebase-evidence .cb-differs mark { background: var(--mark); color: var(--mark-ink); font-weight: 600;
  border-radius: 4px; padding: .05rem .35rem; margin-left: -.35rem; }
.casebase-evidence .cb-differs small { color: var(--soft); margin-left: .3rem; }
.casebase-evidence .cb-bar { display: block; height: 3px; margin-top: 2px; border-radius: 2px;
  background: var(--bar); width: calc(4.5rem * var(--share)); min-width: 1px; }
.casebase-evidence .cb-votes td, .casebase-evidence .cb-votes th { border: 0; padding-top: .1rem;
  padding-bottom: .1rem; vertical-align: middle; }
.casebase-evidence .cb-votes .cb-num { text-align: right; }
.casebase-evidence .cb-votes .cb-bar { height: .7rem; margin: 0; width: calc(14rem * var(--share)); }
.casebase-evidence .cb-pools .cb-values { flex-wrap: nowrap; }
.casebase-evidence .cb-path li { padding: .1rem 0 .1rem calc(1.2rem * var(--depth)); }
.casebase-evidence .cb-path li + li::before { content: "└ "; color: var(--soft); }
.casebase-evidence .cb-path .cb-step { font-weight: 600; }
.casebase-evidence .cb-path .cb-end { border-bottom: 2px solid var(--bar); }
.casebase-evidence .cb-hidden { position: absolute; width: 1px; height: 1px; overflow: hidden;
  clip-path: inset(50%); white-space: nowrap; }
.casebase-evidence nav ol { display: flex; flex-wrap: wrap; gap: .2rem 1rem; }
.casebase-evidence a { color: var(--bar); }
""".strip()

# A whole page also sets what lies around the evidence.
PAGE_STYLE = """
body.casebase-evidence { margin: 0; }
.casebase-evidence > main { max-width: 66rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; }
.casebase-evidence h1 { font-size: 1.6rem; line-height: 1.2; margin: 0 0 .5rem; }
""".strip()


def render_html(evidences: Evidence | Sequence[Evidence], title: str = "Why these answers") -> str:
    """Return one self-contained page with a section for each question.

    >>> one = Evidence(
    ...     features=("f",), values=("<b>",), unseen=(), label="P", votes={"P": 1.0}, weights=(1.0,)
    ... )
    >>> "&lt;b&gt;" in render_html(one), "<b>" in render_html(one)
    (True, False)
    """
    listed = [evidences] if isinstance(evidences, Evidence) else list(evidences)
    sections = "\n".join(
        f'<section id="case-{n}" aria-labelledby="answer-{n}">\n{_body(evidence, n)}\n</section>'
        for n, evidence in enumerate(listed, 1)
    )
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{html.escape(title)}</title>
<style>
{STYLE}
{PAGE_STYLE}
</style>
</head>
<body class="casebase-evidence">
<main>
<h1>{html.escape(title)}</h1>
{_contents(listed)}{sections}
</main>
</body>
</html>
"""


def render_fragment(evidence: Evidence) -> str:
    """Return one section with its styles, to be put into a page that exists, such as a notebook."""
    style, section = f"<style>\n{STYLE}\n</style>", f"<section>\n{_body(evidence)}\n</section>"
    return f'<div class="casebase-evidence">\n{style}\n{section}\n</div>'


def _contents(listed: Sequence[Evidence]) -> str:
    if len(listed) < 2:
        return ""
    entries = "".join(
        f'<li><a href="#case-{n}">{n}: {_text(evidence.label, 24)}</a></li>' for n, evidence in enumerate(listed, 1)
    )
    return f'<nav aria-label="Questions"><ol>{entries}</ol></nav>\n'


def _body(evidence: Evidence, n: int | None = None) -> str:
    """Return what a section holds; `n` is the question's number on a page."""
    label, share = _text(evidence.label, 80), html.escape(wording.share(evidence))
    answer = f"{label} <small>{share}</small>"
    parts = [
        f'<p class="cb-answer">{answer}</p>'
        if n is None
        else f'<h2 class="cb-answer" id="answer-{n}"><small>{n}</small> {answer}</h2>'
    ]
    sentences = [*wording.how_decided(evidence), wording.never_seen(evidence)]
    parts += [f'<p class="cb-why">{_sentence(sentence)}</p>' for sentence in sentences if sentence]
    parts += [_part("Asked", n), _question(evidence), _part(_what_counts(evidence), n), _votes(evidence)]
    path = wording.path_of(evidence)
    if path:
        parts += [_part("Path", n), _path(path)]
    if isinstance(evidence, PerceptronEvidence) and evidence.contributions:
        parts += [_part("What the values added", n), _contributions(evidence)]
    if isinstance(evidence, NeighbourEvidence):
        parts += [_part("Nearest cases", n), _neighbours(evidence)]
    if isinstance(evidence, AbstractEvidence) and evidence.kept:
        parts += [_part("Abstract cases", n), _abstract_cases(evidence)]
    if isinstance(evidence, SmileEvidence) and evidence.pools:
        parts += [_part("Pools", n), _pools(evidence), _part("Cases in the pools", n), _pooled_cases(evidence)]
    if isinstance(evidence, RuleEvidence):
        parts += [_part("Rules that hold", n), _rules([evidence.rule, *evidence.overridden])]
        if evidence.exceptions:
            parts += [_part("Exceptions that do not hold", n), _rules(evidence.exceptions)]
        if evidence.cases:
            parts += [_part("Cases of the rule", n), _covered_cases(evidence)]
    return "\n".join(parts)


def _part(name: str, n: int | None) -> str:
    tag = "p" if n is None else "h3"
    return f'<{tag} class="cb-part">{name}</{tag}>'


def _sentence(sentence: str) -> str:
    return html.escape(sentence[:1].upper() + sentence[1:])


def _text(value: Any, width: int = VALUE_WIDTH) -> str:
    return html.escape(shortened(spelled(value), width))


def _name(feature: str) -> str:
    return html.escape(shortened(printable(feature), VALUE_WIDTH))


def _pair(feature: str, value: Any, width: int = VALUE_WIDTH) -> str:
    name = f"{_name(feature)} {words.sign(value)}".rstrip()
    return f'<span class="cb-name">{name}</span> {_text(value, width)}'


def _question(evidence: Evidence) -> str:
    new = {unseen.feature for unseen in evidence.unseen}

    def entry(i: int) -> str:
        feature = evidence.features[i]
        note = ' <small class="cb-name">never seen</small>' if feature in new else ""
        kind = ' class="cb-new"' if feature in new else ""
        return f"<li{kind}>{_pair(feature, evidence.values[i], 80)}{note}</li>"

    order = list(range(len(evidence.features)))
    if len(order) <= N_VALUES_SHOWN:
        return f'<ul class="cb-values">{"".join(map(entry, order))}</ul>'
    # Stable: values never seen come first, each group by weight.
    order = sorted(wording.by_weight(evidence), key=lambda i: evidence.features[i] not in new)
    first, rest = order[:N_VALUES_SHOWN], order[N_VALUES_SHOWN:]
    return (
        f'<ul class="cb-values">{"".join(map(entry, first))}</ul>\n<details><summary class="cb-note">'
        f"{words.plural(len(rest), 'more value')}{', of lesser weight' if evidence.weights else ''}</summary>\n"
        f'<ul class="cb-values">{"".join(map(entry, rest))}</ul></details>'
    )


def _what_counts(evidence: Evidence) -> str:
    if isinstance(evidence, RuleEvidence):
        return "Cases that the rule decides"
    if isinstance(evidence, PathEvidence) and evidence.n_endings > 1:
        return "Shares of the case"
    return "Cases at the end of the path" if isinstance(evidence, TreeEvidence | PathEvidence) else "Votes"


def _votes(evidence: Evidence) -> str:
    total = sum(evidence.votes.values()) or 1.0
    votes = words.largest(evidence.votes)
    rows = "\n".join(
        f'<tr><th scope="row">{_text(label)}</th><td class="cb-num">{number(n)}</td>'
        f'<td class="cb-num">{100 * n / total:.0f}%</td><td>{_bar(n / total)}</td></tr>'
        for label, n in votes[:N_VOTES_SHOWN]
    )
    more = len(votes) - N_VOTES_SHOWN
    note = f'\n<p class="cb-note">… and {more} more classes</p>' if more > 0 else ""
    head = f'<th scope="col">Class</th><th scope="col">{_what_counts(evidence)}</th><th scope="col">Share</th>'
    return (
        f'<table class="cb-votes"><thead class="cb-hidden"><tr>{head}<th scope="col">Bar</th></tr></thead>\n'
        f"<tbody>\n{rows}\n</tbody></table>{note}"
    )


def _bar(share: float) -> str:
    share = min(max(share, 0.0), 1.0) if share == share else 0.0
    return f'<span class="cb-bar" style="--share:{share:.4f}" aria-hidden="true"></span>'


def _path(path: Sequence[Step]) -> str:
    steps = []
    for place, step in enumerate(path):
        depth = wording.depth_of(step, place)
        branch = "any case" if step.feature is None else _pair(step.feature, step.value)
        is_end = step.stopped if isinstance(step, ReachedNode) else place == len(path) - 1
        end = " cb-end" if is_end else ""
        share = f" {wording.share_of(step)} of it" if wording.share_of(step) else ""
        counts = f"{words.plural(step.n_cases, 'case')}: {words.listed_counts(step.counts)}"
        steps.append(
            f'<li style="--depth:{min(depth, 12)}">'
            f'<span class="cb-step{end}">{branch}{html.escape(share)} → {_text(step.default)}</span> '
            f'<span class="cb-name">{html.escape(counts)}</span></li>'
        )
    return '<ol class="cb-path">' + "\n".join(steps) + "</ol>"


def _contributions(evidence: PerceptronEvidence) -> str:
    most = max(abs(one.amount) for one in evidence.contributions)
    rows = "\n".join(
        f'<tr><th scope="row">{_pair(one.feature, one.value)}</th><td class="cb-num">{one.amount:+.4g}</td>'
        f"<td>{_bar(abs(one.amount) / most)}</td></tr>"
        for one in evidence.contributions
    )
    note = wording.unlisted_contributions(evidence)
    head = '<th scope="col">Value</th><th scope="col">Amount</th><th scope="col">Bar</th>'
    return (
        f'<table class="cb-votes"><thead class="cb-hidden"><tr>{head}</tr></thead>\n'
        f"<tbody>\n{rows}\n</tbody></table>" + (f'\n<p class="cb-note">{note}</p>' if note else "")
    )


def _neighbours(evidence: NeighbourEvidence) -> str:
    cases = wording.rows(evidence)
    shown, hidden = _shown_features(evidence, cases)
    has_counts = any(case.weight != 1 for case in cases)
    farthest = max((case.distance for case in cases), default=0.0)
    names = ["Case", "Class", "Distance", *(["Count"] if has_counts else [])]
    body = "\n".join(_case(evidence, case, shown, has_counts, farthest) for case in cases)
    n_more = evidence.n_neighbours - len(evidence.neighbours)
    notes = [
        "≠ marks a value that differs from the one asked, with what it adds to the distance.",
        wording.left_out(evidence, cases, hidden),
        f"… and {words.plural(n_more, 'neighbour')} not listed" if n_more > 0 else "",
        _sentence(wording.nearest_other(evidence)),
    ]
    return _cases(evidence, "Nearest cases", names, shown, body, notes)


def _pools(evidence: SmileEvidence) -> str:
    shown = evidence.pools[: wording.N_POOLS_SHOWN]
    largest = max(pool.n_cases for pool in shown)
    body = "\n".join(_pool(pool, largest) for pool in shown)
    head = '<th scope="col">Cases</th><th scope="col">Classes</th><th scope="col">Agree with the question on</th>'
    more = wording.more_pools(evidence)
    return (
        '<div class="cb-scroll" tabindex="0" role="group" aria-label="Pools">\n<table class="cb-pools">\n'
        '<caption class="cb-hidden">Sets of features, and the stored cases that agree on them</caption>\n'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>\n</div>"
        + (f'\n<p class="cb-note">{more}</p>' if more else "")
    )


def _pool(pool: Pool, largest: float) -> str:
    pairs = "".join(
        f'<li><span class="cb-name">{_name(feature)}</span> {words.sign(value)}{_text(value)}</li>'
        for feature, value in zip(pool.features, pool.values)
    )
    return (
        f'<tr><th scope="row" class="cb-num">{number(pool.n_cases)}{_bar(pool.n_cases / (largest or 1.0))}</th>'
        f'<td>{html.escape(words.listed_counts(pool.counts))}</td><td><ul class="cb-values">{pairs}</ul></td></tr>'
    )


def _pooled_cases(evidence: SmileEvidence) -> str:
    shown, hidden = _shown_features(evidence, evidence.cases)
    has_counts = any(case.weight != 1 for case in evidence.cases)
    rows = []
    for case in evidence.cases:
        cells = [
            f'<th scope="row">{_text(case.id)}</th><td>{_text(case.label)}</td>',
            f'<td class="cb-num">{len(case.pools)}{_bar(len(case.pools) / len(evidence.pools))}</td>',
        ]
        if has_counts:
            cells.append(f'<td class="cb-num">{number(case.weight)}</td>')
        cells += [_compared(evidence, case, i) for i in shown]
        rows.append(f"<tr>{''.join(cells)}</tr>")
    names = ["Case", "Class", "Pools", *(["Count"] if has_counts else [])]
    notes = [
        "≠ marks a value that does not agree with the one asked. A case counts once for every pool it is in.",
        wording.left_out(evidence, evidence.cases, hidden),
        wording.more_cases(evidence),
    ]
    return _cases(evidence, "Cases in the pools", names, shown, "\n".join(rows), notes)


def _rules(rules: Sequence[AskedRule]) -> str:
    shown = rules[:N_RULES_SHOWN]
    largest = max(rule.n_cases for rule in shown)
    body = "\n".join(
        f'<tr><th scope="row" class="cb-num">{number(rule.n_cases)}{_bar(rule.n_cases / (largest or 1.0))}</th>'
        f'<td class="cb-num">{number(rule.n_exceptions)}</td>'
        f"<td>{html.escape(wording.asked_for(rule, VALUE_WIDTH))}</td><td>{_text(rule.label)}</td></tr>"
        for rule in shown
    )
    head = "".join(f'<th scope="col">{name}</th>' for name in ("Cases", "Exceptions", "If", "Then"))
    more = len(rules) - len(shown)
    return (
        '<div class="cb-scroll" tabindex="0" role="group" aria-label="Rules">\n<table>\n'
        '<caption class="cb-hidden">Rules, the one that is asked first on top</caption>\n'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>\n</div>"
        + (f'\n<p class="cb-note">… and {words.plural(more, "more rule")}</p>' if more > 0 else "")
    )


def _covered_cases(evidence: RuleEvidence) -> str:
    shown, hidden = _shown_features(evidence, evidence.cases)
    has_counts = any(case.weight != 1 for case in evidence.cases)
    rows = []
    for case in evidence.cases:
        note = "" if case.is_decided else ' <small class="cb-name">exception</small>'
        cells = [f'<th scope="row">{_text(case.id)}</th><td>{_text(case.label)}{note}</td>']
        if has_counts:
            cells.append(f'<td class="cb-num">{number(case.weight)}</td>')
        cells += [_compared(evidence, case, i) for i in shown]
        rows.append(f"<tr>{''.join(cells)}</tr>")
    notes = [
        "≠ marks a value that is not the one asked.",
        wording.left_out(evidence, evidence.cases, hidden),
        wording.covered_but_not_listed(evidence),
    ]
    names = ["Case", "Class", *(["Count"] if has_counts else [])]
    return _cases(evidence, "Cases of the rule", names, shown, "\n".join(rows), notes)


def _compared(evidence: Evidence, case: wording.StoredCase, i: int) -> str:
    value = html.escape(shortened(wording.stored_value(evidence, case, i), VALUE_WIDTH))
    if wording.differs(evidence, case, i):
        return f'<td class="cb-differs"><mark>≠ {value}</mark></td>'
    return f'<td class="cb-agrees">{value}</td>'


def _shown_features(evidence: Evidence, cases: Sequence[wording.StoredCase]) -> tuple[list[int], list[int]]:
    """Return the features that have a column, and those that have none."""
    shown = list(range(len(evidence.features)))
    if len(shown) > N_FEATURES_SHOWN:
        chosen = set(wording.by_interest(evidence, cases)[:N_FEATURES_SHOWN])
        shown = [i for i in wording.by_weight(evidence) if i in chosen]
    return shown, [i for i in range(len(evidence.features)) if i not in shown]


def _cases(
    evidence: Evidence, title: str, names: Sequence[str], shown: Sequence[int], body: str, notes: Sequence[str]
) -> str:
    """Return a table of stored cases under the one asked."""
    head = "".join(f'<th scope="col">{name}</th>' for name in names) + "".join(
        f'<th scope="col" title="weight {number(evidence.weights[i])}">{_name(evidence.features[i])}</th>'
        if i < len(evidence.weights)
        else f'<th scope="col">{_name(evidence.features[i])}</th>'
        for i in shown
    )
    asked = "<td></td>" * (len(names) - 1) + "".join(f"<td>{_text(evidence.values[i])}</td>" for i in shown)
    return (
        f'<div class="cb-scroll" tabindex="0" role="group" aria-label="{title}">\n'
        '<table class="cb-cases">\n'
        f'<caption class="cb-hidden">{title}, under the one asked</caption>\n'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n"
        f'<tr class="cb-asked"><th scope="row">asked</th>{asked}</tr>\n{body}\n</tbody>\n</table>\n</div>\n'
        + "\n".join(f'<p class="cb-note">{note}</p>' for note in notes if note)
    )


def _abstract_cases(evidence: AbstractEvidence) -> str:
    shown = list(range(len(evidence.kept)))[:N_FEATURES_SHOWN]
    head = "".join(f'<th scope="col">{name}</th>' for name in ("Cases", "Classes"))
    head += "".join(f'<th scope="col">{_name(evidence.kept[i])}</th>' for i in shown)
    values = wording.asked_values(evidence)
    asked = "<td></td>" + "".join(f"<td>{_text(values[i])}</td>" for i in shown)
    rows = []
    for group in evidence.abstract_cases:
        cells = [
            f'<th scope="row" class="cb-num">{number(group.n_cases)}</th>',
            f"<td>{html.escape(words.listed_counts(group.counts))}</td>",
        ]
        for i in shown:
            value = _text(group.values[i])
            is_matched = wording.is_matched(evidence, group, i)
            kind = "cb-agrees" if is_matched else "cb-differs"
            cells.append(f'<td class="{kind}">{value if is_matched else f"<mark>≠ {value}</mark>"}</td>')
        rows.append(f"<tr>{''.join(cells)}</tr>")
    hidden = len(evidence.kept) - len(shown)
    notes = [
        "" if evidence.is_exact else "≠ marks a value that differs from the one asked.",
        f"… and {words.plural(hidden, 'feature')}" if hidden else "",
        wording.not_listed(evidence),
    ]
    body = "\n".join(rows)
    return (
        '<div class="cb-scroll" tabindex="0" role="group" aria-label="Abstract cases">\n'
        '<table class="cb-cases">\n'
        '<caption class="cb-hidden">The abstract cases that decided, under the values asked</caption>\n'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n"
        f'<tr class="cb-asked"><th scope="row">asked</th>{asked}</tr>\n{body}\n</tbody>\n</table>\n</div>\n'
        + "\n".join(f'<p class="cb-note">{note}</p>' for note in notes if note)
    )


def _case(evidence: NeighbourEvidence, case: Neighbour, shown: Sequence[int], has_counts: bool, farthest: float) -> str:
    is_other = case is evidence.nearest_other or case == evidence.nearest_other
    other = ' <small class="cb-name">nearest other</small>' if is_other else ""
    cells = [
        f'<th scope="row">{_text(case.id)}</th><td>{_text(case.label)}{other}</td>',
        f'<td class="cb-num">{number(case.distance)}{_bar(case.distance / (farthest or 1.0))}</td>',
    ]
    if has_counts:
        cells.append(f'<td class="cb-num">{number(case.weight)}</td>')
    for i in shown:
        value = html.escape(shortened(wording.stored_value(evidence, case, i), VALUE_WIDTH))
        if wording.differs(evidence, case, i):
            cost = number(case.costs[i])
            cells.append(
                f'<td class="cb-differs" title="differs, costs {cost}">'
                f"<mark>≠ {value}</mark><small>+{cost}</small></td>"
            )
        else:
            cells.append(f'<td class="cb-agrees">{value}</td>')
    return f"<tr>{''.join(cells)}</tr>"
