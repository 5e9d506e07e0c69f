"""Explanations as a self-contained HTML page.

A single explanation fills the page. Several are rows of a list, each with its evidence folded below it. With many
answers, a page with all evidence as HTML would be slow, so the evidence is packed: similar fragments are compressed
together, some dozens at a time, and a short script unpacks those that a reader opens.
"""

import base64
import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from html import escape

from casebase.render.blocks import Headline, Query, Section, Shown
from casebase.render.html import bar, body, headline
from casebase.render.stylesheet import PAGE_STYLE, STYLE
from casebase.render.words import format_value, shorten

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
    found.textContent = n + " of " + rows.length + " answers";
  };
  find.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(filter, 120); });
  document.querySelector(".cb-find").hidden = false;
})();
""".strip().replace("SIZE", str(PACK))


def render_html(evidences: Shown | Iterable[Shown], title: str = "Why these answers") -> str:
    """Return one self-contained page: an explanation, or a list of answers with their explanations folded in."""
    listed = [evidences] if isinstance(evidences, Shown) else list(evidences)
    if len(listed) == 1:
        content = _single(listed[0])
    elif len(listed) <= N_UNPACKED:
        content = _list_of(listed)
    else:
        content = _packed_list_of(listed)
    heading = f"<h1>{escape(title)}</h1>\n"
    return document(title, heading + content, f"{STYLE}\n{PAGE_STYLE}", outer="casebase-evidence")


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
    answer = f'<h2 class="cb-answer">{headline(evidence)}</h2>'
    return f"<section>\n{answer}\n{body(evidence.sections())}\n</section>"


def _list_of(evidences: Sequence[Shown]) -> str:
    is_open = len(evidences) <= N_OPEN
    rows = []
    for n, evidence in enumerate(evidences, 1):
        sections = evidence.sections()
        rows.append(_row(n, evidence.headline(), sections, f"\n{body(sections)}\n", is_open=is_open))
    return _list(rows) if rows else "<p>No answer was asked for.</p>"


def _packed_list_of(evidences: Sequence[Shown]) -> str:
    rows: list[str] = []
    packs: list[str] = []
    for start in range(0, len(evidences), PACK):
        bodies = []
        for n, evidence in enumerate(evidences[start : start + PACK], start + 1):
            sections = evidence.sections()
            bodies.append(body(sections))
            rows.append(_row(n, evidence.headline(), sections))
        packs.append(_pack(len(packs), bodies))
    find = (
        '<p class="cb-find" hidden><label>Find <input type="search" placeholder="a value or a class"></label>'
        f" <output>{len(rows)} answers</output></p>"
    )
    note = "<noscript><p>The evidence below the answers needs JavaScript to be unpacked.</p></noscript>"
    return "\n".join([find, note, _list(rows), *packs, f"<script>\n{SCRIPT}\n</script>"])


def _list(rows: Sequence[str]) -> str:
    head = "<span>No.</span><span>Asked</span><span>Answer</span><span>Support</span>"
    listed = "\n".join(rows)
    return f'<div class="cb-answers">\n<div class="cb-row cb-head" aria-hidden="true">{head}</div>\n{listed}\n</div>'


def _row(n: int, said: Headline, sections: Sequence[Section], evidence: str = "", *, is_open: bool = False) -> str:
    asked = said.subject or shorten(", ".join(_query_pairs(sections)), 120)
    share = "" if said.share is None else bar(said.share)
    row = (
        f"<span>{n}</span><span>{escape(asked)}</span><span>{escape(shorten(said.answer, 40))}</span>"
        f"<span>{escape(said.detail)}{share}</span>"
    )
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
