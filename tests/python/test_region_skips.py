"""Regions that may skip their code: what NumPy computes in a call is not skipped with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import catena as ct
import numpy as np
import pytest
from catena import optim
from eager_and_compiled import values

CONSTANT = np.float32([1, 2, 3])


def weight() -> ct.Parameter:
    return ct.Parameter(np.ones(3, np.float32))


def a_view() -> Callable[..., Any]:
    W = weight()
    return lambda x: ct.sum(W * x[:3])


def a_product() -> Callable[..., Any]:
    return lambda x: ct.sum(ct.exp(x * 2))


def in_steps() -> Callable[..., Any]:
    def f(x: Any) -> Any:
        a = x[:3].copy()
        a += 1
        a = a[::-1]
        return ct.sum(ct.exp(a))

    return f


def as_a_variable() -> Callable[..., Any]:
    return lambda x: ct.sum(ct.exp(ct.Variable(x * 2, requires_grad=False)))


def the_argument_as_a_variable() -> Callable[..., Any]:
    return lambda x: ct.sum(ct.exp(ct.Variable(x, requires_grad=False)))


def a_gradient() -> Callable[..., Any]:
    W = weight()
    optimizer = optim.SGD(1.0).setup([W])

    def f(x: Any) -> Any:
        W.grad = x[:3]
        optimizer.update()
        return ct.sum(W * 2)

    return f


def the_argument_as_a_gradient() -> Callable[..., Any]:
    W = ct.Parameter(np.ones(4, np.float32))
    optimizer = optim.SGD(1.0).setup([W])

    def f(x: Any) -> Any:
        W.grad = x
        optimizer.update()
        return ct.sum(W * 2)

    return f


def content_of_a_state() -> Callable[..., Any]:
    W = weight()

    def f(x: Any) -> Any:
        W.assign(x[:3])
        return ct.sum(W * 2)

    return f


def elements_of_a_variable() -> Callable[..., Any]:
    def f(x: Any) -> Any:
        y = ct.exp(x)
        y[:3] = x[1:]
        return ct.sum(y)

    return f


def in_a_region_within() -> Callable[..., Any]:
    inner = ct.jit(lambda x: ct.exp(x * 2))
    return lambda x: ct.sum(inner(x[:3]))


MAKERS = [
    a_view,
    a_product,
    in_steps,
    as_a_variable,
    the_argument_as_a_variable,
    a_gradient,
    the_argument_as_a_gradient,
    content_of_a_state,
    elements_of_a_variable,
    in_a_region_within,
]


@pytest.mark.parametrize("audit", ["sampled", "never"])
@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__)
def test_what_numpy_computes_of_an_argument_is_computed_anew(make: Any, audit: str) -> None:
    plain, region = make(), ct.jit(make(), audit=audit)
    for i in range(6):
        x = values(4, seed=i)
        np.testing.assert_allclose(region(x).array, plain(x).array, rtol=1e-5, err_msg=str(i))
    assert region.statistics().followed_calls == 6


@pytest.mark.parametrize("audit", ["sampled", "never"])
def test_ndarrays_that_are_there_already_and_arguments_are_skipped_with_the_code(
    audit: str,
) -> None:
    W = weight()
    region = ct.jit(lambda x: ct.sum(W * CONSTANT * x) + ct.sum(ct.exp(x)), audit=audit)
    for i in range(6):
        x = values(3, seed=i)
        expected = (CONSTANT * x).sum() + np.exp(x).sum()
        np.testing.assert_allclose(region(x).array, expected, rtol=1e-5)
    assert region.statistics().followed_calls < 6
