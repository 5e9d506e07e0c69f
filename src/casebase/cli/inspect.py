"""casebase inspect"""

import os
from typing import Any

import click

from casebase import methods
from casebase.base.files import read
from casebase.cli.hyphen.inspecting import inspect_hyphenator
from casebase.cli.options import json_option
from casebase.cli.output import console, counted, grid, print_json
from casebase.cli.summary import size_of, summary
from casebase.cli.tagger.inspecting import inspect_tagger
from casebase.hyphenation.files import is_hyphenation
from casebase.methods import EXPORTS, FORMATS, formats_of, learner_name
from casebase.tagging.files.tagger import is_tagger

SHOWN = 40


@click.command("inspect")
@click.argument("model")
@click.option("--export", "to", type=click.Choice(FORMATS), help="Trees and rules: print them in this format.")
@json_option
def command(model: str, to: str | None, as_json: bool) -> None:
    """Show what is in a model file: learner, parameters, features and classes.

    Example:  casebase inspect words.cb
    """
    header = read(model)[0]
    if is_hyphenation(header):
        if to is not None:
            raise click.UsageError(f"{model} is a hyphenator: casebase hyphen export writes its patterns.")
        inspect_hyphenator(model, as_json)
        return
    if is_tagger(header):
        if to is not None:
            raise click.UsageError(f"{model} is a tagger: there is nothing to export.")
        inspect_tagger(model, as_json)
        return
    saved = methods.load(model)
    if to is not None:
        formats = formats_of(saved.model)
        if not formats:
            learners = ", ".join(sorted(map(learner_name, EXPORTS)))
            raise click.UsageError(f"--export is for models of {learners}; {model} is one of {saved.learner}.")
        if to not in formats:
            raise click.UsageError(f"A model of {saved.learner} is exported to {', '.join(formats)}, not to {to}.")
        click.echo(formats[to](saved.model), nl=False)
        return
    record = summary(saved) | {"file": model, "n_bytes": os.path.getsize(model)}
    if as_json:
        print_json(record)
        return
    out = console()
    out.print(f"{record['learner']} model, {record['n_bytes']:,} bytes", markup=False)
    # Of the cases that IB2 has learned from, a model has only those that it keeps.
    learned_from = "" if saved.learner == "ib2" else f"learned from {counted(record['n_cases'], 'case')}; "
    codelength = f", said in {record['codelength']:,.1f} bits" if "codelength" in record else ""
    out.print(learned_from + size_of(saved.model) + codelength, markup=False)
    given = {name: value for name, value in saved.parameters.items() if name not in ("class_dtype", "feature_names_in")}
    out.print("parameters: " + ", ".join(f"{name}={value}" for name, value in given.items()), markup=False)
    if "text" in formats_of(saved.model):
        out.print()
        lines = formats_of(saved.model)["text"](saved.model).splitlines()
        out.print("\n".join(lines[:SHOWN]), markup=False, highlight=False, soft_wrap=True)
        if len(lines) > SHOWN:
            out.print(f"… and {len(lines) - SHOWN} more lines; --export text has them all")
    out.print()
    features = grid("feature", "kind", "values", _last_column(record), first_left=2)
    heaviest = sorted(record["features"], key=lambda feature: -(feature["weight"] or 0.0))
    for feature in heaviest[:SHOWN]:
        n_values = "" if feature["n_values"] is None else f"{feature['n_values']:,}"
        features.add_row(feature["name"], feature["kind"], n_values, _last_entry(record, feature))
    out.print(features, markup=False)
    if len(heaviest) > SHOWN:
        which = "more" if heaviest[0]["weight"] is None else "lighter"
        out.print(f"… and {len(heaviest) - SHOWN} {which} features; --json has them all")
    out.print()
    classes = grid(f"{record['target']}", "cases")
    frequent = sorted(record["classes"], key=lambda entry: -entry["frequency"])
    for entry in frequent[:SHOWN]:
        classes.add_row(str(entry["label"]), f"{entry['frequency']:,.6g}")
    out.print(classes, markup=False)
    if len(frequent) > SHOWN:
        out.print(f"… and {len(frequent) - SHOWN} rarer classes; --json has them all")


def _last_column(record: dict[str, Any]) -> str:
    if any(feature["weight"] is not None for feature in record["features"]):
        return "weight"
    return "intervals" if record.get("cuts") else ""


def _last_entry(record: dict[str, Any], feature: dict[str, Any]) -> str:
    """Return a feature's weight, or how many intervals its numbers are cut into."""
    if feature["weight"] is not None:
        return f"{feature['weight']:.6f}"
    cuts = record.get("cuts", {}).get(feature["name"])
    return "" if cuts is None else f"{len(cuts) + 1:,}"
