"""Repeat the experiments of the papers: `python -m lab.papers`, or `make reproduce`."""

from pathlib import Path
from textwrap import fill

import click
from rich.console import Console

from casebase.cli import main
from casebase.cli.options import json_option, random_state_option, writable
from casebase.cli.output import console, print_grid, print_json, say, write_text
from casebase.errors import CasebaseError, unknown_name
from casebase.render import drawing
from casebase.render.progress_bar import progress_bar
from lab.papers import PAPERS, PaperReport, Reproduction, plots, render_markdown, render_page
from lab.papers import reproduce as run_experiments
from lab.papers.tables import grids_of
from lab.papers.wording import how_made, in_short


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("papers", nargs=-1, metavar="[PAPER]…")
@click.option("--quick", is_flag=True, help="Fewer runs than the papers have: seconds, and wide intervals.")
@click.option(
    "--runs",
    type=click.IntRange(min=1),
    metavar="N",
    help="Runs of each experiment (folds: at most ten).",
)
@random_state_option("cases drawn, folds")
@click.option("--html", metavar="FILE", help="Write a page with the tables and the figures; '-' for standard output.")
@click.option("--plots", "folder", metavar="FOLDER", help="Write the figures there, as SVG and PNG.")
@click.option("--markdown", is_flag=True, help="Print Markdown.")
@json_option
def command(
    papers: tuple[str, ...],
    quick: bool,
    runs: int | None,
    random_state: int,
    html: str | None,
    folder: str | None,
    markdown: bool,
    as_json: bool,
) -> None:
    """Repeat the experiments of the papers behind the methods: what they printed, and what comes out here.

    PAPER is igtree, oblivion, smile, rules or acr; all papers if none is named. Ctrl-C ends the work and shows what is
    done.

    \b
    Examples:  python -m lab.papers oblivion --quick
               python -m lab.papers oblivion --html oblivion.html --plots figures
    """
    if as_json and markdown:
        raise click.UsageError("--json and --markdown exclude each other.")
    unknown = next((name for name in papers if name not in PAPERS), None)
    if unknown is not None:
        raise click.UsageError(unknown_name("paper", unknown, PAPERS))
    page = writable(html) if html is not None else None
    if folder is not None and Path(folder).exists() and not Path(folder).is_dir():
        raise CasebaseError(f"Cannot write pictures to {folder}: it is not a folder.")
    if folder is not None:
        drawing.matplotlib()  # a missing library is an error now, not after the runs
    wanted = [PAPERS[name] for name in dict.fromkeys(papers or PAPERS)]
    with progress_bar("running") as progress:
        result = run_experiments(wanted, seed=random_state, quick=quick, n_runs=runs, progress=progress)
    if as_json:
        print_json(result.to_dict())
    elif markdown:
        write_text(None, render_markdown(result))
    elif html != "-":
        _show(result)
    if html is not None:
        write_text(page, render_page(result))
    if folder is not None:
        figures = [figure for paper in result.papers for figure in paper.figures]
        written = plots.save(figures, folder) if figures else []
        named = " and ".join(paper.name for paper in wanted)
        say(f"{len(written)} pictures in {folder}." if written else f"No pictures: {named} has none to draw.")
    if result.interrupted:
        if as_json:  # the other forms say so themselves
            say("Interrupted: only the runs that were finished are counted.")
        click.get_current_context().exit(130)


def _show(result: Reproduction) -> None:
    out = console()
    for paper in result.papers:
        _show_paper(out, paper)
    out.print(how_made(result), markup=False)


def _show_paper(out: Console, paper: PaperReport) -> None:
    out.print(f"{paper.title}\n", style="bold", markup=False)
    out.print(f"{paper.about}\n\n{in_short(paper)}\n", markup=False)
    for shown in grids_of(paper.rows):
        print_grid(out, shown)
        if shown.caption:
            out.print(shown.caption, style="dim", markup=False)
        out.print()
    if paper.claims:
        out.print("What the text says, and what was measured\n", markup=False)
    for claim in paper.claims:
        body = f"{claim.experiment}: {claim.claim} {claim.measured} {claim.note}".strip()
        out.print(_hanging(f"{claim.verdict:<14} {body}"), markup=False)
        out.print(_hanging(f"{'':<15}(judged by: {claim.criterion})"), style="dim", markup=False)
    for note in paper.notes:
        out.print(f"\n{note}", markup=False)
    out.print()


def _hanging(text: str) -> str:
    """Wrap a text with a hanging indent as wide as the column of verdicts."""
    return fill(text, 118, subsequent_indent=" " * 15, break_on_hyphens=False)


if __name__ == "__main__":
    main(command)
