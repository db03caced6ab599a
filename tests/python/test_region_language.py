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
def test_python_in_a_region_does_what_it_does_outside(thing):
    compare(thing)
