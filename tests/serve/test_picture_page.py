"""Pictures: trees, graphs, rules, sets of features and weights; each node leads to its cases."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from casebase import methods
from casebase.base.records import records_of
from casebase.data import Cases
from casebase.datasets import load_tic_tac_toe
from casebase.methods import method_named
from tests.serve.serving import client
from tests.serve.test_compare_page import HOSTILE

ROWS = load_tic_tac_toe()
DRAWN = ("c45", "id3", "igtree", "perceptron_tree", "oblivion", "oblivious_graph", "rules", "c45rules", "smile")
NAMES = (*DRAWN, "ib1", "tribl", "discriminant")


@pytest.fixture(scope="module")
def boards(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with models of every eighth board."""
    folder = tmp_path_factory.mktemp("boards")
    cases = Cases.from_table(ROWS.data[::8].tolist(), y=ROWS.target[::8])
    for name in NAMES:
        # At alpha 0 a stored record agrees with itself on all features, and no smaller set counts.
        settings = {"ib1": {"metric": "mvdm"}, "smile": {"alpha": 1}}.get(name, {})
        methods.save(folder / f"{name}.cb", method_named(name).fit(cases, **settings))
    return folder


@pytest.mark.parametrize("name", NAMES)
def test_every_method_has_a_picture(boards: Path, name: str) -> None:
    with client(boards / f"{name}.cb", read_only=True) as asking:
        response = asking.get(f"/m/{name}/picture")
        assert response.status_code == 200
        assert "style=" not in response.text
        assert "<style" not in response.text
        facts = asking.get(f"/m/{name}/picture.json").json()
        expected = {
            **dict.fromkeys(("c45", "id3", "igtree", "perceptron_tree", "oblivion"), "tree"),
            "oblivious_graph": "graph",
            "rules": "rules",
            "c45rules": "rules",
            "smile": "sets",
        }
        assert facts["kind"] == expected.get(name, "weights")
        assert asking.get(f"/m/{name}/picture?node=x").status_code == (200 if facts["kind"] == "weights" else 422)


def test_a_node_of_an_igtree_leads_to_the_records_with_its_values(boards: Path) -> None:
    model = methods.load(boards / "igtree.cb").model
    records = records_of(model).to_dicts()
    with client(boards / "igtree.cb", read_only=True) as asking:
        tree = asking.get("/m/igtree/picture.json").json()
        assert tree["cases"]["part"]["total"] == len(records)
        for node in range(1, tree["n_nodes"], 3):
            facts = asking.get(f"/m/igtree/picture.json?node={node}").json()
            wanted = [one["text"].split(" = ") for one in facts["way"][1:]]
            expected = [one for one in records if all(one["values"][name] == text for name, text in wanted)]
            assert facts["cases"]["part"]["total"] == len(expected) == facts["node"]["n_cases"]
            assert [one["id"] for one in facts["cases"]["records"]] == [one["id"] for one in expected[:50]]
            counts = {one["label"]: one["count"] for one in facts["node"]["counts"]}
            assert counts == {label: sum(one["class"] == label for one in expected) for label in counts}


@pytest.mark.parametrize("name", ["c45", "id3", "perceptron_tree", "oblivion", "igtree"])
def test_the_drawing_leads_to_every_node(boards: Path, name: str) -> None:
    """By links of drawings and lists of branches alone, from the root."""
    with client(boards / f"{name}.cb", read_only=True) as asking:
        n_nodes = asking.get(f"/m/{name}/picture.json").json()["n_nodes"]
        seen, pending = {0}, [0]
        while pending:
            node = pending.pop()
            facts = asking.get(f"/m/{name}/picture.json?node={node}").json()
            below = {one["node"] for one in facts["branches"]} - seen
            assert (
                facts["node"]["n_cases"]
                == pytest.approx(sum(one["n_cases"] for one in facts["branches"]) or facts["node"]["n_cases"])
                or name == "igtree"
            )  # from which leaves with the default are left out
            seen |= below
            pending += below
            if node % 7 == 0:
                page = asking.get(f"/m/{name}/picture?node={node}").text
                drawing = page.split('<svg class="picture" viewBox')[1].split("</svg>")[0]
                drawn = {child for child in below if f'href="/m/{name}/picture?node={child}"' in drawing}
                assert drawn == below
        assert seen == set(range(n_nodes))


def test_a_rule_leads_to_the_records_that_it_decides(boards: Path) -> None:
    model = methods.load(boards / "rules.cb").model
    records = {one["id"]: one for one in records_of(model).to_dicts()}
    with client(boards / "rules.cb", read_only=True) as asking:
        rules = asking.get("/m/rules/picture.json").json()["rules"]
        left = set(records)
        for rule in rules:
            conditions = [text.split(" = ") for text in rule["conditions"]]
            expected = {
                case for case in left if all(records[case]["values"][name] == value for name, value in conditions)
            }
            left -= expected
            facts = asking.get(f"/m/rules/picture.json?node={rule['number']}").json()
            assert {one["id"] for one in facts["cases"]["records"]} == set(sorted(expected)[:50])
            assert facts["cases"]["part"]["total"] == rule["n_cases"] == len(expected)
            assert rule["n_wrong"] == sum(records[case]["class"] != rule["class"] for case in expected)
        assert not left


def test_a_set_of_smile_leads_to_the_records_that_agree(boards: Path) -> None:
    model: Any = methods.load(boards / "smile.cb").model
    records = records_of(model).to_dicts()
    with client(boards / "smile.cb", read_only=True) as asking:
        own = records[5]
        facts = asking.get(f"/m/smile/picture.json?record={own['id']}").json()
        assert facts["n_sets"] > 1
        for number, one in enumerate(facts["sets"][:5]):
            names = [text.split(" = ")[0] for text in one["conditions"]]
            expected = [r["id"] for r in records if all(r["values"][n] == own["values"][n] for n in names)]
            told = asking.get(f"/m/smile/picture.json?record={own['id']}&node={number}").json()["cases"]
            assert [r["id"] for r in told["records"]] == expected[:50]
            assert told["part"]["total"] == one["n_cases"]
        assert asking.get("/m/smile/picture?record=<b>").status_code == 404
        assert asking.get("/m/smile/picture?record=99999").status_code == 422


@pytest.mark.parametrize("name", ["c45", "id3", "perceptron_tree", "oblivion", "oblivious_graph", "c45rules"])
def test_a_model_without_records_shows_those_of_another(boards: Path, name: str) -> None:
    """They are as many as the model counted when it learned from the same records, class by class."""
    with client(boards / f"{name}.cb", boards / "ib1.cb", read_only=True) as asking:
        facts = asking.get(f"/m/{name}/picture.json").json()
        n_nodes = len(facts["rules"]) if facts["kind"] == "rules" else facts["n_nodes"]
        n_cases = []
        for node in range(n_nodes):
            told = asking.get(f"/m/{name}/picture.json?node={node}").json()
            assert told["records_of"] == "ib1"
            assert told["cases"]["part"]["total"] == told["node"]["n_cases"], node
            n_cases.append(told["node"]["n_cases"])
            if told["cases"]["part"]["total"] <= 50 and "counts" in told["node"]:
                found = [one["class"] for one in told["cases"]["records"]]
                assert {one["label"]: one["count"] for one in told["node"]["counts"]} == {
                    c: found.count(c) for c in found
                }
        assert len(set(n_cases)) > 2
        assert "among the records of ib1" in asking.get(f"/m/{name}/picture?node=0").text


def test_distances_of_values_are_those_of_the_metric(boards: Path) -> None:
    """An answer's costs, divided by the weight of the feature, are the same distances."""
    model: Any = methods.load(boards / "ib1.cb").model
    weights = {one["name"]: one["weight"] for one in model.summary().features}
    with client(boards / "ib1.cb", read_only=True) as asking:
        facts = asking.get("/m/ib1/picture.json").json()
    assert {one["name"]: one["weight"] for one in facts["weights"]} == weights
    grids = {grid["feature"]: grid for grid in facts["distances"]}
    assert set(grids) == set(weights)
    asked = model.schema.recode(Cases.from_table(ROWS.data[1::8].tolist()[:10], y=ROWS.target[1::8][:10]))
    found = 0
    for evidence in model.explain(asked, limit=3):
        for neighbour in evidence.neighbours:
            total = 0.0
            for name, own, other in zip(evidence.features, evidence.values, neighbour.values):
                values = grids[name]["values"]
                total += weights[name] * grids[name]["distances"][values.index(own)][values.index(other)]
            assert total == pytest.approx(neighbour.distance)
            found += neighbour.distance > 0
    assert found > 5


def test_large_trees_and_hostile_values(tmp_path: Path) -> None:
    """A root with hundreds of branches is cut, and lists them on pages."""
    generator = np.random.default_rng(0)
    rows = [[f"v{i % 400}", HOSTILE if i % 2 else "\u202eb\n", f"w{generator.integers(9)}"] for i in range(1200)]
    labels = [HOSTILE if (i % 400) % 3 else "'; --" for i in range(1200)]
    cases = Cases.from_table(rows, y=labels)
    for name in ("igtree", "id3", "smile", "rules", "oblivious_graph"):
        some = cases.take(np.arange(0, 1200, 3)) if name in ("smile", "rules") else cases
        methods.save(tmp_path / f"{name}.cb", method_named(name).fit(some))
    with client(tmp_path) as asking:
        facts = asking.get("/m/igtree/picture.json?branch=50").json()
        assert len(facts["branches"]) == 50
        assert "more branches" in asking.get("/m/igtree/picture").text
        for name in ("igtree", "id3", "smile", "rules", "oblivious_graph"):
            for place in (f"/m/{name}/picture", f"/m/{name}/picture?node=1"):
                page = asking.get(place).text
                assert "<script>alert" not in page
                assert "<img" not in page
                assert len(page) < 400_000
