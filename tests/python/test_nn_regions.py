"""Modules, optimizers and functions of users in static regions: as without them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import catena as ct
import numpy as np
import pytest
from catena import nn, optim

ROWS = np.random.default_rng(0).normal(size=(6, 8, 6)).astype(np.float32)
LABELS = np.random.default_rng(1).integers(0, 3, (6, 8)).astype(np.int32)

soft_sign = ct.elementwise(
    "py_region_soft_sign",
    lambda x, *, scale=1.0: x / (scale + abs(x)),
    lambda x, y, gy, *, scale=1.0: scale * gy / (scale + abs(x)) ** 2,
)


class Cube(ct.UserFunction):
    def forward(self, x: Any) -> Any:
        return x * x * x

    def backward(self, gy: Any) -> Any:
        (x,) = self.retained_inputs()
        return 3 * x * x * gy


class NumpyCube(ct.UserFunction):
    def forward_numpy(self, x: Any) -> Any:
        return x**3

    def backward_numpy(self, gy: Any) -> Any:
        (x,) = self.retained_inputs()
        return 3 * x**2 * gy


class Reader(nn.Module):
    """The rows as sequences of two steps."""

    def __init__(self) -> None:
        self.lstm = nn.LSTM(3, 4)
        self.out = nn.Linear(4, 3)

    def forward(self, x: Any) -> ct.Variable:
        _, _, ys = self.lstm(ct.reshape(x, (-1, 2, 3)))
        return self.out(ys[:, 1])


class Pictures(nn.Module):
    """The rows as pictures of 2 x 3."""

    def __init__(self) -> None:
        self.c = nn.Conv2d(None, 4, 2, pad=1, bias=False)
        self.bn = nn.BatchNorm(4)
        self.out = nn.Linear(3)

    def forward(self, x: Any) -> ct.Variable:
        return self.out(ct.relu(self.bn(self.c(ct.reshape(x, (-1, 1, 2, 3))))))


NETWORKS: dict[str, Callable[[], nn.Module]] = {
    "perceptron": lambda: nn.Sequential(nn.Linear(5), ct.tanh, nn.LayerNorm(5), nn.Linear(5, 3)),
    "recurrent": Reader,
    "convolution": Pictures,
    "formula": lambda: nn.Sequential(nn.Linear(5), soft_sign, nn.Linear(5, 3)),
    "user function": lambda: nn.Sequential(nn.Linear(5), Cube.apply, nn.Linear(5, 3)),
    "user function of NumPy": lambda: nn.Sequential(nn.Linear(5), NumpyCube.apply, nn.Linear(3)),
}


def trained(
    region: Any, make: Callable[[], nn.Module], optimizer: Any
) -> tuple[list[float], dict[str, Any], Any]:
    """Losses, the state at the end, and the region."""
    np.random.seed(0)
    model = make()
    optimizer.setup(model)
    optimizer.add_hook(optim.WeightDecay(0.01))
    optimizer.add_hook(optim.GradientClipping(1.0))

    @region
    def step(x: Any, t: Any) -> ct.Variable:
        loss = ct.softmax_cross_entropy(model(x), t)
        model.cleargrads()
        loss.backward()
        optimizer.update()
        return loss

    losses = [step(x, t).item() for x, t in zip(ROWS, LABELS, strict=True)]
    return losses, {**model.state_dict(), **optimizer.state_dict()}, step


@pytest.mark.parametrize("name", NETWORKS)
def test_a_step_in_a_region_is_the_step_without(name: str) -> None:
    eager_losses, eager, _ = trained(lambda f: f, NETWORKS[name], optim.Adam(0.01))
    losses, compiled, _ = trained(ct.jit, NETWORKS[name], optim.Adam(0.01))
    np.testing.assert_allclose(losses, eager_losses, rtol=1e-4)
    assert list(eager) == list(compiled)
    for key, expected in eager.items():
        np.testing.assert_allclose(compiled[key], expected, rtol=2e-3, atol=2e-5, err_msg=key)


def test_changed_numbers_act_at_once_and_compile_nothing() -> None:
    parameter = ct.Parameter(np.ones(3, np.float32))
    optimizer = optim.SGD(1.0).setup([parameter])
    hook = optim.WeightDecay(0.0)
    optimizer.add_hook(hook)

    @ct.jit
    def step() -> None:
        parameter.cleargrad()
        ct.sum(parameter).backward()
        optimizer.update()

    for _ in range(3):
        step()
    programs = step.statistics().programs
    before = parameter.array[0].copy()
    for lr in (0.5, 0.25, 0.125):
        optimizer.lr = lr
        step()
    assert parameter.array[0] == before - 0.875
    hook.rate = 1.0
    before = parameter.array[0].copy()
    step()
    assert parameter.array[0] == before - 0.125 * (1 + before)
    assert step.statistics().programs == programs


def test_update_of_a_function_and_of_gradients_compile() -> None:
    def loss(model: nn.Module, x: Any) -> ct.Variable:
        return ct.sum(model(x) ** 2)

    def by_function(model: Any, optimizer: Any) -> Callable[[Any], None]:
        return lambda x: optimizer.update(loss, model, x)

    def by_gradients(model: Any, optimizer: Any) -> Callable[[Any], None]:
        return lambda x: optimizer.update(ct.value_and_grad(loss)(model, x)[1])

    weights = []
    for way in (by_function, by_gradients):
        for region in (lambda f: f, ct.jit):
            model = nn.Linear(6, 2, initial_W=0.5)
            step = region(way(model, optim.MomentumSGD(0.01).setup(model)))
            for x in ROWS:
                step(x)
            weights.append(model.W.array.copy())
    for each in weights[1:]:
        np.testing.assert_allclose(each, weights[0], rtol=1e-5)


def test_a_python_hook_runs_at_every_call_of_a_region() -> None:
    parameter = ct.Parameter(np.ones(3, np.float32))
    optimizer = optim.SGD(1.0).setup([parameter])
    seen: list[int] = []
    optimizer.add_hook(lambda o: seen.append(len(seen)), name="count")

    @ct.jit
    def step() -> None:
        parameter.cleargrad()
        ct.sum(parameter).backward()
        optimizer.update()

    for _ in range(5):
        step()
    assert seen == list(range(5))
    np.testing.assert_array_equal(parameter.array, np.full(3, -4))


def test_numbers_of_formulas_are_read_at_every_call() -> None:
    step = ct.jit(lambda x, scale: soft_sign(x, scale=scale))
    x = np.float32([1.0, 3.0])
    for scale in (1.0, 2.0, 3.0, 4.0):
        np.testing.assert_allclose(step(x, scale).array, x / (scale + x), rtol=1e-6)


def test_gradients_of_functions_in_a_region() -> None:
    second = ct.jit(lambda x: ct.grad(lambda x: ct.sum(ct.grad(lambda x: ct.sum(x**3))(x)))(x))
    for x in ROWS[:4, 0]:
        np.testing.assert_allclose(second(x).array, 6 * x, rtol=1e-5)
