"""The service is what its OpenAPI says: requests made from the description never end in a fault of the server."""

import contextlib
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from starlette.testclient import TestClient

import casebase as cb
from casebase.serve import api
from tests.serve.serving import client

schemathesis = pytest.importorskip("schemathesis")

N_EXAMPLES = 4  # for each operation; a long run by hand has more


@pytest.fixture(scope="module")
def described(trained: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """A server with a model of each kind, and a table."""
    folder = Path(shutil.copytree(trained, tmp_path_factory.mktemp("described") / "models"))
    sentences = [[("The", "DT"), ("dog", "NN"), ("ran", "VBD")], [("A", "DT"), ("man", "NN")]] * 4
    cb.Tagger().fit(sentences).save(folder / "tags.cb")
    cb.Hyphenator(window=None).fit(["ta-lo", "ka-la", "ve-ne"]).save(folder / "talo.cb")
    with client(folder, folder=folder.parent / "kept") as asking:
        yield asking


def test_each_model_has_a_description_of_its_own(described: TestClient) -> None:
    case = described.get("/v1/models/ib1/openapi.json").json()["components"]["schemas"]["Case"]
    assert case["additionalProperties"] is False
    assert case["properties"]["sex"]["anyOf"][0] == {"enum": ["female", "male", None]}
    assert case["properties"]["fare"]["type"] == ["number", "null"]
    assert "345 values" in case["properties"]["name"]["description"]
    label = described.get("/v1/models/c45/openapi.json").json()["components"]["schemas"]["Label"]
    assert label == {"enum": ["no", "yes", None]}


def test_the_page_shows_every_address_and_an_example_that_works(described: TestClient) -> None:
    paths = described.get("/v1/openapi.json").json()["paths"]
    text = described.get("/v1").text
    assert all(path in text for path in paths)
    assert "curl http://localhost/v1/models/ib1/predict" in text
    assert "<script" not in text.replace('<script type="module" src="/static/', "")


def test_every_route_of_the_service_is_described(described: TestClient) -> None:
    routes = {route.path.replace(":path", "") for route in api.routes()}
    served = {path for path in routes if path.startswith("/v1/")} | {"/healthz", "/readyz", "/metrics"}
    paths = set(described.get("/v1/openapi.json").json()["paths"])
    assert served == paths


@pytest.mark.slow
@pytest.mark.parametrize("place", ["/v1/openapi.json", "/v1/models/ib1/openapi.json"])
def test_no_request_ends_in_a_fault_of_the_server(described: TestClient, place: str) -> None:
    """Requests that the description allows, and some that it does not, are answered or refused with a problem."""
    assert fuzz(described, place, N_EXAMPLES) > 60


def fuzz(asking: TestClient, place: str, n_examples: int) -> int:
    """Send requests made from a description, and return how many there were."""
    schema = schemathesis.openapi.from_dict(asking.get(place).json())
    n_asked = 0
    for found in schema.get_all_operations():
        operation = found.ok()
        if operation.path.endswith(("/events", "/openapi.json")) or is_destructive(operation):
            continue
        for mode in schemathesis.GenerationMode:

            @settings(
                max_examples=n_examples,
                deadline=None,
                database=None,
                derandomize=True,
                phases=[Phase.generate],
                suppress_health_check=list(HealthCheck),
            )
            @given(case=operation.as_strategy(generation_mode=mode))
            def ask(case: Any) -> None:
                nonlocal n_asked
                n_asked += 1
                answer = sent(asking, case)
                assert answer.status_code < 500, (case.method, case.formatted_path, case.body, answer.text)
                if answer.status_code >= 400:
                    assert answer.headers["content-type"] == "application/problem+json", answer.text
                elif case.meta.generation.mode == schemathesis.GenerationMode.POSITIVE:
                    case.operation.validate_response(answer)

            with contextlib.suppress(Unsatisfiable):  # an operation without anything that could be wrong
                ask()
    return n_asked


def is_destructive(operation: Any) -> bool:
    """Return whether an operation would take the models away that others ask."""
    return operation.method == "delete" and operation.path.startswith("/v1/models/") and "/cases/" not in operation.path


def sent(asking: TestClient, case: Any) -> Any:
    """Send a request as schemathesis made it."""
    given = case.as_transport_kwargs(base_url="http://localhost")
    content = given.get("data")
    if "json" in given:
        content = json.dumps(given["json"])
    headers = {name: value for name, value in (given.get("headers") or {}).items() if name.lower() != "host"}
    if not isinstance(content, str | bytes | None):
        content = str(content)
    return asking.request(
        given["method"], given["url"], params=given.get("params"), content=content, headers=headers, cookies=None
    )
