"""What a static region is given and returns: any nesting of values, eager beside compiled."""

from __future__ import annotations

import collections
import dataclasses
import enum
from typing import Any, NamedTuple

import catena as ct
import numpy as np
import pytest
from eager_and_compiled import compare, things_of, values


class Pair(NamedTuple):
    first: Any
    second: Any


@dataclasses.dataclass
class Batch:
    x: Any
    t: Any = None
    name: str = "batch"


@dataclasses.dataclass(frozen=True, slots=True)
class Frozen:
    x: Any
    weight: float = 1.0


class Mode(enum.Enum):
    FAST = 1
    SLOW = 2


def thing_tuples_lists_and_dictionaries(region, log):
    @region
    def step(data):
        (a, b), rest = data["pair"], data["rest"]
        return {"sum": a + b, "parts": [a * 2, (b, *rest)], "n": len(rest)}

    for count in (0, 2, 1, 2):
        pair = (ct.Variable(values(2)), ct.Variable(values(2, seed=1)))
        rest = [ct.Variable(values(3, seed=i)) for i in range(count)]
        log(step({"pair": pair, "rest": rest}))


def thing_dataclasses(region, log):
    @region
    def step(batch, other):
        return Batch(batch.x + other.x * other.weight, batch.t, name=batch.name + "!")

    for i in range(3):
        x = ct.Variable(values(2, seed=i))
        log(step(Batch(x, t=i), Frozen(x, weight=float(i))))


def thing_named_tuples(region, log):
    @region
    def step(pair):
        return Pair(pair.second * 2, Pair(pair.first, pair.first + pair.second))

    for i in range(3):
        log(step(Pair(ct.Variable(values(2, seed=i)), ct.Variable(values(2)))))


def thing_other_dictionaries(region, log):
    @region
    def step(ordered, default):
        default["new"].append(ordered["b"])
        return collections.OrderedDict(sorted(ordered.items()))

    for i in range(3):
        default = collections.defaultdict(list)
        x = ct.Variable(values(2, seed=i))
        log(step(collections.OrderedDict(b=x, a=x * 2), default), dict(default))


def thing_numbers_texts_none_and_enums(region, log):
    @region
    def step(x, mode, text, nothing, number, flag):
        y = x * number if mode is Mode.FAST else x - number
        return (ct.exp(y) if flag else y), text.upper(), nothing, mode.name

    x = ct.Variable(values(2))
    for mode, flag in ((Mode.FAST, True), (Mode.SLOW, False), (Mode.FAST, True)):
        log(step(x, mode, "text", None, np.float32(1.5), flag))


def thing_ndarrays_as_arguments(region, log):
    @region
    def step(x, table):
        return ct.exp(x) * table["w"] + x

    for i in range(4):
        log(step(values(2, 3, seed=i), {"w": values(3, seed=i + 5)}))


def thing_ndarrays_as_results(region, log):
    @region
    def step(x):
        y = ct.exp(x)
        return y.array * 2, y, np.arange(3)

    for i in range(3):
        log(step(ct.Variable(values(3, seed=i))))


def thing_ndarrays_of_many_kinds(region, log):
    @region
    def step(a):
        return ct.sum(ct.astype(a, "float32") * 2, axis=0)

    base = np.arange(24).reshape(4, 6)
    for a in (
        base.astype(np.float64),
        base.astype(np.int32),
        base.astype(np.float32)[::2, ::-1],
        base.astype(np.uint8).T,
        np.asfortranarray(base.astype(np.float16)),
        base % 2 == 0,
        base.astype(">f4"),
        np.zeros((0, 3), np.float32),
    ):
        log(step(a))


def thing_numpy_scalars(region, log):
    @region
    def step(x, s):
        return x * s + np.float32(0.5)

    x = ct.Variable(values(2))
    for s in (np.float32(2), np.float64(0.1), np.int64(3), np.bool_(True)):
        log(step(x, s))


def thing_one_variable_twice(region, log):
    @region
    def step(a, b):
        return a * b, a is b

    x, y = ct.Variable(values(2)), ct.Variable(values(2, seed=1))
    for pair in ((x, x), (x, y), (y, y)):
        log(step(*pair))


def thing_a_list_that_contains_itself(region, log):
    @region
    def step(xs):
        return xs[0] * len(xs)

    xs = [ct.Variable(values(2))]
    xs.append(xs)
    log(step(xs), step(xs))


def thing_arguments_are_changed_inside(region, log):
    @region
    def step(xs, table):
        xs.append(xs[-1] * 2)
        table["sum"] = xs[0] + xs[-1]
        return len(xs)

    xs, table = [ct.Variable(values(2))], {}
    for _ in range(3):
        log(step(xs, table), xs, table)


def thing_results_are_the_objects_that_the_code_made(region, log):
    kept = []

    @region
    def step(x):
        kept.append([x, ct.exp(x)])
        return kept[-1]

    for _ in range(3):
        result = step(ct.Variable(values(2)))
        log(result is kept[-1], result[1] is kept[-1][1])


def thing_arguments_are_returned(region, log):
    @region
    def step(x, y):
        return y, x

    x, y = ct.Variable(values(2)), ct.Variable(values(3))
    first, second = step(x, y)
    log(first is y, second is x, first, second)
    step(x, y)


def thing_nothing_is_returned(region, log):
    @region
    def step(x):
        ct.exp(x)

    log(step(ct.Variable(values(2))), step(ct.Variable(values(2))))


def thing_sets_and_objects_pass(region, log):
    class Config:
        scale = 3.0

    @region
    def step(x, names, config):
        return x * config.scale * len(names)

    x = ct.Variable(values(2))
    log(step(x, {"a"}, Config()), step(x, frozenset("ab"), Config), step(x, {"a"}, Config()))


def thing_empty_values(region, log):
    @region
    def step(data, x):
        return data, x * 2

    x = ct.Variable(values(2))
    for data in ((), [], {}, None, "", (), [[], {}]):
        log(step(data, x))


def thing_zero_size_and_scalar_arrays(region, log):
    @region
    def step(x):
        return ct.sum(ct.exp(x)), x * 2

    for shape in ((), (0,), (2, 0, 3), (1,), ()):
        log(step(ct.Variable(values(*shape))))


def thing_sizes_change(region, log):
    @region
    def step(x):
        return ct.softmax(x) * x.shape[0]

    for n in (2, 3, 5, 4, 2, 8, 7):
        log(step(ct.Variable(values(n, 3, seed=n))))


def thing_dtypes_change(region, log):
    @region
    def step(x):
        return ct.tanh(x) + x

    for dtype in ("float32", "float64", "float16", "float32"):
        log(step(ct.Variable(values(4, dtype=dtype))))


@pytest.mark.parametrize("thing", things_of(globals()))
def test_values_go_in_and_out_as_they_are(thing):
    compare(thing)


def region_that_counts(**options):
    calls = []

    @ct.jit(**options)
    def step(*data, **named):
        calls.append(1)
        first = data[0]
        return {"y": ct.exp(first["x"]) * 2, "fixed": (1, "a", [None])}

    return step, calls


def test_a_call_that_skips_the_code_returns_the_same_nesting_with_its_own_values():
    step, calls = region_that_counts(audit="never")
    for i in range(4):
        x = values(3, seed=i)
        result = step({"x": ct.Variable(x)}, mode=(1, 2.5, "text"))
        np.testing.assert_allclose(result["y"].array, np.exp(x) * 2, rtol=1e-5)
        assert result["fixed"] == (1, "a", [None])
        result["fixed"][2].append("mine")
    assert len(calls) == 1


def test_ndarrays_are_arguments_of_calls_that_skip_the_code():
    step, calls = region_that_counts(audit="never")
    for i in range(4):
        x = values(3, seed=i)
        np.testing.assert_allclose(step({"x": x})["y"].array, np.exp(x) * 2, rtol=1e-5)
    assert len(calls) == 1


class Plain:
    pass


@pytest.mark.parametrize(
    "one, other",
    [
        (1, 2),
        (-1, -2),
        (1, 1.0),
        (1, True),
        (2**61 - 1, 0),
        (2**80, 2**80 + 1),
        (0.0, -0.0),
        ("a", "b"),
        ("a", b"a"),
        (None, ()),
        ((), []),
        ((1,), [1]),
        ([1, [2]], [[1], 2]),
        ({"a": 1}, {"a": 2}),
        ({"a": 1}, {"b": 1}),
        ({1: 0}, {-2: 0}),
        ({(1, -1): 0}, {(1, -2): 0}),
        (Frozen(1), Frozen(2)),
        (Frozen(1), Pair(1, 1.0)),
        (Mode.FAST, Mode.SLOW),
        (1j, 2j),
        (np.float32(1), np.float64(1)),
        (np.float32, np.float64),
        (Plain(), Plain()),
        (len, max),
    ],
    ids=repr,
)
def test_calls_with_other_values_run_the_code(one, other):
    seen = []

    @ct.jit(audit="never")
    def step(x, value):
        seen.append(value)
        return x * 2

    x = ct.Variable(values(2))
    for value in (one, one, other, other, one):
        step(x, value)
    assert len(seen) == 2, seen


def test_the_place_of_an_argument_counts_where_calls_skip_the_code():
    seen = []

    @ct.jit(audit="never")
    def step(x, a=1, b=1):
        seen.append((a, b))
        return x * a

    x = ct.Variable(values(2))
    for _ in range(2):
        step(x, 2)
        step(x, a=2)
        step(x, b=2)
    assert seen == [(2, 1), (2, 1), (1, 2)]


def test_an_object_at_the_place_of_a_dead_one_is_another_one():
    seen = []

    @ct.jit(audit="never")
    def step(x, plain):
        seen.append(id(plain))
        return x * 2

    x = ct.Variable(values(2))
    for _ in range(20):
        step(x, Plain())
    assert len(seen) == 20


def test_objects_in_results_need_the_code():
    made = []

    @ct.jit(audit="never")
    def step(x):
        made.append(Plain())
        return x * 2, made[-1]

    x = ct.Variable(values(2))
    for _ in range(3):
        assert step(x)[1] is made[-1]
    assert len(made) == 3
    assert "no value" in step.explain()
