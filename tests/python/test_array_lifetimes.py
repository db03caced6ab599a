"""Arrays that die, or are written to, after a function was given them: eagerly and in regions."""

from __future__ import annotations

import gc
import itertools
import random
import re
from collections.abc import Iterator
from typing import Any

import catena as ct
import fuzz_calls
import numpy as np
import pytest
from test_fuzz_arguments import legal_call, restore

pytestmark = pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")  # Of np.matrix.


class Given:
    """Makes the arrays of a call, each with memory of its own, and remembers them."""

    def __init__(self) -> None:
        self.arrays: list[np.ndarray] = []

    def __call__(self, *args: Any) -> np.ndarray:
        self.arrays.append(np.array(fuzz_calls.fuzz_values.a(*args)))
        return self.arrays[-1]

    def overwrite(self) -> None:
        for array in self.arrays:
            array[...] = 1

    def drop(self) -> None:
        self.arrays.clear()
        gc.collect(1)


def evaluate(text: str, a: Given) -> Any:
    restore()  # The same random numbers.
    return eval(text, {**fuzz_calls.namespace(), "a": a, "v": a})


def contents(value: Any) -> Iterator[np.ndarray]:
    if isinstance(value, ct.Variable):
        yield value.array
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from contents(part)


def copies(value: Any) -> list[np.ndarray]:
    return [np.array(array) for array in contents(value)]


def assert_same(found: Any, wanted: list[np.ndarray]) -> None:
    for one, other in zip(contents(found), wanted, strict=True):
        np.testing.assert_allclose(one, other, rtol=2e-5, atol=1e-6)


SHARING = re.compile(r"\b(Mine|Parameter|State)\(")


def legal_calls() -> Iterator[str]:
    """One call for each function for which drawing finds one; Variables over arrays share their
    memory, and are no arguments here."""
    rng = random.Random(3)
    for function in fuzz_calls.registered():
        drawn = (legal_call(function, rng, 1) for _ in range(40))
        texts = (call.text() for call in drawn if call)
        yield from itertools.islice((t for t in texts if not SHARING.search(t)), 1)


CALLS = list(legal_calls())


def test_most_functions_are_called() -> None:
    assert len(CALLS) > 240


each_call = pytest.mark.parametrize("text", CALLS, ids=lambda text: text[3 : text.index("(")])


@each_call
def test_results_outlive_arguments(text: str) -> None:
    a = Given()
    result = evaluate(text, a)
    wanted = copies(result)
    a.drop()
    rubbish = [np.full(n, 7.0, np.float32) for n in (1, 2, 3, 4, 6, 8, 16, 32, 64)]
    assert_same(result, wanted)
    del rubbish


@each_call
def test_results_keep_their_elements_when_arguments_change(text: str) -> None:
    a = Given()
    result = evaluate(text, a)
    if any(np.shares_memory(x, given) for x in contents(result) for given in a.arrays):
        return  # A view, as NumPy's would be.
    wanted = copies(result)
    a.overwrite()
    assert_same(result, wanted)


@each_call
def test_regions_compute_with_what_arguments_were(text: str) -> None:
    """In a region nothing is computed before it ends: arrays have changed and died by then. Only
    results that are views of them show it, as outside.
    """

    def forgetful() -> Any:
        a = Given()
        result = evaluate(text, a)
        a.overwrite()
        a.drop()
        return result

    wanted = copies(forgetful())
    region = ct.jit(forgetful, compile_mode="later")
    calls = 2 if CALLS.index(text) % 8 == 0 else 1  # The second call compiles.
    for _ in range(calls):
        restore()
        assert_same(region(), wanted)
