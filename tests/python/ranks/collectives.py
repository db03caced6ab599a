"""Run by each rank: all calls of a communicator, with arrays, Variables, numbers and objects."""

from __future__ import annotations

import threading
import time

import catena as ct
import numpy as np
from catena.distributed import Communicator

comm = ct.distributed.create_communicator()
rank, size = comm.rank, comm.size


def own(r: int = rank) -> np.ndarray:
    return np.arange(6, dtype=np.float32).reshape(2, 3) + 10 * r


def check_reductions() -> None:
    total = sum(own(r) for r in range(size))
    for x in (own(), own().T.copy().T, np.asfortranarray(own())):
        given = x.copy()
        y = comm.allreduce(x)
        assert type(y) is np.ndarray and y.dtype == np.float32
        assert np.array_equal(y, total) and np.array_equal(x, given)
        assert not np.shares_memory(x, y)
    assert np.array_equal(comm.allreduce(own(), "mean"), total / np.float32(size))
    assert np.array_equal(comm.allreduce(own()[:, ::2]), np.ascontiguousarray(total[:, ::2]))
    assert comm.allreduce(rank) == size * (size - 1) // 2
    assert type(comm.allreduce(rank)) is int
    mean = comm.allreduce(0.1 * (rank + 1), op="mean")
    assert type(mean) is float and abs(mean - 0.05 * (size + 1)) < 1e-15
    number = comm.allreduce(np.float32(rank))
    assert type(number) is np.float32 and number == size * (size - 1) / 2
    part = comm.reduce_scatter([own() * (r + 1) for r in range(size)])
    assert np.array_equal(part, total * (rank + 1))


def check_moves() -> None:
    for root in range(size):
        x = own() if rank == root else None
        assert np.array_equal(comm.bcast(x, root), own(root))
        assert comm.bcast(7 + rank, root) == 7 + root
        parts = comm.gather(own(), root)
        if rank == root:
            assert all(np.array_equal(parts[r], own(r)) for r in range(size))
        else:
            assert parts is None
        xs = [own(r) + 0.5 for r in range(size)] if rank == root else None
        assert np.array_equal(comm.scatter(xs, root), own() + 0.5)
    rows = comm.scatter(np.arange(size * 2).reshape(size, 2) if rank == 0 else None)
    assert rows.tolist() == [2 * rank, 2 * rank + 1]
    mine = own()
    everything = comm.allgather(mine)
    assert all(np.array_equal(everything[r], own(r)) for r in range(size))
    assert not np.shares_memory(everything[rank], mine)
    assert comm.allgather(rank) == list(range(size))
    came = comm.alltoall([np.array([rank, r]) for r in range(size)])
    assert [x.tolist() for x in came] == [[r, rank] for r in range(size)]
    for dtype in ("bool", "int8", "uint8", "int16", "int32", "int64", "float16", "float64"):
        assert comm.bcast(np.ones(3, dtype)).dtype == dtype
    assert comm.bcast(np.zeros((0, 3), np.float32)).shape == (0, 3)
    comm.barrier()


def check_messages() -> None:
    following, previous = (rank + 1) % size, (rank - 1) % size
    if size > 1:
        if rank == 0:
            comm.send(own(), following, tag=3)
            assert np.array_equal(comm.recv(previous, tag=3), own(previous))
        else:
            assert np.array_equal(comm.recv(previous, tag=3), own(previous))
            comm.send(own(), following, tag=3)
    thing = {"name": "größe", "values": [1, 2.5, None], "rank": rank}
    assert comm.bcast_obj(thing)["rank"] == 0
    assert [one["rank"] for one in comm.allgather_obj(thing)] == list(range(size))
    gathered = comm.gather_obj("x" * rank, root=size - 1)
    assert gathered == (["x" * r for r in range(size)] if rank == size - 1 else None)
    assert comm.allreduce_obj({"a": 1, "b": [rank]}) == {"a": size, "b": list(range(size))}
    if size > 1 and rank == 0:
        comm.send_obj(thing, 1)
    if rank == 1:
        assert comm.recv_obj(0)["rank"] == 0
    assert comm.allgather_bytes(b"\0" * rank) == [b"\0" * r for r in range(size)]
    assert comm.bcast_bytes(b"\xff\0", 0) == b"\xff\0"


def check_variables() -> None:
    x = ct.Variable(own(), requires_grad=True)
    y = comm.allreduce(x)
    assert isinstance(y, ct.Variable)
    ct.sum(y * float(rank + 1)).backward()
    assert np.array_equal(x.grad, np.full((2, 3), size * (size + 1) / 2, np.float32))
    x = ct.Variable(own(), requires_grad=True)
    z = comm.bcast(x if rank == 0 else None, variable=True)
    assert np.array_equal(z.array, own(0))
    ct.sum(z * float(rank + 1)).backward()
    if rank == 0:
        assert np.array_equal(x.grad, np.full((2, 3), size * (size + 1) / 2, np.float32))
    if size > 1 and rank == 0:
        x = ct.Variable(own(), requires_grad=True)
        delegate = comm.send(x, 1)
        delegate.backward()
        assert np.array_equal(x.grad, np.full((2, 3), 5, np.float32))
    if rank == 1:
        ct.sum(5.0 * comm.recv(0, variable=True)).backward()
    x = ct.Variable(own(), requires_grad=True)
    parts = comm.allgather(x)
    ct.sum(parts[0] * float(rank)).backward()
    expected = size * (size - 1) / 2 if rank == 0 else 0
    assert np.array_equal(x.grad, np.full((2, 3), expected, np.float32))


def check_regions() -> None:
    @ct.jit
    def step(x: ct.Variable) -> ct.Variable:
        y = comm.allreduce(ct.exp(x), "mean")
        return y * y

    @ct.jit
    def counted(x: ct.Variable) -> ct.Variable:
        y = x * 2.0
        return y + comm.allreduce(y.array)  # NumPy's: it is read, and sent beside the operations.

    for k in range(5):
        x = own() / 30 + np.float32(k)
        mean = sum(np.exp(own(r) / 30 + np.float32(k)) for r in range(size)) / size
        assert np.allclose(step(ct.Variable(x)).array, mean * mean, rtol=1e-5)
        total = 2 * sum(own(r) / 30 + np.float32(k) for r in range(size))
        assert np.allclose(counted(ct.Variable(x)).array, 2 * x + total, rtol=1e-6)


def check_groups() -> None:
    pair = comm.split(rank // 2, -rank)
    assert isinstance(pair, Communicator)
    assert pair.size == 2 or size == 1
    assert pair.rank == (1 - rank % 2 if size > 1 else 0)
    assert comm.split(-1 if rank == 0 else 0) is None or rank > 0
    assert (comm.intra_size, comm.inter_size, comm.inter_rank) == (size, 1, 0)
    assert comm.intra_rank == rank
    assert repr(comm) == f"<Communicator: {comm.name}, rank {rank} of {size}>"
    comm.set_config("a", "b")
    assert comm.get_config("a") == "b" and comm.get_config("c") == ""
    assert comm.sums == "rank_order"
    comm.sums = "engine"
    assert np.array_equal(comm.allreduce(own()), sum(own(r) for r in range(size)))
    comm.sums = None
    assert comm.statistics()["bytes_sent"] > 0 or size == 1


def check_other_threads_run() -> None:
    """While rank 0 waits for rank 1, which waits for a thread of its own."""
    seen: list[int] = []
    thread = threading.Thread(target=lambda: seen.append(rank))
    if rank == 0 and size > 1:
        timer = threading.Timer(0.05, thread.start)
        timer.start()
        comm.recv(1, tag=9)  # Comes later than that.
        timer.join()
        thread.join()
        assert seen == [0]
    if rank == 1:
        time.sleep(0.3)
        comm.send(np.zeros(1), 0, tag=9)


check_reductions()
check_moves()
check_messages()
check_variables()
check_regions()
check_groups()
check_other_threads_run()
comm.barrier()
print("done")
