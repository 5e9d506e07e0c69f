import pytest

import casebase as cb

CLASSIFIERS = [cb.IB1Classifier, cb.IGTreeClassifier, cb.TRIBLClassifier]


@pytest.fixture(params=CLASSIFIERS, ids=lambda classifier: classifier.__name__)
def classifier(request):
    """Each of the classifiers in turn."""
    return request.param


@pytest.fixture
def weather():
    """Rows of symbols and their classes; no two rows are alike."""
    rows = [
        ["sunny", "hot", "no"],
        ["sunny", "hot", "yes"],
        ["overcast", "hot", "no"],
        ["rainy", "mild", "no"],
        ["rainy", "cool", "no"],
        ["rainy", "cool", "yes"],
        ["overcast", "cool", "yes"],
        ["sunny", "mild", "no"],
        ["sunny", "cool", "no"],
        ["rainy", "mild", "yes"],
        ["sunny", "mild", "yes"],
        ["overcast", "mild", "yes"],
    ]
    return rows, ["stay", "stay", "go", "go", "go", "stay", "go", "stay", "go", "stay", "go", "go"]
