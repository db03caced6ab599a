"""Run by each rank: options of the multi-node optimizer. Gradients are the data of a step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import catena as ct
import numpy as np

comm = ct.distributed.create_communicator()
rank, size = comm.rank, comm.size


def data(k: int, r: int) -> np.ndarray:
    return np.random.RandomState(10 * k + r).randn(4).astype(np.float32)


def made(
    rule: Callable[[float], Any] = ct.optim.SGD, **options: Any
) -> tuple[ct.Parameter, Any, Callable[[Any], ct.Variable]]:
    w = ct.Parameter(np.zeros(4, np.float32), name="w")
    optimizer = rule(1.0).setup({"w": w})
    ct.distributed.create_multi_node_optimizer(optimizer, comm, **options)

    def step(x: Any) -> ct.Variable:
        loss = ct.sum(w * x)
        w.cleargrad()
        optimizer.backward(loss)
        optimizer.update()
        return loss

    return w, optimizer, step


def mean_of(arrays: list[np.ndarray]) -> np.ndarray:
    total = arrays[0]
    for array in arrays[1:]:
        total = total + array
    return total / np.float32(size)


def check_half() -> None:
    w, _, step = made(allreduce_grad_dtype="float16")
    step(ct.Variable(data(0, rank)))
    sent = [data(0, r).astype(np.float16).astype(np.float32) for r in range(size)]
    expected = -mean_of(sent).astype(np.float16).astype(np.float32)
    assert w.array.tobytes() == expected.tobytes()


def check_double_buffering() -> None:
    for compile_it in (lambda f: f, ct.jit):
        w, _, step = made(double_buffering=True)
        run = compile_it(step)
        expected = np.zeros(4, np.float32)
        for k in range(6):
            run(ct.Variable(data(k, rank)))
            if k:
                expected = expected - mean_of([data(k - 1, r) for r in range(size)])
            assert np.allclose(w.array, expected, atol=1e-6), k


def check_missing_gradients() -> None:
    w, optimizer, _ = made()
    w.grad = data(0, rank) if rank == 0 else None
    optimizer.update()
    assert np.allclose(w.array, -data(0, 0) / size, atol=1e-7)
    w, optimizer, _ = made(zero_fill=False)
    optimizer.update()
    assert not w.array.any()
    if size > 1:
        w.grad = data(0, rank) if rank == 0 else None
        try:
            optimizer.update()
        except ct.Error as error:
            assert "gradients" in str(error) and "options.py" in str(error), error
        else:
            raise AssertionError("not refused")


def check_rules() -> None:
    rule = ct.optim.formula_rule("Twice", lambda p, g, *, lr=1.0: p - lr * g * 2.0)
    for compile_it in (lambda f: f, ct.jit):
        w, _, step = made(rule)
        compile_it(step)(ct.Variable(data(0, rank)))
        expected = mean_of([data(0, r) for r in range(size)])
        assert np.allclose(w.array, -2 * expected, atol=1e-6)
    w, optimizer, step = made(ct.optim.SGD)
    optimizer.loss_scaling(initial=8.0)
    step(ct.Variable(data(0, rank)))
    assert np.allclose(w.array, -expected, atol=1e-6)
    w, optimizer, step = made(ct.optim.SGD)
    seen = []
    optimizer.add_hook(lambda o: seen.append(w.grad.copy()), "look")
    step(ct.Variable(data(0, rank)))
    assert np.allclose(seen[0], expected, atol=1e-6)


def check_first_update() -> None:
    """Ranks that begin differently go on with what rank 0 has; that update changes nothing."""
    w = ct.Parameter(np.full(4, rank, np.float32))
    view = w.array
    optimizer = ct.optim.SGD(1.0).setup({"w": w})
    ct.distributed.create_multi_node_optimizer(optimizer, comm)
    for k in range(2):
        w.grad = np.ones(4, np.float32)
        optimizer.update()
        assert np.array_equal(w.array, np.full(4, -k if size > 1 else -k - 1, np.float32))
    assert view is not None


def check_differences() -> None:
    if size == 1:
        return
    w, optimizer, _ = made(lambda lr: ct.optim.SGD(lr + rank))
    w.grad = data(0, rank)
    try:
        optimizer.update()
    except ct.ArgumentError as error:
        assert "rank 0 has" in str(error) and "lr" in str(error)
    else:
        raise AssertionError("not refused")


check_half()
check_double_buffering()
check_missing_gradients()
check_rules()
check_first_update()
check_differences()
print("done")
