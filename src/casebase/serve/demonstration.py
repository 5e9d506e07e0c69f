"""Models and tables for a first look: what `casebase serve --demo` opens."""

from pathlib import Path

from casebase import methods
from casebase.confidence import calibrate
from casebase.data import Cases
from casebase.data.kinds import cases_with_kinds
from casebase.datasets import load_tic_tac_toe, make_passengers
from casebase.formats import read_table
from casebase.methods import method_named


def write_demonstration(folder: Path) -> None:
    """Write two tables and a model of each into a folder; what is there already stays."""
    folder.mkdir(parents=True, exist_ok=True)
    passengers, boards = folder / "passengers.csv", folder / "tic-tac-toe.csv"
    if not passengers.exists():
        make_passengers().write_csv(passengers, target="saved")
    if not boards.exists():
        load_tic_tac_toe().write_csv(boards, target="x wins")
    if not (model := passengers.with_suffix(".cb")).exists():
        table = read_table(passengers, target="saved")
        _learn(model, "ib1", cases_with_kinds(table, kinds={"ticket": "id", "name": "provenance"}), k=3)
    if not (model := boards.with_suffix(".cb")).exists():
        _learn(model, "c45", Cases.from_table(read_table(boards, target="x wins")))


def _learn(path: Path, learner: str, cases: Cases, **settings: int) -> None:
    model = method_named(learner).fit(cases, **settings)  # type: ignore[arg-type]  # settings by name, as users give them
    methods.save(path, model, calibration=calibrate(model, cases))
