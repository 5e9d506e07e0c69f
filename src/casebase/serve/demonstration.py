"""Models and tables for a first look: what `casebase serve --demo` opens."""

from pathlib import Path
from typing import Any

from casebase import methods
from casebase.confidence import calibrate
from casebase.data.kinds import cases_with_kinds
from casebase.datasets import load_tic_tac_toe, make_passengers
from casebase.formats import read_table
from casebase.methods import method_named

TARGET = "saved"
MODELS: dict[str, tuple[str, dict[str, Any]]] = {"passengers": ("ib1", {"k": 3}), "passengers-tree": ("c45", {})}


def write_demonstration(folder: Path) -> None:
    """Write two tables, and two models of the first, into a folder; what is there already stays."""
    folder.mkdir(parents=True, exist_ok=True)
    table = folder / "passengers.csv"
    if not table.exists():
        make_passengers().write_csv(table, target=TARGET)
    if not (folder / "tic-tac-toe.csv").exists():
        load_tic_tac_toe().write_csv(folder / "tic-tac-toe.csv")
    for name, (learner, settings) in MODELS.items():
        path = folder / f"{name}.cb"
        if path.exists():
            continue
        cases = cases_with_kinds(read_table(table, target=TARGET), kinds={"ticket": "id", "name": "provenance"})
        model = method_named(learner).fit(cases, **settings)
        methods.save(path, model, calibration=calibrate(model, cases))
