"""Runs a piece of Python twice, plainly and with static regions, and compares all that it told.

A *thing* is a function thing(region, log): it marks functions with `region`, which is catena.jit or
nothing at all, and tells what it sees by log(). Everything told must be the same.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import catena as ct
import numpy as np
import pytest

Thing = Callable[[Any, Callable[..., None]], Any]


def snapshot(value: Any) -> Any:
    """What a value is now, without anything of Catena's in it."""
    if isinstance(value, ct.Variable):
        return ("Variable", np.array(value.array), snapshot(value.grad))
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, dict):
        return {key: snapshot(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [type(value).__name__, *(snapshot(part) for part in value)]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {
            field.name: snapshot(getattr(value, field.name)) for field in dataclasses.fields(value)
        }
    return value


def assert_same(eager: Any, compiled: Any, place: str = "") -> None:
    """Numbers within the rounding of float32, all else equal."""
    assert type(eager) is type(compiled), f"{place}: {eager!r} or {compiled!r}"
    if isinstance(eager, np.ndarray):
        assert eager.dtype == compiled.dtype, place
        assert eager.shape == compiled.shape, place
        np.testing.assert_allclose(compiled, eager, rtol=2e-5, atol=1e-6, err_msg=place)
    elif isinstance(eager, float):
        assert (
            compiled == eager
            or abs(compiled - eager) <= 1e-6 + 2e-5 * abs(eager)
            or (eager != eager and compiled != compiled)
        ), f"{place}: {eager} or {compiled}"
    elif isinstance(eager, dict):
        assert list(eager) == list(compiled), place
        for key in eager:
            assert_same(eager[key], compiled[key], f"{place}[{key!r}]")
    elif isinstance(eager, (list, tuple)):
        for i, (a, b) in enumerate(zip(eager, compiled, strict=False)):
            assert_same(a, b, f"{place}[{i}]")
        rest = len(min(eager, compiled, key=len))
        assert len(eager) == len(compiled), (
            f"{place}: after {rest}, {eager[rest:]!r} or {compiled[rest:]!r}"
        )
    else:
        assert eager == compiled, f"{place}: {eager!r} or {compiled!r}"


def told_by(thing: Thing, region: Any) -> list[Any]:
    """What a thing told, and what it returned or raised at last."""
    told: list[Any] = []

    def log(*values: Any) -> None:
        told.extend(snapshot(value) for value in values)

    ct.random.seed(3)
    np.random.seed(3)
    try:
        log("returned", thing(region, log))
    except Exception as error:
        told.append(("raised", type(error).__name__, str(error).partition(" (at ")[0]))
    return told


class Regions:
    """catena.jit, and all regions that it has made."""

    def __init__(self) -> None:
        self.made: list[Any] = []

    def __call__(self, f: Any = None, **options: Any) -> Any:
        if f is None:
            return lambda f: self(f, **options)
        self.made.append(ct.jit(f, **options))
        return self.made[-1]

    def total(self, counter: str) -> int:
        return sum(getattr(region.statistics(), counter) for region in self.made)


def plain(f: Any = None, **options: Any) -> Any:
    """In the place of jit: nothing."""
    return (lambda f: f) if f is None else f


def compare(thing: Thing) -> Regions:
    """Run it both ways; the regions of the second."""
    eager = told_by(thing, plain)
    regions = Regions()
    compiled = told_by(thing, regions)
    assert_same(eager, compiled, thing.__name__)
    assert regions.total("calls") > regions.total("eager_calls"), "no call was recorded"
    return regions


def things_of(module: dict[str, Any]) -> list[Any]:
    """The functions of a module whose names begin with thing_."""
    return [
        pytest.param(value, id=name.removeprefix("thing_"))
        for name, value in module.items()
        if name.startswith("thing_")
    ]


def values(*shape: int, seed: int = 0, dtype: Any = np.float32) -> np.ndarray[Any, Any]:
    """Numbers between -1 and 1."""
    return np.random.default_rng(seed).uniform(-1, 1, shape).astype(dtype)
