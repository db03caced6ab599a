"""ndarrays that parameters and states are made of: updates are written into them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import catena as ct
import numpy as np
import pytest
from catena import optim


def by_array(a: np.ndarray[Any, Any]) -> ct.Parameter:
    p = ct.Parameter(0.0, a.shape)
    p.array = a
    return p


def by_data(a: np.ndarray[Any, Any]) -> ct.Parameter:
    p = ct.Parameter(0.0, a.shape)
    p.data = a
    return p


MAKERS = [ct.Parameter, by_array, by_data, lambda a: ct.Parameter(ct.Variable(a))]
IDS = ["Parameter(a)", "p.array = a", "p.data = a", "Parameter(Variable(a))"]


def train(p: ct.Parameter, optimizer: optim.Optimizer) -> None:
    p.cleargrad()
    ct.sum(p * 2).backward()
    optimizer.update()


@pytest.mark.parametrize("make", MAKERS, ids=IDS)
@pytest.mark.parametrize(
    "optimizer", [lambda: optim.SGD(0.5), lambda: optim.MomentumSGD(0.5), lambda: optim.Adam(0.5)]
)
def test_an_update_is_written_into_the_ndarray(
    make: Callable[[Any], ct.Parameter], optimizer: Callable[[], optim.Optimizer]
) -> None:
    a = np.zeros(3, np.float32)
    p = make(a)
    assert p.array is a
    rule = optimizer().setup({"p": p})
    for _ in range(3):
        before = a.copy()
        train(p, rule)
        assert p.array is a
        assert (a < before).all()
    a[0] = 4
    np.testing.assert_array_equal(p.array, a)


@pytest.mark.parametrize("part", [np.s_[::2], np.s_[::-1], np.s_[1:4]])
def test_any_strides_are_updated_in_place(part: Any) -> None:
    whole = np.arange(6, dtype=np.float32)
    a = whole[part]
    p = ct.Parameter(a)
    before = whole.copy()
    train(p, optim.SGD(0.5).setup({"p": p}))
    before[part] -= 1
    np.testing.assert_array_equal(whole, before)
    assert p.array is a


def test_an_ndarray_that_nobody_else_has_is_the_parameters_own() -> None:
    p = ct.Parameter(np.zeros(3, np.float32))
    before = ct.Variable(p)
    p.assign(np.ones(3, np.float32))
    np.testing.assert_array_equal(before.array, 0)
    np.testing.assert_array_equal(p.array, 1)


def test_a_read_only_ndarray_keeps_its_elements() -> None:
    a = np.zeros(3, np.float32)
    a.flags.writeable = False
    p = ct.Parameter(a)
    assert p.array is a
    train(p, optim.SGD(0.5).setup({"p": p}))
    np.testing.assert_array_equal(a, 0)
    np.testing.assert_array_equal(p.array, -1)
    assert p.array.flags.writeable


@pytest.mark.parametrize("is_compiled", [False, True])
def test_assigned_elements_are_copied(is_compiled: bool) -> None:
    a = np.arange(3, dtype=np.float32)
    p = ct.Parameter(0.0, (3,))

    def give(x: Any) -> None:
        p.assign(x)

    (ct.jit(give) if is_compiled else give)(a)
    a[0] = 5
    np.testing.assert_array_equal(p.array, [0, 1, 2])
    p.assign(p * 2)
    np.testing.assert_array_equal(a, [5, 1, 2])


@pytest.mark.parametrize("is_compiled", [False, True])
def test_a_state_that_was_given_another_keeps_its_elements(is_compiled: bool) -> None:
    """A target network, say."""
    p, q = ct.Parameter(0.5, (3,)), ct.Parameter(0.25, (3,))

    def give() -> None:
        q.assign(p)

    (ct.jit(give) if is_compiled else give)()
    others = [q, ct.Parameter(p), ct.State(p)]
    others.append(ct.Parameter(0.0, (3,)))
    others[-1].array = p
    view = p.array
    view[0] = 9
    p.assign(np.full(3, 7, np.float32))
    np.testing.assert_array_equal(view, 7)
    for other in others:
        np.testing.assert_array_equal(other.array, 0.5)


def test_a_graph_goes_back_through_what_it_read() -> None:
    a = np.array([2.0, 3.0])
    p, x = ct.Parameter(a), ct.Variable(np.ones(2))
    y = ct.sum(x * p)
    p.assign(np.full(2, -1.0))
    y.backward()
    np.testing.assert_array_equal(x.grad, [2, 3])
    np.testing.assert_array_equal(a, -1)


def test_gradients_are_added_in_new_memory() -> None:
    """A rule of Catena's, eagerly and compiled: who has the gradient of before keeps it."""
    p, given = ct.Parameter(0.0, (3,)), np.ones(3, np.float32)
    p.grad = given
    ct.sum(p * 2).backward()
    np.testing.assert_array_equal(given, 1)
    np.testing.assert_array_equal(p.grad, 3)


def test_initial_elements_are_drawn_again_as_they_were() -> None:
    a = np.zeros(3, np.float32)
    p = ct.Parameter(a)
    p.assign(np.ones(3, np.float32))
    np.testing.assert_array_equal(a, 1)
    copied = ct.Parameter(p)
    copied.assign(np.full(3, 2, np.float32))
    np.testing.assert_array_equal(a, 1)
