"""casebase weights"""

from typing import Any

import click

from casebase.cli.options import DataFile, file_options, json_option, metric_named
from casebase.cli.output import console, grid, print_json
from casebase.measures.contingency import feature_contingency
from casebase.measures.distances import compared_by
from casebase.measures.weights import MEASURES, split_info, used_features

SHOWN_MEASURES = [name for name in MEASURES if name != "none"]


@click.command("weights")
@click.argument("data")
@click.option(
    "--metric",
    default="overlap",
    show_default=True,
    metavar="NAME|FEATURE=NAME,…",
    help="As for train: which features are numeric or ignored.",
)
@json_option
@file_options
def command(data: str, metric: str, as_json: bool, **options: Any) -> None:
    """Show how much each feature of DATA tells about the class, by all measures.

    Example:  casebase weights words.tsv --target tag
    """
    cases, _ = compared_by(DataFile.from_options(data, options).cases(), metric_named(metric))
    records = []
    for i in used_features(cases):
        table = feature_contingency(cases, i)
        feature = cases.schema.features[i]
        record: dict[str, Any] = {"feature": feature.name, "kind": feature.kind}
        record["n_values"] = table.n_seen
        record |= {name: MEASURES[name](table) for name in SHOWN_MEASURES}
        records.append(record | {"split_info": split_info(table)})
    if as_json:
        print_json(records)
        return
    out = console()
    shown = grid("feature", "kind", "values", *SHOWN_MEASURES, first_left=2)
    for record in sorted(records, key=lambda record: -record["gain_ratio"]):
        numbers = [f"{record[name]:.6f}" for name in SHOWN_MEASURES]
        shown.add_row(record["feature"], record["kind"], f"{record['n_values']:,}", *numbers)
    out.print(shown, markup=False)
