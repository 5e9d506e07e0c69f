"""The table of addresses for annotation tools."""

import casebase as cb
from casebase.serve.desks.desk import Desk
from casebase.serve.ports.tools import TOOL_ROUTES
from tests.serve.uima import prediction, training, xmi

SENTENCE = ["The", "dog", "runs", "."]


def test_every_address_answers(tmp_path):
    """Each handler takes JSON and a desk; only those that correct need the role for it."""
    cb.Tagger().fit([[("The", "D"), ("dog", "N"), ("runs", "V"), (".", ".")]] * 2).save(tmp_path / "words.cb")
    config = '<View><Text name="t" value="$text"/><Labels name="l" toName="t"/></View>'
    project = {"project": {"label_config": config}}
    requests = {
        "predict": prediction(xmi("The dog runs.", [SENTENCE])) | {"tasks": [], "label_config": config},
        "train": training(xmi("The dog runs.", [SENTENCE])),
        "setup": {"schema": config},
        "webhook": {"action": "ANNOTATION_CREATED", "annotation": {"id": 1}, "task": {"data": {"text": ""}}} | project,
    }
    with Desk.open(tmp_path / "words.cb") as desk:
        told = {
            (route.method, route.path): route.handler(requests.get(route.path.rsplit("/", 1)[1], {}), desk)
            for route in TOOL_ROUTES
        }

    assert {path: status for (_, path), (status, _) in told.items()} == {
        "/inception/{name}/predict": 200,
        "/inception/{name}/train": 204,
        "/labelstudio/{name}": 200,
        "/labelstudio/{name}/health": 200,
        "/labelstudio/{name}/setup": 200,
        "/labelstudio/{name}/predict": 200,
        "/labelstudio/{name}/webhook": 201,
    }
    assert {route.path for route in TOOL_ROUTES if route.role == "correct"} == {
        "/inception/{name}/train",
        "/labelstudio/{name}/webhook",
    }
