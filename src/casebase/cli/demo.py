"""casebase demo"""

import click

from casebase.cli.output import console, echo, grid, print_json, text_width
from casebase.demo import explain_one, run_trials
from casebase.render.progress_bar import progress_bar
from casebase.render.text import render_text


@click.command("demo")
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON.")
def command(as_json: bool) -> None:
    """Compare seven methods on small built-in data sets and explain one answer.

    Accuracy comes from ten-fold cross-validation; speed is predictions per second on one thread.

    Example:  casebase demo
    """
    with progress_bar("learning") as progress:
        trials = run_trials(progress)
    if as_json:
        print_json([trial.to_dict() for trial in trials])
        return
    out = console()
    table = grid("data", "method", "accuracy", "answers/s", "cases", "size", first_left=2)
    table.columns[-1].justify = "left"
    for trial in trials:
        speed = f"{trial.answers_per_second:,.0f}"
        table.add_row(trial.data, trial.method, f"{trial.accuracy:.1%}", speed, f"{trial.n_cases:,}", trial.size)
    out.print(table, markup=False)
    out.print("\nWhy? One answer of IB1-IG on twelve objects, and the cases that decided:\n", markup=False)
    echo(render_text(explain_one(), text_width()))
