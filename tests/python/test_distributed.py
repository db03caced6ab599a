"""Communicators: processes and threads that send to each other and train together."""

from __future__ import annotations

import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import catena as ct
import numpy as np
import pytest
from catena.distributed import Communicator, Subset, run_local, scatter_dataset

RANKS = Path(__file__).parent / "ranks"
BINARIES = Path(ct.__file__).parents[2] / "bin"
#: What other launchers set, which must not count here.
OF_LAUNCHERS = ("CATENA_", "OMPI_", "PMI_", "PMIX_", "SLURM_", "TORCHELASTIC_", "MASTER_", "MPI_")


def environment(**more: str) -> dict[str, str]:
    """Of a process that no launcher has started."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(OF_LAUNCHERS) and name not in ("RANK", "WORLD_SIZE", "LOCAL_RANK")
    }
    return {"CATENA_NUM_THREADS": "1", "CATENA_COMM_TIMEOUT": "120", **kept, **more}


class Job:
    """What the ranks of a job have ended with."""

    def __init__(self, folder: Path, size: int, command: list[str], **more: str) -> None:
        place = folder / "meeting"
        processes = [
            subprocess.Popen(
                [sys.executable, *command],
                env=environment(
                    CATENA_RANK=str(rank),
                    CATENA_SIZE=str(size),
                    CATENA_RENDEZVOUS=f"file://{place}",
                    **more,
                ),
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            for rank in range(size)
        ]
        both = [process.communicate() for process in processes]
        self.out = [out for out, _ in both]
        self.err = [err for _, err in both]
        self.status = [process.returncode for process in processes]

    def check(self) -> None:
        assert not any(self.status), (self.status, *self.err)
        assert all("done" in out for out in self.out), self.out


@pytest.mark.parametrize("size", [1, 2, 4])
@pytest.mark.parametrize("shares", ["0", "1"])
def test_all_calls_between_processes(tmp_path: Path, size: int, shares: str) -> None:
    script = str(RANKS / "collectives.py")
    Job(tmp_path, size, [script], CATENA_SHARED_MEMORY=shares).check()


@pytest.mark.parametrize("size", [2, 4])
@pytest.mark.parametrize("mode", ["eager", "compiled"])
@pytest.mark.parametrize(
    ("rule", "way"),
    [
        ("sgd", "after"),
        ("adam", "overlap"),
        ("decay", "lossfun"),
        ("adam", "order"),
        ("adam", "shard"),
    ],
)
def test_training_equals_one_process(
    tmp_path: Path, size: int, mode: str, rule: str, way: str
) -> None:
    Job(tmp_path, size, [str(RANKS / "training.py"), rule, mode, way]).check()


def test_small_buckets_give_the_same_bits(tmp_path: Path) -> None:
    Job(tmp_path, 2, [str(RANKS / "training.py"), "sgd", "eager", "buckets"]).check()


@pytest.mark.parametrize("size", [1, 2, 4])
def test_options_of_the_optimizer(tmp_path: Path, size: int) -> None:
    Job(tmp_path, size, [str(RANKS / "options.py")]).check()


@pytest.mark.parametrize("size", [1, 2, 4])
def test_data_and_models(tmp_path: Path, size: int) -> None:
    Job(tmp_path, size, [str(RANKS / "data.py")]).check()


def test_wrong_calls_are_refused_with_the_line(tmp_path: Path) -> None:
    Job(tmp_path, 2, [str(RANKS / "failing.py"), "check_refused"]).check()


def test_a_rank_that_raises_ends_the_others(tmp_path: Path) -> None:
    job = Job(tmp_path, 2, [str(RANKS / "failing.py"), "one_raises"])
    assert job.status == [1, 1]
    assert "ValueError: a mistake" in job.err[1]
    assert "CommunicationError" in job.err[0] and "rank 1" in job.err[0]


def test_a_call_that_a_rank_does_not_join_names_it(tmp_path: Path) -> None:
    command = [str(RANKS / "failing.py"), "one_does_not_come"]
    job = Job(tmp_path, 2, command, CATENA_COMM_TIMEOUT="2")
    assert job.status == [1, 0]
    assert "catena.CommunicationError: barrier" in job.err[0] and "rank 1" in job.err[0]
    assert "failing.py:" in job.err[0]


@pytest.mark.parametrize("case", ["one_raises_with_the_hook", "a_thread_raises"])
def test_the_hook_ends_all_ranks(tmp_path: Path, case: str) -> None:
    job = Job(tmp_path, 2, [str(RANKS / "failing.py"), case])
    assert all(job.status)
    assert "uncaught exception on rank 1:" in job.err[1]
    assert "ValueError: a mistake" in job.err[1]


def test_the_environment_asks_for_the_hook(tmp_path: Path) -> None:
    command = [str(RANKS / "failing.py"), "one_raises"]
    job = Job(tmp_path, 2, command, CATENA_FORCE_ABORT_ON_EXCEPTION="1")
    assert all(job.status) and "uncaught exception on rank 1:" in job.err[1]


@pytest.mark.parametrize("command", [["launch", "-n", "2"], ["mpirun"]], ids=lambda c: c[0])
def test_launchers_start_ranks(command: list[str]) -> None:
    if command[0] == "launch":
        program = BINARIES / "catena"
        if not program.exists():
            pytest.skip("the program catena was not built")
        started = [str(program), *command]
    else:
        if not shutil.which("mpirun") or not list(BINARIES.parent.glob("**/libcatena_mpi.so")):
            pytest.skip("there is no mpirun, or no plug-in for it")
        started = ["mpirun", "--oversubscribe", "--allow-run-as-root", "-n", "2"]
    script = [sys.executable, str(RANKS / "collectives.py")]
    done = subprocess.run(
        [*started, *script], env=environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("done") == 2


def test_threads_are_ranks() -> None:
    seen: list[tuple[int, Any]] = []

    def rank(comm: Communicator) -> None:
        x = np.full(100_000, comm.rank, np.float32)
        seen.append((comm.rank, comm.allreduce(x)[0]))

    run_local(3, rank)
    assert sorted(seen) == [(0, 3.0), (1, 3.0), (2, 3.0)]


def test_a_thread_that_raises_ends_the_others() -> None:
    def rank(comm: Communicator) -> None:
        if comm.rank == 1:
            raise KeyError("a mistake")
        comm.barrier()

    with pytest.raises(KeyError, match="a mistake"):
        run_local(3, rank)
    with pytest.raises(ct.ArgumentError, match="at least one rank"):
        run_local(0, rank)


def test_a_process_alone_is_a_group_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in set(os.environ) - set(environment()):
        monkeypatch.delenv(name)
    comm = ct.distributed.create_communicator()
    assert (comm.name, comm.rank, comm.size) == ("local", 0, 1)
    with pytest.raises(ct.ArgumentError, match="there is no 'fast'"):
        ct.distributed.create_communicator("fast")
    with pytest.raises(ct.ArgumentError, match="rank_order and engine"):
        ct.distributed.create_communicator(sums="any")  # type: ignore[arg-type]
    with pytest.raises(ct.ArgumentError, match="floats, not as int32"):
        ct.distributed.create_communicator(allreduce_grad_dtype="int32")
    part = comm.split(0)
    assert part is not None
    part.finalize()
    with pytest.raises(ct.CommunicationError, match="has been finalized"):
        part.barrier()


def test_names_of_other_packages_say_what_is_right_here() -> None:
    with pytest.raises(AttributeError, match=r"create_communicator\(\)"):
        ct.distributed.init_process_group  # type: ignore[attr-defined]  # noqa: B018
    comm = ct.distributed.create_communicator("local")
    with pytest.raises(AttributeError, match=r"comm.allreduce\(x\)"):
        comm.Allreduce  # type: ignore[attr-defined]  # noqa: B018


def trained(**options: Any) -> tuple[Any, Any]:
    model = ct.nn.Linear(3, 2)
    optimizer = ct.optim.Adam(0.1).setup(model)
    comm = ct.distributed.create_communicator("local")
    ct.distributed.create_multi_node_optimizer(optimizer, comm, **options)
    return model, optimizer


def test_double_buffering_is_an_update_behind() -> None:
    model, optimizer = trained(double_buffering=True)
    before = model.W.array.copy()
    for k in range(2):
        model.cleargrads()
        optimizer.backward(ct.sum(model(np.ones((1, 3), np.float32))))
        optimizer.update()
        assert np.array_equal(model.W.array, before) == (k == 0)
    model_2, resumed = trained(double_buffering=True)
    model_2.load_state_dict(model.state_dict())
    resumed.load_state_dict(optimizer.state_dict())
    for m, o in ((model, optimizer), (model_2, resumed)):
        m.cleargrads()
        o.backward(ct.sum(m(np.ones((1, 3), np.float32))))
        o.update()
    assert model.W.array.tobytes() == model_2.W.array.tobytes()


def test_options_are_checked() -> None:
    with pytest.raises(ct.ArgumentError, match="sent as floats"):
        trained(allreduce_grad_dtype="int32")
    with pytest.raises(TypeError):
        trained(no_such_option=1)


def test_what_belongs_to_ranks_is_not_copied() -> None:
    _, optimizer = trained(allreduce_grad_dtype="float16", bucket_bytes=0, overlap=False)
    with pytest.raises(TypeError, match="state_dict"):
        pickle.dumps(optimizer)
    with pytest.raises(TypeError):
        pickle.dumps(ct.distributed.create_communicator("local"))


def test_a_subset_reads_what_is_asked_for() -> None:
    view = Subset("abcdef", [4, 0, 2])
    assert list(view) == ["e", "a", "c"] and list(view[::-1]) == ["c", "a", "e"]
    comm = ct.distributed.create_communicator("local")
    assert np.array_equal(scatter_dataset(np.arange(4), comm), np.arange(4))
