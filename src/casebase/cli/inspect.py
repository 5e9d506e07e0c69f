"""casebase inspect"""

import os
from importlib import import_module
from typing import Any

import click

from casebase.about import training_data
from casebase.base.files import read
from casebase.base.model import format_count
from casebase.cli.options import json_option
from casebase.cli.output import console, grid, print_json, write_text
from casebase.methods import Saved, all_methods, model_of, other_model, string_rules

SHOWN = 40
NOT_SHOWN = ("class_dtype", "feature_names_in", "kinds", "data_file")  # parameters; the kinds have a table
# Model files without a classifier, by the learner in the header: the function that shows one, and why --export fails.
INSPECTORS = {
    "annotator": ("casebase.cli.tagger.annotators:inspect_parts", "is an annotator: there is nothing to export."),
    "lemmatizer": ("casebase.cli.tagger.annotators:inspect_parts", "is a lemmatizer: there is nothing to export."),
    "hyphenation": (
        "casebase.cli.hyphen.overview:inspect_hyphenator",
        "is a hyphenator: casebase hyphen export writes its patterns.",
    ),
    "strings": ("casebase.cli.strings.overview:inspect_strings", ""),
    "tagger": ("casebase.cli.tagger.overview:inspect_tagger", "is a tagger: there is nothing to export."),
}


@click.command("inspect")
@click.argument("model")
@click.option("--export", "to", metavar="FORMAT", help="Print a tree or rules as text, markdown, json, sql or python.")
@click.option("--check", "is_complete", is_flag=True, help="First compare every byte of the file with its checksum.")
@json_option
def command(model: str, to: str | None, is_complete: bool, as_json: bool) -> None:
    """Show what MODEL contains: learner, parameters, features and classes; of the autopilot also what it chose and why.

    A file of up to 64 MiB is always checked as a whole; --check does so for a larger one.

    Example:  casebase inspect words.cb
    """
    header, arrays = read(model, is_complete=is_complete)
    if header.get("learner") in INSPECTORS:
        inspector, why_not = INSPECTORS[header["learner"]]
        is_strings = header["learner"] == "strings"
        if to is not None and is_strings:
            rules = string_rules(model, header, arrays)
            write_text(None, import_module("casebase.strings.export").exported(rules, to))
            return
        if to is not None:
            raise click.UsageError(f"{model} {why_not}")
        module, _, function = inspector.partition(":")
        content = (string_rules if is_strings else other_model)(model, header, arrays)
        getattr(import_module(module), function)(model, content, as_json)
        return
    saved = model_of(model, header, arrays)
    if to is not None:
        write_text(None, _export(saved, model, to))
        return
    summary = saved.model.summary()
    record = summary.to_dict() | {
        "parameters": saved.parameters,
        "file": model,
        "n_bytes": os.path.getsize(model),
    }
    if as_json:
        print_json(record)
        return
    out, method = console(), saved.method
    out.print(f"{record['learner']} model, {record['n_bytes']:,} bytes", markup=False)
    # A model that keeps only some of its cases does not know how many it was trained on.
    learned_from = "" if method.keeps == "some cases" else f"learned from {format_count(record['n_cases'], 'case')}"
    if saved.data_file is not None:
        data = training_data(saved.data_file, len(saved.log))
        learned_from = f"{learned_from} ({data})" if learned_from else f"learned from {data}"
    learned_from += "; " if learned_from else ""
    codelength = f", said in {record['codelength']:,.1f} bits" if "codelength" in record else ""
    out.print(learned_from + summary.size + codelength, markup=False, soft_wrap=True)
    shown = {name: value for name, value in saved.parameters.items() if name not in NOT_SHOWN}
    out.print("parameters: " + ", ".join(f"{name}={value}" for name, value in shown.items()), markup=False)
    if "text" in method.exports:
        out.print()
        lines = method.exports["text"](saved.model).splitlines()
        out.print("\n".join(lines[:SHOWN]), markup=False, highlight=False, soft_wrap=True)
        if len(lines) > SHOWN:
            out.print(f"… and {format_count(len(lines) - SHOWN, 'more line')}; --export text has them all")
    if "readings" in record:
        _show_readings(record)
    out.print()
    features = grid("feature", "kind", "values", _last_column(record), first_left=2)
    heaviest = sorted(record["features"], key=lambda feature: -(feature["weight"] or 0.0))
    for feature in heaviest[:SHOWN]:
        n_values = "" if feature["n_values"] is None else f"{feature['n_values']:,}"
        is_cut = feature["kind"] == "symbolic" and feature["name"] in record.get("cuts", {})
        kind = "intervals" if is_cut else feature["kind"]
        features.add_row(feature["name"], kind, n_values, _last_entry(record, feature))
    out.print(features, markup=False)
    if len(heaviest) > SHOWN:
        which = "more" if heaviest[0]["weight"] is None else "lighter"
        out.print(f"… and {format_count(len(heaviest) - SHOWN, f'{which} feature')}; --json has them all")
    out.print()
    if summary.kinds:
        kinds = grid("column", "kind", "reason", first_left=3)
        for column in summary.kinds[:SHOWN]:
            kinds.add_row(column.name, column.kind, column.reason)
        out.print(kinds, markup=False)
        if len(summary.kinds) > SHOWN:
            out.print(f"… and {format_count(len(summary.kinds) - SHOWN, 'more column')}; --json has them all")
        out.print()
    classes = grid(f"{record['target']}", "cases")
    frequent = sorted(record["classes"], key=lambda entry: -entry["frequency"])
    for entry in frequent[:SHOWN]:
        classes.add_row(str(entry["label"]), f"{entry['frequency']:,.6g}")
    out.print(classes, markup=False)
    if len(frequent) > SHOWN:
        out.print(f"… and {format_count(len(frequent) - SHOWN, 'rarer class')}; --json has them all")


def _show_readings(record: dict[str, Any]) -> None:
    """Print the readings of a committee, those that it does not use too, and why it has these."""
    out = console()
    out.print()
    if not record["readings"]:
        out.print("There was nothing to choose from: the class frequencies answer every case.")
        return
    readings = grid("reading", "exponent", "share", "held-out log loss")
    for one in record["readings"]:
        chosen = (f"{one['exponent']:.3f}", f"{one['share']:.0%}") if one["exponent"] > 0 else ("", "not used")
        readings.add_row(one["reading"], *chosen, f"{one['log_loss']:.4f}")
    is_used = any(one["exponent"] > 0 for one in record["readings"])
    readings.add_row("together" if is_used else "class frequencies", "", "", f"{record['held_out_log_loss']:.4f}")
    out.print(readings, markup=False)
    if is_used:
        out.print(
            f"Together they answer {record['held_out_accuracy']:.1%} of the held-out cases right; the exponents are "
            "those with the least log loss."
        )
    else:
        out.print("No reading answers held-out cases better than the class frequencies, which answer every case.")


def _export(saved: Saved, file: str, to: str) -> str:
    """Return a model in a format that people read or other programs run."""
    formats = saved.method.exports
    if not formats:
        learners = ", ".join(sorted(method.name for method in all_methods() if method.exports))
        raise click.UsageError(f"--export is for models of {learners}; {file} is one of {saved.method.name}.")
    if to not in formats:
        raise click.UsageError(f"A model of {saved.method.name} can be exported to {', '.join(formats)}, not to {to}.")
    return formats[to](saved.model)


def _last_column(record: dict[str, Any]) -> str:
    if any(feature["weight"] is not None for feature in record["features"]):
        return "weight"
    return "intervals" if record.get("cuts") else ""


def _last_entry(record: dict[str, Any], feature: dict[str, Any]) -> str:
    """Return a feature's weight, or the number of intervals its values are cut into."""
    if feature["weight"] is not None:
        return f"{feature['weight']:.6f}"
    cuts = record.get("cuts", {}).get(feature["name"])
    return "" if cuts is None else f"{len(cuts) + 1:,}"
