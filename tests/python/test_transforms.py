"""Gradients of functions."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import catena as ct
import numpy as np
import pytest
from catena import nn


def test_value_and_grad_of_an_array() -> None:
    x = np.array([1.0, 2.0], np.float32)
    value, gradient = ct.value_and_grad(lambda x: ct.sum(x * x))(x)
    assert value.item() == 5.0
    np.testing.assert_array_equal(gradient.array, [2, 4])


def test_value_and_grad_of_a_module_is_a_dict_by_path() -> None:
    model = nn.Linear(2, 1, initial_W=1.0)
    x = np.array([[1.0, 2.0]], np.float32)
    _, grads = ct.value_and_grad(lambda model, x: ct.sum(model(x)))(model, x)
    assert list(grads) == ["W", "b"]
    np.testing.assert_array_equal(grads["W"].array, x)
    assert model.W.grad is None


def test_a_module_that_gets_its_shape_in_the_call_has_gradients() -> None:
    model = nn.Linear(None, 1)
    _, grads = ct.value_and_grad(lambda model: ct.sum(model(np.ones((1, 2), np.float32))))(model)
    np.testing.assert_array_equal(grads["W"].array, [[1, 1]])


def test_trees_give_trees() -> None:
    Pair = namedtuple("Pair", "a b")
    tree: Any = {
        "x": [np.ones(2, np.float32), 3],
        "pair": Pair(np.float32(2.0), (1.5,)),
        "name": "n",
    }

    def loss(tree: Any) -> ct.Variable:
        return ct.sum(tree["x"][0] * tree["pair"].a) * tree["x"][1] + tree["pair"].b[0] * 2

    _, grads = ct.value_and_grad(loss)(tree)
    np.testing.assert_array_equal(grads["x"][0].array, [6, 6])
    assert grads["x"][1] is None
    assert isinstance(grads["pair"], Pair)
    assert grads["pair"].a.item() == 6
    assert grads["pair"].b[0].item() == 2
    assert grads["name"] is None


def test_several_arguments_give_a_tuple() -> None:
    x, y = np.float32(2), np.float32(3)
    _, (gx, gy) = ct.value_and_grad(lambda x, y: x * y, argnums=(0, -1))(x, y)
    assert (gx.item(), gy.item()) == (3, 2)
    assert ct.grad(lambda x, y: x * y, 1)(x, y).item() == 2
    with pytest.raises(ValueError, match="argnums is 2, but 2 arguments were given"):
        ct.grad(lambda x, y: x * y, argnums=2)(x, y)


def test_aux_comes_back_beside_the_value() -> None:
    def f(x: Any) -> tuple[Any, str]:
        return x * x, "aux"

    (value, aux), gradient = ct.value_and_grad(f, has_aux=True)(np.float32(3))
    assert (value.item(), aux, gradient.item()) == (9, "aux", 6)
    gradient, aux = ct.grad(f, has_aux=True)(np.float32(3))
    assert (gradient.item(), aux) == (6, "aux")
    with pytest.raises(TypeError, match="gives \\(value, aux\\)"):
        ct.grad(lambda x: x, has_aux=True)(np.float32(1))


def test_applied_again_it_gives_higher_derivatives() -> None:
    def cube(x: Any) -> ct.Variable:
        return x * x * x

    x = np.float32(2)
    assert ct.grad(cube)(x).item() == 12
    assert ct.grad(ct.grad(cube))(x).item() == 12
    assert ct.grad(ct.grad(ct.grad(cube)))(x).item() == 6


def test_a_gradient_penalty_reaches_the_parameters() -> None:
    model = nn.Linear(1, 1, initial_W=3.0)

    def penalty(model: nn.Linear, x: Any) -> ct.Variable:
        slope = ct.grad(lambda x: ct.sum(model(x)))(x)
        return ct.sum(slope * slope)

    value, grads = ct.value_and_grad(penalty)(model, np.ones((1, 1), np.float32))
    assert value.item() == 9
    assert grads["W"].item() == 6
    assert grads["b"] is None


def test_keywords_are_passed_on_and_the_name_is_kept() -> None:
    def scaled(x: Any, *, scale: float) -> ct.Variable:
        """Scales."""
        return x * scale

    f = ct.value_and_grad(scaled)
    assert f.__name__ == "scaled"
    assert f(np.float32(1), scale=4.0)[1].item() == 4


def test_results_that_are_no_single_element_are_refused() -> None:
    with pytest.raises(ValueError, match=r"gives \(2,\), not a single element"):
        ct.grad(lambda x: x)(np.ones(2, np.float32))
    with pytest.raises(TypeError, match="gives a float, not a Variable"):
        ct.grad(lambda x: 1.0)(np.ones(2, np.float32))


def test_what_nothing_flows_to_has_none() -> None:
    assert ct.grad(lambda x, y: y * 2)(np.float32(1), ct.Variable(2.0)) is None
    assert ct.grad(lambda x: ct.Variable(1.0, requires_grad=False))(np.float32(1)) is None


def test_an_error_within_leaves_the_next_call_as_it_was() -> None:
    def broken(x: Any) -> ct.Variable:
        raise KeyError("mine")

    with pytest.raises(KeyError):
        ct.grad(broken)(np.float32(1))
    gradient = ct.grad(lambda x: x * x)(np.float32(1))
    assert gradient.creator is None


def test_grad_of_variables_is_chainers() -> None:
    x = ct.Variable([1.0, 2.0])
    (gradient,) = ct.grad([ct.sum(x * x)], [x])
    np.testing.assert_array_equal(gradient.array, [2, 4])
    assert x.grad is None


def test_parameters_that_optimizers_leave_have_gradients_all_the_same() -> None:
    model = nn.Linear(1, 1, initial_W=1.0).freeze()
    grads = ct.grad(lambda model: ct.sum(model(np.ones((1, 1), np.float32))))(model)
    assert grads["W"].item() == 1
