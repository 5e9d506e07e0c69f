"""The stylesheet of evidence and of reports, on pages and in notebooks: light and dark, for phones and for print.

Every rule begins with the class of the outer element, so that it does not affect the rest of a notebook.
"""

# The colours and the font of every page: `palette` names the outer element that they are for.
_PALETTE = """
OUTER { color-scheme: light dark; --ink: #1d2126; --soft: #69717c; --page: #fff;
  --panel: #f5f6f8; --line: #d9dde3; --bar: #3b6fb6; --mark: #fdeeda; --mark-ink: #8a4300;
  color: var(--ink); background: var(--page); font: 15px/1.5 system-ui, sans-serif; }
@media (prefers-color-scheme: dark) {
  OUTER { --ink: #e4e7eb; --soft: #98a1ad; --page: #15181c; --panel: #1f242a;
    --line: #363d46; --bar: #79a8e8; --mark: #43300f; --mark-ink: #ffc98a; }
}
""".strip()


def palette(outer: str) -> str:
    """Return the rules that give an outer element its colours and its font.

    >>> palette(".casebase-evidence").splitlines()[0][:40]
    '.casebase-evidence { color-scheme: light'
    """
    return _PALETTE.replace("OUTER", outer)


DEEPEST = 12  # nodes below this depth are not indented further

# Lengths are classes, not style attributes: a server's pages forbid these, so that data can never bring a style.
_LENGTHS = "\n".join(
    [f".casebase-evidence .cb-share-{percent} {{ --share: {percent / 100}; }}" for percent in range(101)]
    + [f".casebase-evidence .cb-depth-{depth} {{ --depth: {depth}; }}" for depth in range(DEEPEST + 1)]
)

STYLE = (
    f"{palette('.casebase-evidence')}\n{_LENGTHS}\n"
    + """
.casebase-evidence section { border: 1px solid var(--line); border-radius: 8px; padding: 1rem 1.25rem;
  margin: 1rem 0; }
.casebase-evidence .cb-answer { margin: 0; font-size: 1.25rem; font-weight: 600; line-height: 1.3; }
.casebase-evidence .cb-answer small { font-size: .95rem; font-weight: 400; color: var(--soft); }
.casebase-evidence .cb-part { margin: 1.1rem 0 .35rem; font-size: .8rem; font-weight: 600; color: var(--soft);
  text-transform: uppercase; letter-spacing: .05em; }
.casebase-evidence ul, .casebase-evidence ol { list-style: none; margin: 0; padding: 0; }
.casebase-evidence .cb-why { margin: .35rem 0 0; overflow-wrap: anywhere; }
.casebase-evidence .cb-values { display: flex; flex-wrap: wrap; gap: .3rem .4rem; }
.casebase-evidence .cb-values li { background: var(--panel); border: 1px solid var(--line);
  border-radius: 5px; padding: 0 .5rem; overflow-wrap: anywhere; }
.casebase-evidence .cb-values .cb-new { border: 1px dashed var(--mark-ink); }
.casebase-evidence .cb-name { color: var(--soft); }
.casebase-evidence .cb-note { color: var(--soft); font-size: .9rem; margin: .4rem 0 0; }
.casebase-evidence .cb-agree { margin: .35rem 0 .5rem; overflow-wrap: anywhere; }
.casebase-evidence .cb-verdict { margin: .35rem 0 0; font-weight: 600; }
.casebase-evidence .cb-wrong { color: var(--mark-ink); }
.casebase-evidence .cb-signs { display: flex; flex-wrap: wrap; gap: .1rem 1.2rem; margin: 1rem 0 0; padding: .5rem 0 0;
  border-top: 1px solid var(--line); color: var(--soft); font-size: .85rem; }
.casebase-evidence .cb-signs :is(dt, dd) { display: inline; margin: 0; }
.casebase-evidence .cb-signs dt { font-weight: 600; color: var(--ink); margin-right: .4rem; }
.casebase-evidence .cb-scroll { overflow-x: auto; }
.casebase-evidence table { border-collapse: collapse; font-size: .93rem; margin: 0; }
.casebase-evidence th, .casebase-evidence td { text-align: left; padding: .25rem .75rem .25rem 0;
  border-bottom: 1px solid var(--line); vertical-align: top; white-space: nowrap; background: none; }
.casebase-evidence thead th { color: var(--soft); font-weight: 600; vertical-align: bottom; }
.casebase-evidence tbody th { font-weight: 400; }
.casebase-evidence .cb-num { font-variant-numeric: tabular-nums; }
.casebase-evidence .cb-query :is(th, td) { font-weight: 600; background: var(--panel); }
.casebase-evidence .cb-cases th:first-child { padding-left: .4rem; }
.casebase-evidence .cb-agrees { color: var(--soft); }
.casebase-evidence .cb-differs mark, .casebase-evidence .cb-list mark { background: var(--mark);
  color: var(--mark-ink); font-weight: 600; border-radius: 4px; padding: .05rem .35rem; }
.casebase-evidence .cb-differs mark { margin-left: -.35rem; }
.casebase-evidence .cb-differs small { color: var(--soft); margin-left: .3rem; }
.casebase-evidence .cb-bar { display: block; height: 3px; margin-top: 2px; border-radius: 2px;
  background: var(--bar); width: calc(4.5rem * var(--share)); min-width: 1px; }
.casebase-evidence .cb-bar.cb-against { background: var(--mark-ink); }
.casebase-evidence .cb-votes td, .casebase-evidence .cb-votes th { border: 0; padding-top: .1rem;
  padding-bottom: .1rem; vertical-align: middle; }
.casebase-evidence .cb-votes th { white-space: normal; overflow-wrap: anywhere; }
.casebase-evidence .cb-votes .cb-num { text-align: right; }
.casebase-evidence .cb-votes .cb-bar { height: .7rem; margin: 0; width: calc(min(14rem, 22vw) * var(--share)); }
.casebase-evidence .cb-rules .cb-values { flex-wrap: nowrap; }
.casebase-evidence .cb-path li { padding: .1rem 0 .1rem calc(min(1.2rem, 3vw) * var(--depth)); }
.casebase-evidence .cb-path li + li::before { content: "└ "; color: var(--soft); }
.casebase-evidence .cb-path .cb-step { font-weight: 600; }
.casebase-evidence .cb-path .cb-end { border-bottom: 2px solid var(--bar); }
.casebase-evidence .cb-list > li { padding: .15rem 0; overflow-wrap: anywhere; }
.casebase-evidence .cb-list ul { padding-left: 1.2rem; font-size: .93rem; }
.casebase-evidence .cb-hidden { position: absolute; width: 1px; height: 1px; overflow: hidden;
  clip-path: inset(50%); white-space: nowrap; }
@media print {
  .casebase-evidence { --soft: #555; font-size: 10pt; }
  .casebase-evidence .cb-scroll { overflow: visible; }
  .casebase-evidence :is(tr, li, .cb-why) { break-inside: avoid; }
  .casebase-evidence .cb-bar, .casebase-evidence mark { print-color-adjust: exact; }
}
""".strip()
)

# A page also needs styles for the area around the evidence and for the list of answers.
PAGE_STYLE = """
body.casebase-evidence { margin: 0; }
.casebase-evidence > main { max-width: 66rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; }
.casebase-evidence h1 { font-size: 1.6rem; line-height: 1.2; margin: 0 0 .5rem; }
.casebase-evidence .cb-about { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .1rem 1rem;
  margin: 0 0 1rem; font-size: .9rem; }
.casebase-evidence .cb-about > div { display: contents; }
.casebase-evidence .cb-about dt { color: var(--soft); }
.casebase-evidence .cb-about dd { margin: 0; overflow-wrap: anywhere; }
.casebase-evidence .cb-checked .cb-row {
  grid-template-columns: 3.2rem minmax(0, 1fr) minmax(5rem, 9rem) minmax(6rem, 10rem) 10rem; }
.casebase-evidence .cb-answers { border-top: 1px solid var(--line); margin-top: 1rem; }
.casebase-evidence .cb-row { display: grid; align-items: baseline; gap: 0 1rem; padding: .3rem .4rem;
  grid-template-columns: 3.2rem minmax(0, 1fr) minmax(6rem, 14rem) 11rem; }
.casebase-evidence .cb-row > * { min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.casebase-evidence .cb-head { color: var(--soft); font-weight: 600; font-size: .93rem; padding-left: 1.4rem; }
.casebase-evidence .cb-one { border-bottom: 1px solid var(--line); content-visibility: auto;
  contain-intrinsic-size: auto 2.6rem; }
.casebase-evidence .cb-one > summary { display: flex; cursor: pointer; list-style: none; align-items: baseline; }
.casebase-evidence .cb-one > summary::-webkit-details-marker { display: none; }
.casebase-evidence .cb-one > summary::before { content: "▸"; color: var(--soft); width: 1rem; flex: none; }
.casebase-evidence .cb-one[open] > summary::before { content: "▾"; }
.casebase-evidence .cb-one > summary:hover { background: var(--panel); }
.casebase-evidence .cb-one > summary .cb-row { flex: 1; min-width: 0; }
.casebase-evidence .cb-one[open] > summary { background: var(--panel); font-weight: 600; }
.casebase-evidence .cb-one > .cb-body { padding: .4rem .4rem 1.2rem 1.4rem; }
.casebase-evidence .cb-one[hidden] { display: none; }
.casebase-evidence .cb-find { display: flex; flex-wrap: wrap; gap: .3rem 1rem; align-items: baseline; }
.casebase-evidence .cb-find input { font: inherit; color: inherit; background: var(--panel); width: 20rem;
  max-width: 100%; border: 1px solid var(--line); border-radius: 6px; padding: .25rem .6rem; box-sizing: border-box; }
@media (max-width: 40rem) {
  .casebase-evidence .cb-row { grid-template-columns: 2.2rem minmax(0, 1fr) minmax(0, 8rem); }
  .casebase-evidence .cb-checked .cb-row { grid-template-columns: 2.2rem minmax(0, 1fr) minmax(0, 1fr); }
  .casebase-evidence .cb-row > :nth-child(5) { grid-column: 2 / -1; }
  .casebase-evidence .cb-row > :nth-child(2) { grid-column: 2 / -1; }
  .casebase-evidence .cb-row > :nth-child(3) { grid-column: 2; white-space: normal; overflow-wrap: anywhere; }
  .casebase-evidence .cb-head { display: none; }
  .casebase-evidence .cb-one { contain-intrinsic-size: auto 4rem; }
  .casebase-evidence section { padding: .8rem; }
  .casebase-evidence .cb-one > .cb-body { padding-left: .4rem; }
}
@media print {
  .casebase-evidence > main { max-width: none; padding: 0; }
  .casebase-evidence .cb-find { display: none; }
  .casebase-evidence .cb-one { content-visibility: visible; break-inside: avoid-page; }
  .casebase-evidence .cb-one::details-content { content-visibility: visible; block-size: auto; }
}
""".strip()

# Reports: a headline, remarks, a picture and tables.
REPORT_STYLE = (
    f"{palette('.casebase-comparison')}\n"
    + """
.casebase-comparison .cb-headline { font-size: 1.35rem; font-weight: 600; line-height: 1.3; margin: 0 0 .3rem; }
.casebase-comparison .cb-note { color: var(--soft); font-size: .9rem; margin: .4rem 0 0; max-width: 52rem; }
.casebase-comparison .cb-remark { background: var(--mark); color: var(--mark-ink); border-radius: 6px;
  padding: .4rem .7rem; margin: .5rem 0; }
.casebase-comparison h2 { font-size: 1.05rem; margin: 1.6rem 0 .3rem; }
.casebase-comparison img { display: block; max-width: 100%; height: auto; background: #fff;
  border: 1px solid var(--line); border-radius: 8px; padding: .5rem; box-sizing: border-box; margin: 1rem 0; }
.casebase-comparison .cb-scroll { overflow-x: auto; }
.casebase-comparison table { border-collapse: collapse; font-size: .93rem; margin: 0; }
.casebase-comparison :is(th, td) { text-align: left; padding: .25rem 1.1rem .25rem 0; background: none;
  border-bottom: 1px solid var(--line); vertical-align: top; }
.casebase-comparison thead th { color: var(--soft); font-weight: 600; vertical-align: bottom; }
.casebase-comparison .cb-num { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.casebase-comparison code { font-size: .87rem; }
.casebase-comparison code span { white-space: nowrap; }
.casebase-comparison .cb-scores { display: block; margin: 1rem 0 0; font: 13px system-ui, sans-serif;
  fill: var(--ink); }
.casebase-comparison .cb-scores .cb-title { font-weight: 600; }
.casebase-comparison .cb-scores .cb-soft { fill: var(--soft); }
.casebase-comparison .cb-scores .cb-label { text-anchor: end; }
.casebase-comparison .cb-scores .cb-tick { text-anchor: middle; }
.casebase-comparison .cb-scores .cb-line { stroke: var(--line); }
.casebase-comparison .cb-scores .cb-base { stroke: var(--soft); stroke-dasharray: 4 4; }
.casebase-comparison .cb-scores .cb-whisker { stroke-width: 2; }
.casebase-comparison .cb-scores .cb-near { fill: var(--bar); stroke: var(--bar); }
.casebase-comparison .cb-scores .cb-far { fill: var(--page); stroke: var(--soft); stroke-width: 2; }
""".strip()
)

REPORT_PAGE_STYLE = """
body.casebase-comparison { margin: 0; }
.casebase-comparison > main { max-width: 66rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; }
""".strip()
