"""A real cluster of two worker processes with little memory gives the file of a training in memory, whatever fails."""

import pytest

from casebase.scale.cluster import local_cluster
from tests.scale.faults import SMALL_SAMPLES, STAGES, KilledOnce, task_of, with_faults
from tests.scale.tables import in_memory, in_parts, write_words

LEARNERS = ["ib1", "igtree", "tribl", "tribl2", "id3", "c45", "oblivion"]
LIMIT = 250_000_000  # bytes of memory of a worker
pytestmark = pytest.mark.xdist_group("cluster")


@pytest.fixture(scope="module")
def client():
    from distributed import Client

    with local_cluster(2, 2 * LIMIT) as cluster, Client(cluster) as client:
        yield client


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    return write_words(tmp_path_factory.mktemp("table") / "words.csv", 600, n_features=3)


@pytest.fixture
def _small_samples(monkeypatch):
    for module, name, value in SMALL_SAMPLES:
        monkeypatch.setattr(module, name, value)


def both(table, folder, learner, resources):
    expected = in_memory(table, folder / "memory.cb", learner)
    given = in_parts(table, folder / "parts.cb", learner, resources=resources)
    left = {path.name for path in folder.iterdir()} - {"memory.cb", "parts.cb", "flag"}
    return given == expected and not left


@pytest.mark.parametrize("learner", LEARNERS)
def test_every_learner(tmp_path, table, client, learner):
    assert both(table, tmp_path, learner, with_faults(client=client))


@pytest.mark.usefixtures("_small_samples")
@pytest.mark.parametrize("stage", STAGES)
def test_a_worker_is_killed(tmp_path, table, client, stage):
    flag = tmp_path / "flag"
    assert both(table, tmp_path, "ib1", with_faults(KilledOnce(stage, task_of(stage), flag), client=client))
    assert flag.exists()
