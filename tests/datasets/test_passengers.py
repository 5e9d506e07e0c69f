import csv

import numpy as np
import pytest

from casebase.datasets import make_passengers
from casebase.errors import CasebaseError


def test_same_seed_gives_the_same_passengers():
    one, other = make_passengers(seed=3), make_passengers(seed=3)
    assert [list(map(str, row)) for row in one.data] == [list(map(str, row)) for row in other.data]
    assert (one.target == other.target).all()
    assert (one.target != make_passengers(seed=4).target).any()


def test_tickets_identify_and_clerk_b_slips_most():
    clean, messy = make_passengers(4000, slips=0.0), make_passengers(4000, slips=0.1)
    assert len(set(messy.data[:, 0])) == 4000
    differs, clerk = clean.target != messy.target, messy.data[:, 8]
    assert 0.08 < differs.mean() < 0.12
    assert differs[clerk == "B"].mean() > 3 * differs[clerk != "B"].mean()


def test_a_csv_file_has_the_same_cells_and_empty_gaps(tmp_path):
    ds = make_passengers(200)
    ds.write_csv(tmp_path / "p.csv", target="saved")
    header, *rows = csv.reader((tmp_path / "p.csv").open(encoding="utf-8", newline=""))
    assert header == [*ds.feature_names, "saved"]
    assert [row[-1] for row in rows] == ds.target.tolist()
    for row, values in zip(rows, ds.data.tolist()):
        for field, value in zip(row, values):
            if isinstance(value, float):
                assert (field == "") == np.isnan(value)
                assert field == "" or float(field) == value
            else:
                assert field == ("" if value == "?" else value)
    assert any("" in row for row in rows)


@pytest.mark.parametrize("arguments", [{"n_cases": 3}, {"slips": 0.5}, {"slips": -0.1}])
def test_impossible_tables_are_refused(arguments):
    with pytest.raises(CasebaseError, match="at least 10"):
        make_passengers(**arguments)
