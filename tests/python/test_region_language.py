"""Python's language in and around a static region: eager beside compiled."""

from __future__ import annotations

import contextlib
import functools
import itertools
import operator

import catena as ct
import pytest
from eager_and_compiled import compare, things_of, values


def thing_a_closure_changes_a_counter(region, log):
    count = 0

    @region
    def step(x):
        nonlocal count
        count += 1
        return ct.tanh(x) * count

    for i in range(4):
        log(step(ct.Variable(values(3, seed=i))), count)


def thing_a_number_is_captured_and_changes(region, log):
    scale = 2.0

    @region
    def step(x):
        return ct.exp(x * scale) - scale

    x = ct.Variable(values(4))
    for scale in (2.0, 3.0, -1.5, 3.0):  # noqa: B007
        log(step(x))


def thing_a_captured_variable_is_replaced(region, log):
    other = ct.Variable(values(4, seed=1))

    @region
    def step(x):
        return ct.sigmoid(x + other)

    x = ct.Variable(values(4))
    for i in range(4):
        other = ct.Variable(values(4, seed=i))
        log(step(x))


def thing_a_dictionary_changes(region, log):
    settings = {"scale": 1.0}

    @region
    def step(x):
        y = x * settings["scale"]
        settings["calls"] = settings.get("calls", 0) + 1
        if "bias" in settings:
            y = y + settings["bias"]
        return ct.relu(y)

    x = ct.Variable(values(5))
    log(step(x), settings)
    settings["scale"] = 3.0
    log(step(x), settings)
    settings["bias"] = 0.25
    log(step(x), step(x), settings)
    del settings["bias"]
    log(step(x), settings)


def thing_a_list_collects_variables(region, log):
    history = []

    @region
    def step(x):
        y = ct.tanh(x)
        history.append(y * 2)
        return y

    for i in range(4):
        step(ct.Variable(values(3, seed=i)))
    log(history)


def thing_a_default_argument_is_a_list(region, log):
    @region
    def step(x, seen=[]):  # noqa: B006
        seen.append(len(seen))
        return x * len(seen)

    for _ in range(3):
        log(step(ct.Variable(values(2))))


def thing_a_global_function_is_replaced(region, log):
    table = {"f": ct.relu}

    @region
    def step(x):
        return table["f"](x) + 1

    x = ct.Variable(values(4))
    log(step(x), step(x))
    table["f"] = ct.tanh
    log(step(x), step(x))
    table["f"] = lambda x: x * x
    log(step(x), step(x))


def thing_a_branch_on_a_computed_value(region, log):
    @region
    def step(x):
        y = ct.sum(x)
        if y > 0:
            return ct.exp(x)
        return -ct.exp(-x)

    for i in range(6):
        log(step(ct.Variable(values(3, seed=i))))


def thing_a_loop_until_a_value_is_small(region, log):
    @region
    def halve(x):
        rounds = 0
        while float(ct.sum(ct.absolute(x))) > 0.5:
            x = x / 2
            rounds += 1
        return x, rounds

    for i in range(3):
        log(halve(ct.Variable(values(3, seed=i))))


def thing_a_loop_of_changing_length(region, log):
    @region
    def power(x, n):
        y = x
        for _ in range(n):
            y = y * x + 0.5
        return y

    x = ct.Variable(values(3))
    for n in (1, 3, 0, 2, 3, 5):
        log(power(x, n))


def thing_an_exception_passes(region, log):
    class Special(Exception):
        pass

    @region
    def step(x, fails):
        y = ct.exp(x)
        if fails:
            raise Special("as wanted")
        return y

    x = ct.Variable(values(3))
    for fails in (False, True, False, True):
        try:
            log(step(x, fails))
        except Special as error:
            log("caught", str(error))


def thing_an_exception_leaves_what_was_computed(region, log):
    kept = []

    @region
    def step(x):
        kept.append(ct.exp(x))
        kept.append(kept[-1] * 2)
        raise KeyError("later")

    for _ in range(2):
        with contextlib.suppress(KeyError):
            step(ct.Variable(values(3)))
    log(kept)


def thing_try_inside_catches_errors_of_shapes(region, log):
    @region
    def step(x, y):
        try:
            return x + y
        except ValueError as error:
            log(type(error).__name__)
            return x * 2

    x = ct.Variable(values(3))
    for other in (values(3, seed=1), values(4), values(3, seed=2)):
        log(step(x, ct.Variable(other)))


def thing_finally_and_else_run(region, log):
    @region
    def step(x, fails):
        try:
            y = x * 3
            if fails:
                raise ValueError("no")
        except ValueError:
            y = x - 1
        else:
            y = y + 1
        finally:
            log("finally")
        return y

    x = ct.Variable(values(3))
    for fails in (False, True, True, False):
        log(step(x, fails))


def thing_exceptions_have_causes(region, log):
    @region
    def step(x):
        try:
            return {}[ct.sum(x).shape]
        except KeyError as error:
            raise RuntimeError("no entry") from error

    for _ in range(2):
        try:
            step(ct.Variable(values(3)))
        except RuntimeError as error:
            log(str(error), type(error.__cause__).__name__)


def thing_a_value_is_printed(region, log, capture=print):
    @region
    def step(x):
        y = ct.exp(x)
        log(str(y.array.tolist()[0])[:5])
        return y * 2

    for i in range(3):
        log(step(ct.Variable(values(2, seed=i))))


def thing_a_generator_feeds_operations(region, log):
    @region
    def step(xs):
        return functools.reduce(operator.add, (ct.tanh(x) * i for i, x in enumerate(xs)))

    for i in range(3):
        log(step([ct.Variable(values(3, seed=i + k)) for k in range(3)]))


def thing_a_generator_is_advanced_by_each_call(region, log):
    numbers = itertools.count(1)

    @region
    def step(x):
        return x * next(numbers)

    for _ in range(4):
        log(step(ct.Variable(values(2))))


def thing_a_generator_is_returned(region, log):
    @region
    def step(x):
        y = ct.exp(x)
        return (y * i for i in range(3))

    for _ in range(2):
        log(list(step(ct.Variable(values(2)))))


def thing_comprehensions(region, log):
    @region
    def step(x):
        parts = [x[i] for i in range(3)]
        squares = {i: p * p for i, p in enumerate(parts) if i != 1}
        return sum(squares.values()) + max(i for i in squares)

    for i in range(3):
        log(step(ct.Variable(values(3, 2, seed=i))))


def thing_recursion(region, log):
    @region
    def fold(xs):
        if len(xs) == 1:
            return xs[0]
        half = len(xs) // 2
        return ct.tanh(fold(xs[:half]) + fold(xs[half:]))

    for count in (1, 4, 3, 4):
        log(fold([ct.Variable(values(2, seed=k)) for k in range(count)]))


def thing_mutual_recursion(region, log):
    @region
    def even(x, n):
        return x if n == 0 else odd(x * 2, n - 1)

    @region
    def odd(x, n):
        return -x if n == 0 else even(ct.tanh(x), n - 1)

    for n in (3, 4, 3):
        log(even(ct.Variable(values(2)), n))


def thing_a_region_inside_a_region(region, log):
    @region
    def inner(x):
        log("inner")
        return ct.exp(x) + 1

    @region
    def outer(x):
        return inner(x * 2) * inner(x)

    for i in range(3):
        log(outer(ct.Variable(values(2, seed=i))), inner(ct.Variable(values(2))))


@pytest.mark.parametrize("thing", things_of(globals()))
def test_python_in_a_region_does_what_it_does_outside(thing):
    compare(thing)
