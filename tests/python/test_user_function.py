"""Functions whose gradient is the user's."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import catena as ct
import numpy as np
import pytest


class Cube(ct.UserFunction):
    def forward(self, x: ct.Variable) -> ct.Variable:
        return x * x * x

    def backward(self, gy: Any) -> Any:
        (x,) = self.retained_inputs()
        return 3 * x * x * gy


class NumpyExp(ct.UserFunction):
    def forward_numpy(self, x: np.ndarray) -> np.ndarray:
        assert type(x) is np.ndarray
        self.retain_inputs()
        self.retain_outputs(0)
        return np.exp(x)

    def backward_numpy(self, gy: np.ndarray) -> np.ndarray:
        assert self.retained_inputs() == ()
        (y,) = self.retained_outputs()
        assert type(y) is type(gy) is np.ndarray
        return y * gy


class MulAdd(ct.UserFunction):
    """x * y + z, and x - y; forward in NumPy, backward with functions, as in Chainer."""

    def forward_numpy(self, x: Any, y: Any, z: Any) -> Any:
        self.retain_inputs(1, 0)
        return x * y + z, x - y

    def backward(self, g1: Any, g2: Any) -> Any:
        y, x = self.retained_inputs()
        g2 = 0 if g2 is None else g2
        g1 = 0 if g1 is None else g1
        return y * g1 + g2, x * g1 - g2, g1 if isinstance(g1, ct.Variable) else None


def leaf(*values: float) -> ct.Variable:
    return ct.Variable(np.array(values, np.float32))


def test_backward_is_the_users() -> None:
    x = leaf(1, 2)
    y = Cube()(x)
    ct.sum(y).backward()
    np.testing.assert_array_equal(y.array, [1, 8])
    np.testing.assert_array_equal(x.grad, [3, 12])
    assert y.creator.label == "Cube"


def test_backward_with_functions_is_differentiated_again() -> None:
    x = np.float32(2)
    assert ct.grad(ct.grad(Cube.apply))(x).item() == 12
    assert ct.grad(ct.grad(ct.grad(Cube.apply)))(x).item() == 6


def test_numpy_arrays_forward_and_backward() -> None:
    x = leaf(0, 1)
    y = NumpyExp()(x)
    ct.sum(y).backward()
    np.testing.assert_allclose(y.array, np.exp([0, 1]), rtol=1e-6)
    np.testing.assert_allclose(x.grad, np.exp([0, 1]), rtol=1e-6)


def test_several_inputs_and_results() -> None:
    x, y, z = leaf(2, 3), leaf(4, 5), leaf(6, 7)
    first, second = MulAdd()(x, y, z)
    np.testing.assert_array_equal(first.array, [14, 22])
    np.testing.assert_array_equal(second.array, [-2, -2])
    ct.sum(first + 2 * second).backward()
    np.testing.assert_array_equal(x.grad, [6, 7])
    np.testing.assert_array_equal(y.grad, [0, 1])
    np.testing.assert_array_equal(z.grad, [1, 1])


def test_a_result_that_nothing_flows_to_has_none() -> None:
    x, y, z = leaf(2), leaf(4), leaf(6)
    _, second = MulAdd()(x, y, z)
    ct.sum(second).backward()
    np.testing.assert_array_equal(x.grad, [1])
    np.testing.assert_array_equal(y.grad, [-1])
    assert z.grad is None


def test_needs_has_the_inputs_whose_gradients_are_used() -> None:
    seen: list[tuple[int, ...]] = []

    class Watch(MulAdd):
        def backward(self, g1: Any, g2: Any) -> Any:
            seen.append(self.needs)
            return super().backward(g1, g2)

    x, z = leaf(2), leaf(6)
    first, _ = Watch()(x, np.ones(1, np.float32), z)
    ct.sum(first).backward()
    assert seen == [(0, 2)]


def test_plain_arrays_and_numbers_are_inputs() -> None:
    np.testing.assert_array_equal(Cube()(np.float32([2])).array, [8])
    with ct.no_backprop_mode():
        assert Cube()(leaf(2)).creator is None


def test_an_object_keeps_what_it_wants_between_forward_and_backward() -> None:
    class Scaled(ct.UserFunction):
        def __init__(self, scale: float) -> None:
            self.scale = scale

        def forward(self, x: Any) -> Any:
            self.doubled = 2 * self.scale
            return x * self.doubled

        def backward(self, gy: Any) -> Any:
            return gy * self.doubled

    x = leaf(1)
    (Scaled(3)(x) + Scaled(4)(x)).backward()
    np.testing.assert_array_equal(x.grad, [14])


def test_the_object_lives_as_long_as_its_graph() -> None:
    function = Cube()
    gone = weakref.ref(function)
    y = function(leaf(1))
    del function
    gc.collect()
    assert gone() is not None
    del y
    gc.collect()
    assert gone() is None


def test_a_cycle_through_the_graph_is_collected() -> None:
    class Keeps(Cube):
        pass

    function = Keeps()
    function.result = function(leaf(1))
    gone = weakref.ref(function)
    del function
    gc.collect()
    assert gone() is None


def test_errors_leave_as_they_are() -> None:
    class Broken(ct.UserFunction):
        def forward(self, x: Any) -> Any:
            return x

        def backward(self, gy: Any) -> Any:
            raise KeyError("backward")

    class Never(ct.UserFunction):
        def forward(self, x: Any) -> Any:
            raise KeyError("forward")

    with pytest.raises(KeyError, match="forward"):
        Never()(leaf(1))
    with pytest.raises(KeyError, match="backward"):
        Broken()(leaf(1)).backward()


def test_wrong_uses_say_what_is_wrong() -> None:
    function = Cube()
    function(leaf(1))
    with pytest.raises(ValueError, match="Cube: this object was called before"):
        function(leaf(1))
    with pytest.raises(ValueError, match="only while backward runs"):
        function.retained_inputs()
    with pytest.raises(NotImplementedError, match="has no forward"):
        ct.UserFunction()(leaf(1))
    with pytest.raises(TypeError, match="it should have one"):

        class Both(ct.UserFunction):
            def forward(self, x: Any) -> Any:
                return x

            def forward_numpy(self, x: Any) -> Any:
                return x


def test_gradients_that_do_not_fit_are_refused() -> None:
    class Wrong(ct.UserFunction):
        gradients: Any = ()

        def forward(self, x: Any) -> Any:
            return x * 1

        def backward(self, gy: Any) -> Any:
            return self.gradients

    function = Wrong()
    function.gradients = (1, 2)
    with pytest.raises(ValueError, match="Wrong: backward gives 2 gradients, there are 1 inputs"):
        function(leaf(1)).backward()
    function = Wrong()
    function.gradients = np.ones(3, np.float32)
    with pytest.raises(ct.ShapeError, match="Wrong: backward gives a gradient"):
        function(leaf(1)).backward()


def test_numbers_that_are_not_there_cannot_be_retained() -> None:
    class Keeps(Cube):
        def forward(self, x: Any) -> Any:
            self.retain_inputs(1)
            return x

    with pytest.raises(ValueError, match=r"retain_inputs\(1\): there are 1"):
        Keeps()(leaf(1))


def test_a_gradient_agrees_with_differences() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=5)
    weight = rng.normal(size=5)
    gradient = ct.grad(lambda x: ct.sum(Cube()(x) * weight))(x).array
    step = 1e-5
    for i in range(5):
        moved = np.eye(5)[i] * step
        difference = (np.sum((x + moved) ** 3 * weight) - np.sum((x - moved) ** 3 * weight)) / (
            2 * step
        )
        assert gradient[i] == pytest.approx(difference, rel=1e-6)
