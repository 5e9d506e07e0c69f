"""A real cluster of two worker processes with little memory gives the file of a training in memory, whatever fails."""

import pytest
from click.testing import CliRunner

import casebase as cb
from casebase.cli import cli
from casebase.errors import CasebaseError
from casebase.scale.cluster import local_client
from tests.scale.faults import SMALL_SAMPLES, STAGES, Hungry, KilledOnce, Slow, task_of, with_faults
from tests.scale.tables import in_memory, in_parts, write_words

LEARNERS = ["ib1", "igtree", "tribl", "tribl2", "id3", "c45", "oblivion"]
LIMIT = 250_000_000  # bytes of memory of a worker
pytestmark = pytest.mark.xdist_group("cluster")


@pytest.fixture(scope="module")
def client():
    with local_client(2, 2 * LIMIT) as client:
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


def test_a_slow_worker(tmp_path, table, client):
    assert both(table, tmp_path, "igtree", with_faults(Slow(), client=client))


def test_a_worker_that_takes_too_much_memory_once(tmp_path, table, client):
    flag = tmp_path / "flag"
    assert both(table, tmp_path, "igtree", with_faults(Hungry("coding", LIMIT, flag), client=client))
    assert flag.exists()


def test_workers_that_always_take_too_much_memory(tmp_path, table, client):
    client.cluster.scheduler.allowed_failures, before = 0, client.cluster.scheduler.allowed_failures
    try:
        with pytest.raises(CasebaseError, match="Worker after worker died in the stage 'counting'"):
            in_parts(table, tmp_path / "m.cb", "ib1", resources=with_faults(Hungry("counting", LIMIT), client=client))
    finally:
        client.cluster.scheduler.allowed_failures = before
    assert not list(tmp_path.iterdir())


def test_workers_do_not_pause(client):
    """A worker has nothing to spill: one that paused, because its memory is nearly full, would wait for ever."""
    client.wait_for_workers(1, timeout=120)  # those of the test before may not be back yet
    pauses = client.run(lambda dask_worker: dask_worker.memory_manager.memory_pause_fraction)
    assert set(pauses.values()) == {False}


def test_an_error_of_a_worker(tmp_path, table, client):
    """The message of a task that fails is that of the task, and its files are removed."""
    lines = table.read_text().splitlines()
    lines[500] = "w1,w2"
    damaged = tmp_path / "damaged.csv"
    damaged.write_text("\n".join(lines) + "\n")
    with pytest.raises(CasebaseError, match=r"damaged\.csv, line 501: expected 4 fields"):
        in_parts(damaged, tmp_path / "m.cb", "ib1", resources=with_faults(client=client))
    assert [path.name for path in tmp_path.iterdir()] == ["damaged.csv"]


def test_fit_on_a_client(tmp_path, table, client):
    model = cb.scale.fit(cb.IGTreeClassifier(), str(table), output=tmp_path / "m.cb", client=client)
    assert (tmp_path / "m.cb").read_bytes() == in_memory(table, tmp_path / "memory.cb", "igtree")
    assert model.predict([["w1", "w1", "w1"]]).shape == (1,)


def test_the_command_line(tmp_path, table, client, monkeypatch):
    """With a scheduler that runs, from another folder than that of its workers, and with workers of its own."""
    monkeypatch.chdir(table.parent)
    expected = tmp_path / "memory.cb"
    for output, options in (
        (expected, []),
        (tmp_path / "scheduler.cb", ["--scheduler", client.scheduler.address]),
        (tmp_path / "workers.cb", ["--workers", "1", "--memory", "300MB"]),
    ):
        command = ["train", table.name, "-o", str(output), "--learner", "igtree", *options]
        outcome = CliRunner().invoke(cli, command, catch_exceptions=False)
        assert outcome.exit_code == 0, outcome.output
        assert output.read_bytes() == expected.read_bytes()
    assert {path.name for path in tmp_path.iterdir()} == {"memory.cb", "scheduler.cb", "workers.cb"}


def test_what_cannot_be_reached(tmp_path, table, monkeypatch):
    command = ["train", str(table), "-o", str(tmp_path / "m.cb"), "--learner", "igtree"]
    with pytest.raises(CasebaseError, match="A worker needs at least 200MB: for 2, pass --memory 400MB or more"):
        CliRunner().invoke(cli, [*command, "--workers", "2", "--memory", "300MB"], catch_exceptions=False)
    with pytest.raises(CasebaseError, match="There is no Dask scheduler at nowhere"):
        CliRunner().invoke(cli, [*command, "--scheduler", "nowhere://x"], catch_exceptions=False)
