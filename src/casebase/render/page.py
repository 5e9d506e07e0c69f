"""Explanations as a self-contained HTML page.

A single explanation fills the page. Several are rows of a list, each with its evidence folded below it. A page that is
to be filed begins with what it is about: class variable, learner, settings, data. It ends with a legend of its signs.

With many predictions, a page with all evidence as HTML would be slow, so the evidence is packed: similar fragments are
compressed together, some dozens at a time, and a short script unpacks those that a reader opens.
"""

import base64
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape

from casebase.render.blocks import Headline, Query, Section, Shown
from casebase.render.html import bar, body, fragment, headline, legend, signs_in
from casebase.render.stylesheet import PAGE_STYLE, STYLE
from casebase.render.words import format_value, plural, printable, shorten

TITLE = "Why these predictions"

N_OPEN = 10  # up to this many answers are unfolded
N_UNPACKED = 60  # up to this many answers are plain HTML, without a script
PACK = 64  # answers per pack: a pack is unpacked as a whole, and larger packs hardly compress better

SCRIPT = """
"use strict";
(() => {
  const packs = new Map();
  const unpacked = (i) => {
    if (!packs.has(i)) packs.set(i, (async () => {
      const packed = atob(document.getElementById("pack-" + i).textContent);
      const bytes = Uint8Array.from(packed, (c) => c.charCodeAt(0));
      const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
      return JSON.parse(await new Response(stream).text());
    })());
    return packs.get(i);
  };
  const fill = async (row) => {
    const body = row.querySelector(".cb-body");
    if (!row.open || body.childElementCount) return;
    const n = Number(row.id.slice(5)) - 1;
    try {
      body.innerHTML = (await unpacked(Math.floor(n / SIZE)))[n % SIZE];
    } catch (error) {
      body.textContent = "This browser cannot unpack the evidence (" + error.message + ").";
    }
  };
  document.addEventListener("toggle", (event) => {
    if (event.target.matches(".cb-one")) fill(event.target);
  }, true);
  const open = () => {
    const row = document.getElementById(location.hash.slice(1));
    if (row && row.matches(".cb-one")) row.open = true;
  };
  addEventListener("hashchange", open);
  open();
  const find = document.querySelector(".cb-find input"), found = document.querySelector(".cb-find output");
  const rows = Array.from(document.querySelectorAll(".cb-one"));
  let texts = null, timer = 0;
  const filter = () => {
    texts ??= rows.map((row) => row.firstElementChild.textContent.toLowerCase());
    const words = find.value.toLowerCase().split(/\\s+/).filter(Boolean);
    let n = 0;
    rows.forEach((row, i) => {
      row.hidden = !words.every((word) => texts[i].includes(word));
      n += !row.hidden;
    });
    found.textContent = n + " of " + rows.length + " predictions";
  };
  find.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(filter, 120); });
  document.querySelector(".cb-find").hidden = false;
})();
""".strip().replace("SIZE", str(PACK))


def render_html(
    evidences: Shown | Iterable[Shown],
    title: str = TITLE,
    about: Mapping[str, str] | None = None,
) -> str:
    """Return one self-contained page: an explanation, or a list of predictions with their explanations folded in.

    The page begins with the entries of `about`, such as the class variable, the learner and the data. By default they
    are those of the list, which `explain` of a classifier fills.
    """
    entries = about_of(evidences) if about is None else about
    listed = [evidences] if isinstance(evidences, Shown) else list(evidences)
    if len(listed) == 1:
        content = _single(listed[0])
    elif len(listed) <= N_UNPACKED:
        content = _list_of(listed, is_open=len(listed) <= N_OPEN)
    else:
        content = _packed_list_of(listed)
    heading = f"<h1>{escape(title)}</h1>\n{_about(entries)}"
    return document(title, heading + content, f"{STYLE}\n{PAGE_STYLE}", outer="casebase-evidence")


def render_list(evidences: Sequence[Shown], title: str) -> str:
    """Return the first of some predictions, with their explanations folded in, to be embedded in a notebook."""
    shown = evidences[:N_UNPACKED]
    rest = len(evidences) - len(shown)
    more = f'\n<p class="cb-note">… and {plural(rest, "more prediction")}</p>' if rest else ""
    content = f"<p>{escape(title)}</p>\n{_list_of(shown, is_open=False)}{more}"
    return fragment(content, f"{STYLE}\n{PAGE_STYLE}")


def about_of(evidences: object) -> Mapping[str, str]:
    """Return the entries that a list of explanations has about its model and its data; none for other objects."""
    entries = getattr(evidences, "about", None)
    return entries if isinstance(entries, Mapping) else {}


def _about(entries: Mapping[str, str]) -> str:
    pairs = "\n".join(
        f"<div><dt>{escape(printable(name))}</dt><dd>{escape(printable(text))}</dd></div>"
        for name, text in entries.items()
    )
    return f'<dl class="cb-about">\n{pairs}\n</dl>\n' if pairs else ""


def document(title: str, content: str, style: str, *, outer: str) -> str:
    """Return a whole page: one file, nothing from another host, light or dark as the reader prefers."""
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{escape(title)}</title>
<style>
{style}
</style>
</head>
<body class="{outer}">
<main>
{content}
</main>
</body>
</html>
"""


def _single(evidence: Shown) -> str:
    said = evidence.headline()
    content = f'<h2 class="cb-answer">{headline(said)}</h2>\n{body(said, evidence.sections())}'
    return f"<section>\n{content}\n</section>\n{legend(signs_in(content))}"


def _list_of(evidences: Sequence[Shown], *, is_open: bool) -> str:
    rows, heads = [], []
    for n, evidence in enumerate(evidences, 1):
        said, sections = evidence.headline(), evidence.sections()
        heads.append(said)
        rows.append(_row(n, said, sections, f"\n{body(said, sections)}\n", is_open=is_open))
    listed = _list(rows, heads)
    return f"{listed}\n{legend(signs_in(listed))}" if rows else "<p>There is no query.</p>"


def _packed_list_of(evidences: Sequence[Shown]) -> str:
    rows: list[str] = []
    heads: list[Headline] = []
    packs: list[str] = []
    present: set[int] = set()
    for start in range(0, len(evidences), PACK):
        bodies = []
        for n, evidence in enumerate(evidences[start : start + PACK], start + 1):
            said, sections = evidence.headline(), evidence.sections()
            bodies.append(body(said, sections))
            heads.append(said)
            rows.append(_row(n, said, sections))
        packs.append(_pack(len(packs), bodies))
        present |= signs_in("".join([*rows[start:], *bodies]))
    find = (
        '<p class="cb-find" hidden><label>Find <input type="search" placeholder="a value or a class"></label>'
        f" <output>{len(rows)} predictions</output></p>"
    )
    note = "<noscript><p>The evidence below the predictions needs JavaScript to be unpacked.</p></noscript>"
    return "\n".join([find, note, _list(rows, heads), legend(present), *packs, f"<script>\n{SCRIPT}\n</script>"])


def _list(rows: Sequence[str], heads: Sequence[Headline]) -> str:
    n_known = sum(said.is_right is not None for said in heads)
    n_right = sum(said.is_right is True for said in heads)
    known = f'<p class="cb-why">{n_right} of {plural(n_known, "prediction")} with a known class are right.</p>\n'
    names = ["No.", "Query", "Prediction", *(["Class"] if n_known else []), "Support"]
    head = "".join(f"<span>{name}</span>" for name in names)
    listed = "\n".join(rows)
    return (
        f'{known if n_known else ""}<div class="cb-answers{" cb-checked" if n_known else ""}">\n'
        f'<div class="cb-row cb-head" aria-hidden="true">{head}</div>\n{listed}\n</div>'
    )


def _row(n: int, said: Headline, sections: Sequence[Section], evidence: str = "", *, is_open: bool = False) -> str:
    query = said.subject or shorten(", ".join(_query_pairs(sections)), 120)
    share = "" if said.share is None else bar(said.share)
    cells = [str(n), escape(query), escape(shorten(said.answer, 40))]
    if said.is_right is not None:
        wrong = f'<b class="cb-wrong">✗ wrong: {escape(shorten(said.actual, 40))}</b>'
        cells.append("✓ right" if said.is_right else wrong)
    row = "".join(f"<span>{cell}</span>" for cell in [*cells, escape(said.detail) + share])
    return (
        f'<details class="cb-one" id="case-{n}"{" open" if is_open else ""}><summary><span class="cb-row">{row}'
        f'</span></summary><div class="cb-body">{evidence}</div></details>'
    )


def _query_pairs(sections: Sequence[Section]) -> Iterator[str]:
    for section in sections:
        for block in section.blocks:
            if isinstance(block, Query):
                yield from (shorten(format_value(value), 24) for value in block.values)


def _pack(number: int, bodies: Sequence[str]) -> str:
    """Return fragments as a data block, which browsers do not execute."""
    packed = zlib.compress(json.dumps(bodies, ensure_ascii=False).encode(), 9)
    return f'<script type="text/plain" id="pack-{number}">{base64.b64encode(packed).decode()}</script>'
