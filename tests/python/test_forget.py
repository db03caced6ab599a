"""catena.forget: what a function computed is computed again in backward."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import catena as ct
import numpy as np
import pytest
from catena import nn
from eager_and_compiled import compare, things_of, values


def grads_of(f: Any, *xs: Any) -> list[Any]:
    inputs = [ct.Variable(x.copy()) for x in xs]
    ct.sum(f(*inputs) ** 2).backward()
    return [x.grad for x in inputs]


def test_values_and_gradients_are_those_of_the_plain_call() -> None:
    def f(a: Any, b: Any) -> Any:
        return ct.tanh(a @ b) * ct.exp(-a)

    a, b = values(3, 3), values(3, 3, seed=1)
    plain = grads_of(f, a, b)
    again = grads_of(lambda a, b: ct.forget(f, a, b), a, b)
    for x, y in zip(plain, again, strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-6)


def test_the_gradient_is_the_slope() -> None:
    def f(x: Any) -> Any:
        return ct.sum(ct.forget(lambda h: ct.sin(h) * h, x))

    x = values(4, dtype=np.float64)
    (gradient,) = (ct.grad(f)(x).array,)
    for i in range(4):
        step = np.zeros(4)
        step[i] = 1e-6
        slope = (f(ct.Variable(x + step)).item() - f(ct.Variable(x - step)).item()) / 2e-6
        assert abs(slope - gradient[i]) < 1e-8


def test_the_function_runs_again_in_backward_only() -> None:
    calls: list[Any] = []

    def f(x: Any) -> Any:
        calls.append(x.shape)
        return ct.tanh(x)

    y = ct.forget(f, ct.Variable(values(3)))
    assert len(calls) == 1
    ct.sum(y).backward()
    assert len(calls) == 2
    with ct.no_backprop_mode():
        ct.forget(f, values(3))
    assert len(calls) == 3


def test_modules_get_gradients_and_are_called_with_other_arguments() -> None:
    class Block(nn.Module):
        def __init__(self) -> None:
            self.l = nn.Linear(3, 3, initial_W=0.5)

        def forward(self, x: Any, kind: str, *, scale: float) -> Any:
            assert kind == "block"
            return ct.tanh(self.l(x)) * scale

    block = Block()
    x = values(2, 3)
    ct.sum(block(x, "block", scale=2.0)).backward()
    expected = block.l.W.grad.copy()
    block.cleargrads()
    ct.sum(ct.forget(block, x, "block", scale=2.0)).backward()
    np.testing.assert_allclose(block.l.W.grad, expected, rtol=1e-6)


def test_several_results_and_captured_variables() -> None:
    w = ct.Variable(values(3))
    x = ct.Variable(values(3, seed=1))

    def f(x: Any) -> Any:
        return ct.sin(x) * w, ct.cos(x)

    results = ct.forget(f, x)
    assert isinstance(results, tuple)
    ct.sum(results[0] + results[1]).backward()
    np.testing.assert_allclose(w.grad, np.sin(x.array), rtol=1e-6)
    np.testing.assert_allclose(x.grad, np.cos(x.array) * w.array - np.sin(x.array), rtol=1e-5)
    (only,) = ct.forget(lambda x: (ct.exp(x),), x)
    assert only.shape == (3,)


def test_it_can_be_differentiated_twice() -> None:
    cube = lambda x: ct.sum(ct.forget(lambda h: h * h * h, x))  # noqa: E731
    second = ct.grad(lambda x: ct.sum(ct.grad(cube)(x)))(np.float32([1, 2]))
    np.testing.assert_allclose(second.array, [6, 12], rtol=1e-6)


def test_random_numbers_and_states_are_those_of_the_first_call() -> None:
    norm = nn.BatchNorm(4)
    x = ct.Variable(values(8, 4))

    def block(h: Any) -> Any:
        return ct.dropout(norm(h), 0.5)

    ct.random.seed(3)
    y = block(x)
    ct.sum(y * y).backward()
    expected, mean = x.grad.copy(), norm.avg_mean.array.copy()
    norm = nn.BatchNorm(4)
    x.cleargrad()
    ct.random.seed(3)
    z = ct.forget(block, x)
    np.testing.assert_array_equal(y.array, z.array)
    ct.sum(z * z).backward()
    np.testing.assert_allclose(x.grad, expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(norm.avg_mean.array, mean, rtol=1e-6)


def test_used_within_another_and_twice() -> None:
    layers = [nn.Linear(3, 3, initial_W=0.4) for _ in range(4)]

    def half(i: int) -> Any:
        return lambda h: ct.tanh(layers[i + 1](ct.tanh(layers[i](h))))

    def whole(x: Any) -> Any:
        return ct.forget(half(2), ct.forget(half(0), x))

    x = values(2, 3)
    (plain,) = grads_of(lambda x: half(2)(half(0)(x)), x)
    (once,) = grads_of(whole, x)
    (nested,) = grads_of(lambda x: ct.forget(whole, x), x)
    np.testing.assert_allclose(once, plain, rtol=1e-5)
    np.testing.assert_allclose(nested, plain, rtol=1e-5)


def test_wrong_arguments_say_what_is_right() -> None:
    x = ct.Variable(values(3))
    with pytest.raises(TypeError, match=r"forget.. takes a function or a module, not Variable"):
        ct.forget(x, ct.relu)
    with pytest.raises(TypeError, match=r"no argument is a Variable or an array .they are: list"):
        ct.forget(ct.relu, [1.0])
    with pytest.raises(TypeError, match=r"forget.f.: it gives None, not a Variable"):

        def f(x: Any) -> None:
            pass

        ct.forget(f, x)
    with pytest.raises(TypeError, match="it gives a ndarray, not a Variable"):
        ct.forget(lambda x: x.array, x)
    with pytest.raises(KeyError, match="mine"):

        def broken(x: Any) -> Any:
            raise KeyError("mine")

        ct.forget(broken, x)


def test_a_function_that_changes_is_an_error_in_backward() -> None:
    calls: list[int] = []

    def f(x: Any) -> Any:
        calls.append(0)
        return x * 2 if len(calls) == 1 else ct.sum(x)

    y = ct.forget(f, ct.Variable(values(3)))
    with pytest.raises(ValueError, match=r"forget: result 0 .* it was float32\[3\] before"):
        ct.sum(y).backward()


def test_a_cycle_through_the_graph_is_collected() -> None:
    class Cell(nn.Module):
        """Keeps its result, which leads to the function that is called again: itself."""

        def __init__(self) -> None:
            self.l = nn.Linear(3, 3)
            self.h: Any = None

        def forward(self, x: Any) -> Any:
            return ct.tanh(self.l(x))

    cell = Cell()
    cell.h = ct.forget(cell, ct.Variable(values(2, 3)) * 2)
    gone = weakref.ref(cell)
    del cell
    gc.collect()
    assert gone() is None


def thing_that_forgets(region: Any, log: Any) -> None:
    blocks = [nn.Linear(3, 3, initial_W=0.4), nn.BatchNorm(3)]

    def block(h: Any, scale: float) -> Any:
        return ct.dropout(ct.tanh(blocks[1](blocks[0](h)) * scale), 0.25)

    @region
    def step(x: Any, scale: float) -> Any:
        for b in blocks:
            b.cleargrads()
        loss = ct.mean(ct.forget(block, ct.forget(block, x, scale), 1.5) ** 2)
        loss.backward()
        return loss

    for i in range(6):
        log(step(values(4, 3, seed=i), 1.0 + i), blocks[0].W.grad, blocks[1].avg_mean.array)


def thing_that_forgets_outside_of_the_gradient(region: Any, log: Any) -> None:
    layer = nn.Linear(3, 3, initial_W=0.4)
    forward = region(lambda x: ct.forget(lambda h: ct.tanh(layer(h)), x))
    for i in range(4):
        layer.cleargrads()
        x = ct.Variable(values(4, 3, seed=i))
        ct.sum(forward(x) ** 2).backward()
        log(x.grad, layer.W.grad)


def thing_whose_region_is_forgotten(region: Any, log: Any) -> None:
    layer = nn.Linear(3, 3, initial_W=0.4)
    forward = region(lambda h: ct.tanh(layer(h)))
    for i in range(4):
        layer.cleargrads()
        x = ct.Variable(values(4, 3, seed=i))
        ct.sum(ct.forget(forward, x) ** 2).backward()
        log(x.grad, layer.W.grad)


@pytest.mark.parametrize("thing", things_of(globals()))
def test_compiled_it_does_what_it_does_eagerly(thing: Any) -> None:
    compare(thing)
