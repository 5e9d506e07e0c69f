"""A real cluster of two worker processes with little memory gives the file of a training in memory, whatever fails."""

import os
from dataclasses import replace

import dask.dataframe as dd
import pytest
from click.testing import CliRunner
from distributed import wait

import casebase as cb
from casebase import evaluate
from casebase.batches.lines import Wanted
from casebase.cli import cli
from casebase.errors import CasebaseError
from casebase.methods import method_named
from casebase.scale import evaluating
from casebase.scale.answering import answer_file
from casebase.scale.cluster import local_client
from casebase.scale.examining import examine
from tests.scale import corpora
from tests.scale.faults import SMALL_SAMPLES, STAGES, Hungry, KilledOnce, Slow, task_of, with_faults
from tests.scale.frames import file_of_memory, mixed_frame
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


@pytest.mark.parametrize(
    ("parameters", "stage"), [({"committee": "chunks"}, "growing known"), ({"compat": "mbt"}, "sorting unknown")]
)
def test_taggers_when_a_worker_is_killed(tmp_path, client, monkeypatch, parameters, stage):
    corpora.calibrate_once(monkeypatch)
    corpus = corpora.write_corpus(tmp_path / "c.tsv", corpora.made_sentences(80, n_columns=1))
    flag = tmp_path / "flag"
    expected = corpora.in_memory(corpus, tmp_path / "memory.cb", **parameters)
    resources = replace(with_faults(KilledOnce(stage, 0, flag), client=client), rows=200)
    assert corpora.in_parts(corpus, tmp_path / "parts.cb", resources, **parameters) == expected
    assert {path.name for path in tmp_path.iterdir()} == {"c.tsv", "flag", "memory.cb", "parts.cb"}


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


@pytest.fixture(scope="module")
def client_of_frames():
    """Two processes with room for pandas and Dask's data frames, which take a hundred megabytes themselves."""
    with local_client(2, 1_200_000_000) as client:
        yield client


def test_a_dask_frame_is_read_by_the_workers(tmp_path, client_of_frames):
    """Partitions are not collected here; those that a killed worker held are computed again."""
    frame = mixed_frame()
    expected, flag = file_of_memory(frame, tmp_path, "igtree"), tmp_path / "flag"
    here = os.getpid()

    def elsewhere(part):
        assert os.getpid() != here
        return part

    partitions = dd.from_pandas(frame, npartitions=6).map_partitions(elsewhere, meta=frame.iloc[:0])
    assert (
        in_parts(partitions, tmp_path / "parts.cb", "igtree", resources=with_faults(client=client_of_frames))
        == expected
    )
    held = partitions.persist()
    wait(held)
    killed = with_faults(KilledOnce("reading", 3, flag), client=client_of_frames)
    assert in_parts(held, tmp_path / "parts.cb", "igtree", resources=killed) == expected
    assert flag.exists()


def test_a_partition_that_cannot_be_computed(tmp_path, client_of_frames):
    def damaged(part, partition_info=None):
        if partition_info is not None and partition_info["number"] == 2:
            raise ValueError("bad sector")
        return part

    frame = mixed_frame(40)
    partitions = dd.from_pandas(frame, npartitions=4).map_partitions(damaged, meta=frame.iloc[:0])
    message = "the given table, partition 3 cannot be computed: ValueError: bad sector"
    with pytest.raises(CasebaseError, match=message):
        in_parts(partitions, tmp_path / "m.cb", "ib1", resources=with_faults(client=client_of_frames))
    assert not list(tmp_path.iterdir())


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


@pytest.fixture(scope="module")
def model(table):
    path = table.parent / "ib1.cb"
    in_memory(table, path, "ib1")
    return path


@pytest.mark.parametrize(("n_ranges", "stage"), [(1, "answering"), (3, "searching 2")])
def test_answers_with_a_worker_killed(tmp_path, table, model, client, n_ranges, stage):
    """The parts of the questions are tasks, and the one whose worker dies is repeated."""
    flag, out = tmp_path / "flag", tmp_path / "answers"
    resources = with_faults(KilledOnce(stage, 1, flag), client=client)
    answer_file(model, table, out, resources, wanted=Wanted(as_json=True, proba=True), n_ranges=n_ranges)
    assert flag.exists()
    command = ["predict", str(model), str(table), "-o", str(tmp_path / "expected"), "--json", "--proba"]
    assert CliRunner().invoke(cli, command, catch_exceptions=False).exit_code == 0
    assert out.read_bytes() == (tmp_path / "expected").read_bytes()
    assert {path.name for path in tmp_path.iterdir()} == {"flag", "answers", "expected"}


def test_evaluations_with_a_worker_killed(tmp_path, table, model, client):
    """Leave-one-out and health of a model, and cross-validation of a table, have the reports of memory."""
    cases, method = cb.read_cases(table), method_named("igtree")
    loo = KilledOnce("asking", 1, tmp_path / "flag")
    report = evaluating.leave_one_out_model(model, with_faults(loo, client=client, scratch=tmp_path))
    assert report.to_dict() == evaluate.leave_one_out(cases).to_dict()
    report = examine(model, with_faults(client=client, scratch=tmp_path))
    assert report.findings == examine(model, with_faults()).findings
    folds = KilledOnce("answering", 1, tmp_path / "other")
    resources = with_faults(folds, client=client, scratch=tmp_path)
    report = evaluating.cross_validate(table, method, method.settings(), 2, resources).report
    assert report.to_dict() == evaluate.cross_validate(cases, method.fit, 2).to_dict()
    assert {path.name for path in tmp_path.iterdir()} == {"flag", "other"}


def test_answers_from_the_command_line(tmp_path, table, model, client, monkeypatch):
    """From another folder than that of the workers; an error names the part, and nothing is left."""
    monkeypatch.chdir(table.parent)
    out, more = tmp_path / "answers", ["--scheduler", client.scheduler.address]
    assert CliRunner().invoke(cli, ["predict", "ib1.cb", table.name, *more]).exit_code == 2  # they share no folder
    CliRunner().invoke(cli, ["predict", "ib1.cb", table.name, "-o", str(out), *more], catch_exceptions=False)
    expected = CliRunner().invoke(cli, ["predict", "ib1.cb", table.name]).output
    assert out.read_text() == expected
    lines = table.read_text().splitlines()
    lines[500] = "w1,w2"
    (tmp_path / "damaged.csv").write_text("\n".join(lines) + "\n")
    with pytest.raises(CasebaseError, match=r"damaged\.csv, line 501: expected 4 fields"):
        cb.scale.predict(model, tmp_path / "damaged.csv", output=tmp_path / "no", client=client)
    assert {path.name for path in tmp_path.iterdir()} == {"answers", "damaged.csv"}


def test_what_cannot_be_reached(tmp_path, table, monkeypatch):
    command = ["train", str(table), "-o", str(tmp_path / "m.cb"), "--learner", "igtree"]
    with pytest.raises(CasebaseError, match="A worker needs at least 200MB: for 2, pass --memory 400MB or more"):
        CliRunner().invoke(cli, [*command, "--workers", "2", "--memory", "300MB"], catch_exceptions=False)
    with pytest.raises(CasebaseError, match="There is no Dask scheduler at nowhere"):
        CliRunner().invoke(cli, [*command, "--scheduler", "nowhere://x"], catch_exceptions=False)
