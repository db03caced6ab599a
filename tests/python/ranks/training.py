"""Run by each rank: a model trained on the ranks' parts of each batch, and the same computed in one
process, gradient by gradient, added up in the order of the ranks."""

from __future__ import annotations

import sys
from typing import Any

import catena as ct
import numpy as np
from catena import nn

STEPS, ROWS = 5, 6
comm = ct.distributed.create_communicator()
rank, size = comm.rank, comm.size
kind, compiled, way = sys.argv[1], sys.argv[2] == "compiled", sys.argv[3]


class Model(nn.Module):
    def __init__(self) -> None:
        self.l1 = nn.Linear(5, 7)
        self.l2 = nn.Linear(7, 3)

    def forward(self, x: Any) -> ct.Variable:
        y: ct.Variable = self.l2(ct.tanh(self.l1(x)))
        return y


def made(seed: int) -> tuple[Model, Any]:
    np.random.seed(seed)
    ct.random.seed(seed)
    model = Model()
    rules = {"sgd": ct.optim.MomentumSGD, "adam": ct.optim.Adam, "decay": ct.optim.AdamW}
    optimizer = rules[kind](0.05).setup(model)
    optimizer.add_hook(ct.optim.WeightDecay(1e-3))
    return model, optimizer


def batch(k: int, r: int) -> tuple[ct.Variable, ct.Variable]:
    random = np.random.RandomState(100 * k + r)
    x = random.randn(ROWS, 5).astype(np.float32)
    return ct.Variable(x), ct.Variable(random.randint(0, 3, ROWS).astype(np.int32))


def loss_of(model: Model, x: Any, t: Any) -> ct.Variable:
    return ct.softmax_cross_entropy(model(x), t)


def trained_in_one_process() -> dict[str, Any]:
    model, optimizer = made(7)
    parameters = list(model.parameters())

    def gradients(x: ct.Variable, t: ct.Variable) -> list[Any]:
        model.cleargrads()
        loss_of(model, x, t).backward()
        return [parameter.grad_var for parameter in parameters]

    run = ct.jit(gradients) if compiled else gradients
    update = ct.jit(lambda: optimizer.update()) if compiled else optimizer.update
    for k in range(STEPS):
        own = [[g.array.copy() for g in run(*batch(k, r))] for r in range(size)]
        for i, parameter in enumerate(parameters):
            total = own[0][i]
            for r in range(1, size):
                total = total + own[r][i]
            parameter.grad = total / np.float32(size)
        update()
    return model.state_dict()


def trained_together() -> tuple[dict[str, Any], list[float]]:
    model, optimizer = made(7 + rank)  # Rank 0's parameters reach all.
    ct.distributed.bcast_data(comm, model)
    given = ct.distributed.create_multi_node_optimizer(
        optimizer,
        comm,
        overlap=way != "order",
        bucket_bytes=64 if way == "buckets" else None,
        shard=way == "shard",
    )
    assert given is optimizer

    def step(x: ct.Variable, t: ct.Variable) -> ct.Variable:
        loss = loss_of(model, x, t)
        model.cleargrads()
        if way == "after":
            loss.backward()
        else:
            optimizer.backward(loss)
        optimizer.update()
        return loss

    def whole(x: ct.Variable, t: ct.Variable) -> ct.Variable:
        seen: list[ct.Variable] = []
        optimizer.update(lambda: seen.append(loss_of(model, x, t)) or seen[0])
        return seen[0]

    run = whole if way == "lossfun" else step
    if compiled:
        run = ct.jit(run)
    losses = [float(run(*batch(k, rank)).array) for k in range(STEPS)]
    if not compiled:  # No rank has the whole mean of a sharded update.
        assert (model.l1.W.grad is None) == (way == "shard")
    ct.distributed.gather_moments(optimizer)
    if rank == 0:  # Alone: a rank that still had a part would wait for the others here.
        moments = optimizer.state_dict()
        assert moments["l1/W/m" if kind != "sgd" else "l1/W/v"].shape == model.l1.W.shape
    return model.state_dict(), losses


expected = trained_in_one_process()
found, losses = trained_together()
for path, array in expected.items():
    everywhere = comm.allgather(found[path])
    assert all(one.tobytes() == everywhere[0].tobytes() for one in everywhere), path
    assert found[path].tobytes() == array.tobytes(), path
mean = ct.distributed.mean_over_ranks(comm, {"loss": losses[-1]})["loss"]
assert abs(mean - sum(comm.allgather(losses[-1])) / size) < 1e-12
print("done", mean)
