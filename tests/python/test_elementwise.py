"""New operations from formulas."""

from __future__ import annotations

from typing import Any

import catena as ct
import numpy as np
import pytest

soft_sign = ct.elementwise(
    "py_soft_sign", lambda x: x / (1 + abs(x)), lambda x, y, gy: gy / (1 + abs(x)) ** 2
)
leaky = ct.elementwise(
    "py_leaky",
    lambda x, *, slope=0.2: ct.where(x > 0, x, slope * x),
    lambda x, y, gy, *, slope=0.2: ct.where(x > 0, gy, slope * gy),
)
weighted = ct.elementwise(
    "py_weighted",
    lambda a, b: a * ct.sigmoid(b),
    [
        lambda a, b, y, gy: gy * ct.sigmoid(b),
        lambda a, b, y, gy: gy * y * (1 - ct.sigmoid(b)),
    ],
)
x = np.linspace(-2, 2, 9).astype(np.float32)


def test_a_formula_is_computed_and_differentiated() -> None:
    v = ct.Variable(x)
    y = soft_sign(v)
    ct.sum(y).backward()
    np.testing.assert_allclose(y.array, x / (1 + abs(x)), rtol=1e-6)
    np.testing.assert_allclose(v.grad, 1 / (1 + abs(x)) ** 2, rtol=1e-5)


def test_a_gradient_is_differentiated_again() -> None:
    second = ct.grad(lambda x: ct.sum(ct.grad(lambda x: ct.sum(soft_sign(x)))(x)))(x)
    expected = -2 * np.sign(x) / (1 + abs(x)) ** 3
    np.testing.assert_allclose(second.array[x != 0], expected[x != 0], rtol=1e-5)


def test_numbers_are_arguments_by_name() -> None:
    np.testing.assert_allclose(leaky(x).array, np.where(x > 0, x, 0.2 * x), rtol=1e-6)
    v = ct.Variable(x)
    ct.sum(leaky(v, slope=0.5)).backward()
    np.testing.assert_allclose(v.grad, np.where(x > 0, 1, 0.5))
    with pytest.raises(TypeError, match=r"py_leaky\(\) has no argument 'sloope'"):
        leaky(x, sloope=1)


def test_arrays_broadcast_and_their_gradients_have_their_shapes() -> None:
    a, b = ct.Variable(x[:, None]), ct.Variable(x[:4])
    y = weighted(a, b)
    sigmoid = 1 / (1 + np.exp(-x[:4]))
    np.testing.assert_allclose(y.array, x[:, None] * sigmoid, rtol=1e-5)
    ct.sum(y).backward()
    assert a.grad.shape == (9, 1)
    np.testing.assert_allclose(b.grad, x.sum() * sigmoid * (1 - sigmoid), atol=1e-5)


def test_integers_and_numbers_are_computed_as_floats() -> None:
    assert soft_sign(np.array([1, 3])).dtype == np.float32
    np.testing.assert_allclose(soft_sign(np.array([1, 3])).array, [0.5, 0.75])
    assert weighted(2.0, np.zeros(1, np.float16)).dtype == np.float16
    assert weighted(2, 0).item() == 1.0


def test_without_a_gradient_nothing_flows() -> None:
    step = ct.elementwise("py_step", lambda x: ct.where(x > 0, 1.0, 0.0))
    v = ct.Variable(x)
    assert step(v).creator is None or not step(v).requires_grad


def test_a_truth_value_is_a_bool() -> None:
    inside = ct.elementwise("py_inside", lambda x, *, bound=1.0: (x > -bound) & (x < bound))
    assert inside(x).dtype == bool
    np.testing.assert_array_equal(inside(x).array, abs(x) < 1)


@pytest.mark.parametrize(
    ("formula", "numpy"),
    [
        (lambda x: 2 - x, lambda x: 2 - x),
        (lambda x: 1 / (x + 3), lambda x: 1 / (x + 3)),
        (lambda x: 2**x, lambda x: 2**x),
        (lambda x: x // 0.75, lambda x: x // 0.75),
        (lambda x: x % 0.75, lambda x: x % 0.75),
        (lambda x: -(+x), lambda x: -x),
        (lambda x: ct.exp(x) + ct.tanh(x), lambda x: np.exp(x) + np.tanh(x)),
        (lambda x: ct.maximum(x, 0.5) - ct.minimum(0.25, x), None),
        (lambda x: ct.clip(x, -1, 1), lambda x: np.clip(x, -1, 1)),
        (lambda x: ct.leaky_relu(x, slope=0.1), lambda x: np.where(x > 0, x, 0.1 * x)),
        (lambda x: ct.where(~((x > 0) | (x == -2)), x, 9), None),
        (lambda x: np.float32(2) * x + np.float64(1), lambda x: 2 * x + 1),
        (lambda x: ct.sqrt(ct.square(x)) + ct.floor(x), lambda x: abs(x) + np.floor(x)),
    ],
)
def test_operators_and_functions_are_those_of_arrays(formula: Any, numpy: Any) -> None:
    made = ct.elementwise("py_formula", formula)
    expected = numpy(x) if numpy else formula(ct.Variable(x)).array
    np.testing.assert_allclose(made(x).array, expected, rtol=2e-5, atol=1e-6)


def test_the_formula_is_shown() -> None:
    assert soft_sign.formula == "div(x0, add(1, abs(x0)))"
    assert "py_soft_sign" in repr(soft_sign)


def test_what_no_formula_can_have_is_refused() -> None:
    with pytest.raises(TypeError, match=r"write ct.where"):
        ct.elementwise("py_if", lambda x: x if x > 0 else -x)
    with pytest.raises(TypeError, match=r"softmax\(\) has no formula for single elements"):
        ct.elementwise("py_softmax", lambda x: ct.softmax(x))
    with pytest.raises(TypeError, match="a formula takes symbols and numbers, not str"):
        ct.elementwise("py_text", lambda x: "x")
    with pytest.raises(TypeError, match="a fixed number of arguments"):
        ct.elementwise("py_many", lambda *xs: xs[0])
    with pytest.raises(TypeError, match="the number 'slope' needs a default"):
        ct.elementwise("py_number", lambda x, *, slope: x)
    with pytest.raises(ValueError, match="1 gradients for 2 arrays"):
        ct.elementwise("py_two", lambda a, b: a, lambda a, b, y, gy: gy)


def test_a_symbol_of_an_old_formula_is_refused() -> None:
    kept: list[Any] = []
    ct.elementwise("py_first", lambda x: kept.append(x) or x)
    with pytest.raises(ValueError, match="a symbol of another formula"):
        ct.elementwise("py_second", lambda x: x + kept[0])
    assert repr(kept[0] * 2) == "<symbol mul(x0, 2)>"


def test_errors_of_a_formula_leave_as_they_are() -> None:
    def broken(x: Any) -> Any:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        ct.elementwise("py_broken", broken)


def test_a_wrong_number_of_arrays_is_refused() -> None:
    with pytest.raises(TypeError, match=r"py_weighted\(\) takes 2 arrays, 1 were given"):
        weighted(x)
