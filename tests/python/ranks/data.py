"""Run by each rank: the ranks' parts of a dataset, models that are copied, evaluations."""

from __future__ import annotations

import catena as ct
import numpy as np
from catena import nn
from catena.distributed import (
    Subset,
    bcast_data,
    create_multi_node_evaluator,
    mean_over_ranks,
    multi_node_mean_grad,
    scatter_dataset,
)

comm = ct.distributed.create_communicator()
rank, size = comm.rank, comm.size
COUNT = 11
xs = np.arange(COUNT * 2, dtype=np.float32).reshape(COUNT, 2)
ts = np.arange(COUNT)


def expected_rows(shuffled: np.ndarray, equal: bool) -> np.ndarray:
    if equal:
        begin = COUNT * rank // size
        return shuffled[begin : begin + -(-COUNT // size)]
    return np.array_split(shuffled, size)[rank]


def check_arrays() -> None:
    for root in (0, size - 1):
        for equal in (True, False):
            given = (xs, ts) if rank == root else None
            x, t = scatter_dataset(given, comm, root=root, force_equal_length=equal)
            rows = expected_rows(np.arange(COUNT), equal)
            assert np.array_equal(x, xs[rows]) and np.array_equal(t, ts[rows])
    orders = []
    for everywhere in (False, True):
        given = {"x": xs, "t": ts} if rank == 0 or everywhere else None
        own = scatter_dataset(given, comm, shuffle=True, seed=5, on_every_rank=everywhere)
        assert list(own) == ["x", "t"] and np.array_equal(own["x"], xs[own["t"]])
        orders.append(own["t"])
    assert np.array_equal(*orders)
    all_rows = np.concatenate(
        comm.gather(scatter_dataset(ts, comm, shuffle=True, force_equal_length=False)) or [ts]
    )
    assert sorted(all_rows) == list(range(COUNT))


def check_sequences() -> None:
    examples = [{"number": i, "text": "x" * i} for i in range(COUNT)]
    own = scatter_dataset(examples if rank == 0 else None, comm)
    assert [one["number"] for one in own] == list(expected_rows(np.arange(COUNT), True))
    view = scatter_dataset(examples, comm, shuffle=True, seed=3, on_every_rank=True)
    assert isinstance(view, Subset) and view[0] is examples[view.indices[0]]
    assert [one["number"] for one in view[1:3]] == [int(i) for i in view.indices[1:3]]
    assert len(view) == -(-COUNT // size)


def refused(message: str, *arguments: object, **options: object) -> None:
    try:
        scatter_dataset(*arguments, **options)
    except ct.ArgumentError as error:
        assert message in str(error) and "data.py" in str(error), error
    else:
        raise AssertionError(f"not refused: {message}")


def check_errors() -> None:
    """On every rank, so that none waits."""
    refused("equally many rows", (xs, ts[1:]) if rank == 0 else None, comm)
    refused("has no rows", [] if rank == 0 else None, comm)
    if size > 1:
        refused("rank 1", xs[: COUNT - rank], comm, on_every_rank=True)
    comm.barrier()


def check_models() -> None:
    np.random.seed(rank)
    model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm(4))
    states = dict(model.named_states())
    for state in states.values():
        state.assign(state.array + rank)
    before = comm.bcast_obj(model.state_dict())
    bcast_data(comm, model)
    for path, array in model.state_dict().items():
        assert array is not None and np.array_equal(array, before[path]), path
    for parameter in model.parameters():
        parameter.grad = np.full(parameter.shape, rank, np.float32)
    multi_node_mean_grad(comm, model)
    for parameter in model.parameters():
        assert np.array_equal(parameter.grad, np.full(parameter.shape, (size - 1) / 2, np.float32))
    try:
        bcast_data(comm, {"W" if rank == 0 else "V": model.layers[0].W})
    except ct.ArgumentError as error:
        assert "the ranks' models differ" in str(error)
    else:
        assert size == 1


def check_evaluations() -> None:
    means = mean_over_ranks(comm, {"loss": float(rank), "accuracy": 1.0})
    assert means == {"loss": (size - 1) / 2, "accuracy": 1.0}
    evaluate = create_multi_node_evaluator(lambda shift: {"loss": rank + shift}, comm)
    assert evaluate(2.0) == {"loss": (size - 1) / 2 + 2.0}
    if size > 1:
        try:
            mean_over_ranks(comm, {f"loss{rank}": 1.0})
        except ct.ArgumentError as error:
            assert "rank 0 reports loss0; rank 1 reports loss1" in str(error)
        else:
            raise AssertionError("not refused")


check_arrays()
check_sequences()
check_errors()
check_models()
check_evaluations()
comm.barrier()
print("done")
