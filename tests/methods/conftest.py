import pytest

import casebase as cb

ROWS = [["a", 1.5, "x"], ["b", 2.5, None], ["a", None, "y"], ["c", 3.0, "x"], ["b", 1.0, "y"], ["a", 1.5, "y"]]
LABELS = ["P", "Q", "P", "R", "Q", "R"]
NEW = [*ROWS, ["zz", 9.0, "zz"], ["a", None, None], ["c", 1.25, "y"]]
FITTED = {
    "ib1": cb.IB1Classifier(k=2, weighting="information_gain"),
    "ib2": cb.IB2Classifier(metric="mvdm", bootstrap=2),
    "igtree": cb.IGTreeClassifier(compat="timbl"),
    "oblivion": cb.OblivionClassifier(min_features=2, missing="unknown"),
    "tribl": cb.TRIBLClassifier(switch=1, weighting_below="gain_ratio"),
    "tribl2": cb.TRIBL2Classifier(metric="jeffrey"),
    "rules": cb.HierarchicalRuleClassifier(pairs=True, discretise="equal_width", n_bins=2, window=0.5),
    "c45": cb.C45Classifier(pruned=False, min_cases=0.5, collapse=False),
    "c45rules": cb.C45RulesClassifier(min_cases=0.5, theory_weight=0.0),
    "id3": cb.ID3Classifier(criterion="gain_ratio", min_cases=0.5),
    "perceptron_tree": cb.PerceptronTreeClassifier(max_passes=1),
    "oblivious_graph": cb.ObliviousGraphClassifier(merge="equal", missing="unknown"),
    "auto": cb.AutoClassifier(readings=["discriminant", "opinions", "forest"]),
    "forest": cb.CaseForestClassifier(7, tried="half", values="groups"),
    "kernel": cb.KernelVoteClassifier(random_state=3),
    "opinions": cb.OpinionPoolClassifier(pairs=True),
    "discriminant": cb.DiscriminantClassifier(random_state=1),
    "smile": cb.SMILEClassifier(discretise="equal_frequency", n_bins=3),
}


@pytest.fixture(params=FITTED)
def model(request):
    """Each classifier in turn, with numbers, gaps and weights in its memory."""
    from sklearn.base import clone

    weights = {} if request.param == "ib2" else {"sample_weight": [1, 2, 1, 1, 1, 0.5]}  # IB2 knows none
    return clone(FITTED[request.param]).fit(ROWS, LABELS, **weights)


@pytest.fixture
def saved(model, tmp_path):
    """The file of a model."""
    path = tmp_path / "model.cb"
    model.save(path)
    return path
