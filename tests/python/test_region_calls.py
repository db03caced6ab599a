"""Ways to write and to call a function, and expressions in it: eager beside compiled."""

from __future__ import annotations

import contextlib
import functools

import catena as ct
import pytest
from eager_and_compiled import compare, things_of, values


def thing_a_lambda(region, log):
    step = region(lambda x, y=2: ct.relu(x) ** y)
    for y in (2, 3):
        log(step(ct.Variable(values(3)), y), step(ct.Variable(values(3))))


def thing_a_partial_function(region, log):
    def scaled(x, scale, bias=0.0):
        return x * scale + bias

    step = region(functools.partial(scaled, scale=3.0))
    log(step(ct.Variable(values(3))), step(ct.Variable(values(3)), bias=1.0))


def thing_keywords_and_stars(region, log):
    @region
    def step(x, *others, scale=1.0, **named):
        y = x * scale
        for other in others:
            y = y + other
        for name in sorted(named):
            log(name)
            y = y * named[name]
        return y

    x, y, z = (ct.Variable(values(2, seed=i)) for i in range(3))
    log(step(x), step(x, y), step(x, y, z, scale=2.0), step(x, b=y, a=z), step(x, a=2.0))


def thing_wrong_arguments(region, log):
    @region
    def step(x, y):
        return x + y

    x = ct.Variable(values(2))
    log(step(x, x))
    for arguments, named in (((x,), {}), ((x, x, x), {}), ((x,), {"z": x})):
        try:
            step(*arguments, **named)
        except TypeError as error:
            log(str(error))


def thing_a_decorator_around_a_region(region, log):
    def twice(f):
        @functools.wraps(f)
        def call(x):
            return f(f(x))

        return call

    @twice
    @region
    def step(x):
        return ct.tanh(x) + 0.1

    for i in range(3):
        log(step(ct.Variable(values(2, seed=i))), step.__name__)


def thing_a_region_around_a_decorated_function(region, log):
    def logged(f):
        @functools.wraps(f)
        def call(*arguments):
            log("before")
            return f(*arguments)

        return call

    @region
    @logged
    def step(x):
        return ct.exp(x)

    for _ in range(3):
        log(step(ct.Variable(values(2))), step.__name__)


def thing_a_cache_in_python(region, log):
    @functools.lru_cache
    def table(n):
        log("made")
        return ct.Variable(values(n, seed=n))

    @region
    def step(x):
        return x * table(x.shape[0])

    for n in (2, 3, 2, 3, 2):
        log(step(ct.Variable(values(n))))


def thing_context_managers(region, log):
    @contextlib.contextmanager
    def noted(name):
        log("enter " + name)
        yield 2.0
        log("exit " + name)

    @region
    def step(x):
        with noted("a") as a, noted("b"):
            y = x * a
        return ct.exp(y)

    for _ in range(3):
        log(step(ct.Variable(values(2))))


def thing_match_statements(region, log):
    @region
    def step(x, how):
        match how:
            case {"kind": "scale", "by": by}:
                return x * by
            case [first, *_]:
                return x + first
            case None:
                return -x
            case _:
                return x

    x = ct.Variable(values(2))
    for how in ({"kind": "scale", "by": 2.0}, [1.0, 2.0], None, "other", None):
        log(step(x, how))


def thing_the_walrus_and_chained_comparisons(region, log):
    @region
    def step(x):
        if (total := float(ct.sum(x))) and -1 < total < 1:
            return x + total
        return x - total

    for i in range(5):
        log(step(ct.Variable(values(3, seed=i))))


def thing_eval_and_exec(region, log):
    @region
    def step(x, text):
        return eval(text, {"x": x, "ct": ct})

    x = ct.Variable(values(3))
    for text in ("ct.exp(x)", "x * 2 + 1", "ct.exp(x)"):
        log(step(x, text))


def thing_numbers_of_all_kinds(region, log):
    @region
    def step(x, n):
        return x * n + n

    x = ct.Variable(values(3))
    for n in (2, 2.0, True, -1, 10**6, 0.1, 2):
        log(step(x, n))


def thing_assertions_on_values(region, log):
    @region
    def step(x):
        y = ct.exp(x)
        assert float(ct.min(y)) > 0.5, "too small"
        return y

    log(step(ct.Variable(values(3) * 0 + 1)))
    try:
        step(ct.Variable(values(3) * 0 - 5))
    except AssertionError as error:
        log(str(error))


def thing_a_variable_is_rebound_in_place(region, log):
    @region
    def step(x):
        y = x
        y += 1
        y *= 2
        return y, x

    for i in range(3):
        log(step(ct.Variable(values(2, seed=i))))


@pytest.mark.parametrize("thing", things_of(globals()))
def test_functions_are_called_as_outside(thing):
    compare(thing)
