"""Functions that have NumPy's names, on random arguments, beside NumPy itself.

    python tests/python/test_numpy_random.py --count 20000 --seed 7

draws more, and prints the calls that differ. Results have NumPy's shape and values. Their dtypes
are Catena's: float32 where NumPy has float64 of whole numbers, int32 places, and what bools give
stays bool where NumPy has int8 (remainder, square).
"""

from __future__ import annotations

import argparse
import random
import sys
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import catena as ct
import numpy as np
import pytest

DTYPES = ("float32", "float64", "int32", "int64", "int8", "uint8", "bool")
OF_ONE = [
    "absolute",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctanh",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "ceil",
    "copy",
    "cos",
    "cosh",
    "exp",
    "exp2",
    "expm1",
    "fix",
    "floor",
    "isfinite",
    "isinf",
    "isnan",
    "log",
    "log10",
    "log1p",
    "log2",
    "logical_not",
    "ravel",
    "sin",
    "sinc",
    "sinh",
    "sqrt",
    "square",
    "tan",
    "tanh",
    "trunc",
]
OF_TWO = [
    "add",
    "arctan2",
    "divide",
    "equal",
    "floor_divide",
    "fmod",
    "greater",
    "greater_equal",
    "hypot",
    "isclose",
    "less",
    "less_equal",
    "logical_and",
    "logical_or",
    "logical_xor",
    "maximum",
    "minimum",
    "multiply",
    "not_equal",
    "remainder",
]
REDUCTIONS = [
    "all",
    "any",
    "max",
    "min",
    "mean",
    "prod",
    "sum",
    "nansum",
    "nanmax",
    "nanmin",
    "nanmean",
    "count_nonzero",
]
SPREADS = ["std", "var", "nanstd", "nanvar"]


class Call(NamedTuple):
    name: str
    arguments: list[Any]
    options: dict[str, Any]


class Draw:
    """Random calls; the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.numbers = np.random.default_rng(seed)

    def shape(self, most: int = 4, least: int = 0) -> tuple[int, ...]:
        sizes = (0, 1, 1, 2, 2, 3, 3, 4, 4)
        return tuple(self.random.choice(sizes) for _ in range(self.random.randint(least, most)))

    def array(self, shape: tuple[int, ...] | None = None, dtype: str = "") -> np.ndarray:
        shape = self.shape() if shape is None else shape
        dtype = dtype or self.random.choice(DTYPES)
        if dtype == "bool":
            return np.asarray(self.numbers.random(shape) < 0.5)
        low = 0 if dtype == "uint8" else -5
        values: Any = self.numbers.integers(low, 6, shape)
        if dtype.startswith("float"):
            values = self.numbers.standard_normal(shape) * 3
            if self.random.random() < 0.3:
                odd = self.numbers.choice([np.nan, np.inf, -np.inf, 0.0, -0.0], shape)
                values = np.where(self.numbers.random(shape) < 0.2, odd, values)
        values = np.asarray(values).astype(dtype)
        if values.ndim and self.random.random() < 0.1:
            return values[::-1]
        return values.T if self.random.random() < 0.2 else values

    def beside(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """A shape that broadcasts to this one."""
        sizes = [1 if self.random.random() < 0.3 else size for size in shape]
        return tuple(sizes[self.random.randint(0, len(sizes)) :])

    def axis(self, rank: int) -> int | None:
        return self.random.choice([None, *range(-rank, rank)])

    def axes(self, rank: int) -> int | tuple[int, ...] | None:
        if rank > 1 and self.random.random() < 0.3:
            some = self.random.sample(range(rank), self.random.randint(1, rank))
            return tuple(self.random.choice([axis, axis - rank]) for axis in some)
        return self.axis(rank)

    # ---- calls

    def of_one(self) -> Call:
        return Call(self.random.choice(OF_ONE), [self.array()], {})

    def of_two(self) -> Call:
        x = self.array()
        y: Any = self.array(self.beside(x.shape))
        if self.random.random() < 0.2:
            y = self.random.choice([2, 1.5, True, False])
        return Call(self.random.choice(OF_TWO), [x, y], {})

    def reduction(self) -> Call:
        x = self.array(self.shape(least=1))
        if 0 in x.shape:
            x = self.array((2, 3))
        options: dict[str, Any] = {"axis": self.axes(x.ndim)}
        if self.random.random() < 0.4:
            options["keepdims"] = True
        name = self.random.choice(REDUCTIONS + SPREADS)
        if name in SPREADS and self.random.random() < 0.5:
            options["ddof"] = self.random.randint(0, 2)
        return Call(name, [x], options)

    def order(self) -> Call:
        x = self.array()
        return Call(
            self.random.choice(["sort", "cumsum", "cumprod"]), [x], {"axis": self.axis(x.ndim)}
        )

    def layout(self) -> Call:
        x = self.array(self.shape(least=1))
        n = x.ndim
        one, other = self.random.randint(-n, n - 1), self.random.randint(-n, n - 1)
        return self.random.choice(
            [
                Call("transpose", [x], {"axes": tuple(self.random.sample(range(n), n))}),
                Call("swapaxes", [x, one, other], {}),
                Call("moveaxis", [x, one, other], {}),
                Call("expand_dims", [x, self.random.randint(-n - 1, n)], {}),
                Call("squeeze", [x], {}),
                Call("flip", [x], {"axis": self.axes(n)}),
                Call("roll", [x, self.random.randint(-5, 5)], {"axis": self.axis(n)}),
                Call("repeat", [x, self.random.randint(0, 3)], {"axis": self.axis(n)}),
                Call("reshape", [x, x.shape[::-1]], {}),
                Call("rot90", [self.array((*x.shape, 2))], {"k": self.random.randint(-4, 4)}),
                Call("append", [x, self.array()], {}),
                Call("tril", [self.array((*x.shape, 3, 4))], {"k": self.random.randint(-4, 4)}),
                Call("triu", [self.array((*x.shape, 3, 4))], {"k": self.random.randint(-4, 4)}),
            ]
        )

    def joined(self) -> Call:
        shape = self.shape(least=1)
        xs = [self.array(shape) for _ in range(self.random.randint(1, 3))]
        axis = self.random.randint(-len(shape), len(shape) - 1)
        return Call(
            self.random.choice(["stack", "concatenate"]),
            [[np.ascontiguousarray(x).reshape(shape) for x in xs]],
            {"axis": axis},
        )

    def chosen(self) -> Call:
        x = self.array()
        if self.random.random() < 0.5:
            place = self.array(self.beside(x.shape), "bool")
            return Call("where", [place, x, self.array(self.beside(x.shape))], {})
        bounds = [self.random.choice([-1, 0, 0.5]), self.random.choice([2, 1.5, 1])]
        return Call("clip", [x, *bounds], {})

    def product(self) -> Call:
        before = self.shape(2)
        n, m, p = (self.random.choice([0, 1, 2, 3]) for _ in range(3))
        dtype = self.random.choice(["float32", "float64", "int32"])
        a, b = (
            self.numbers.integers(-5, 6, shape).astype(dtype)
            for shape in ((*before, n, m), (*self.beside(before), m, p))
        )
        return Call("matmul", [a, b], {})

    def index(self) -> Call:
        x = self.array()
        places: list[Any] = []
        for size in x.shape[: self.random.randint(0, x.ndim)]:
            bounds = [self.random.choice([None, 0, 1, 2, -1, -2, 10]) for _ in range(2)]
            kinds: list[Any] = [slice(*bounds, self.random.choice([None, 1, 2, -1, -2])), None]
            if size:
                kinds.append(self.random.randint(-size, size - 1))
                kinds.append(self.numbers.integers(-size, size, (2,)))
            places.append(self.random.choice(kinds))
        if self.random.random() < 0.2:
            places.append(Ellipsis)
        return Call("index", [x, tuple(places)], {})

    def call(self) -> Call:
        kinds: list[Callable[[], Call]] = [
            *(self.of_one, self.of_two, self.reduction, self.order, self.layout),
            *(self.joined, self.chosen, self.product, self.index),
        ]
        return self.random.choice(kinds)()


def run(module: Any, call: Call) -> Any:
    def converted(value: Any) -> Any:
        if isinstance(value, list):
            return [converted(each) for each in value]
        return ct.Variable(value) if isinstance(value, np.ndarray) and module is ct else value

    if call.name == "index":
        return converted(call.arguments[0])[call.arguments[1]]
    arguments = [converted(each) for each in call.arguments]
    return getattr(module, call.name)(*arguments, **call.options)


def is_rough(call: Call, expected: np.ndarray) -> bool:
    """Whether somebody computes in half or single precision: NumPy gives float16 of int8."""
    arrays = [each for each in call.arguments if isinstance(each, np.ndarray)]
    return any(each.dtype != np.float64 for each in [*arrays, expected])


def difference(call: Call) -> str:
    """What is wrong with Catena's result; "" where nothing is."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            expected = np.asarray(run(np, call))
        except (TypeError, ValueError, IndexError):
            return ""  # What NumPy refuses is not asked here.
        try:
            result = run(ct, call).numpy()
        except Exception as error:
            return f"{type(error).__name__}: {error}"
        if result.shape != expected.shape:
            return f"shape {result.shape}, NumPy has {expected.shape}"
        if expected.dtype == bool and result.dtype != bool:
            return f"dtype {result.dtype}, NumPy has {expected.dtype}"
        tolerance = 1e-9
        if expected.dtype == np.float16:
            tolerance = 2e-2
        elif is_rough(call, expected):
            tolerance = 2e-4
        wide = [each.astype(np.float64) for each in (result, expected)]
        if np.allclose(*wide, rtol=tolerance, atol=tolerance, equal_nan=True):
            return ""
        return f"{result.ravel()[:8]}, NumPy has {expected.ravel()[:8]}"


def text(call: Call) -> str:
    def short(value: Any) -> str:
        if isinstance(value, list):
            return "[" + ", ".join(map(short, value)) + "]"
        if isinstance(value, np.ndarray):
            return f"{value.dtype}{list(value.shape)}={value.ravel()[:6]}"
        return repr(value)

    given = [*map(short, call.arguments), *(f"{k}={v!r}" for k, v in call.options.items())]
    return f"{call.name}({', '.join(given)})"


def differences(seed: int, count: int) -> list[str]:
    draw = Draw(seed)
    found = []
    for _ in range(count):
        call = draw.call()
        if wrong := difference(call):
            found.append(f"{text(call)}: {wrong}")
    return found


@pytest.mark.parametrize("seed", range(4))
def test_functions_of_numpys_names_give_numpys_results(seed: int) -> None:
    assert differences(seed, 600) == []


def test_the_comparison_sees_a_wrong_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ct, "cos", ct.sin)
    monkeypatch.setattr(ct, "sum", lambda x, **options: ct.mean(x, **options))
    names = {each.split("(")[0] for each in differences(0, 2000)}
    assert {"cos", "sum"} <= names


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=20_000)
    given = parser.parse_args()
    found = differences(given.seed, given.count)
    print("\n".join(found[:50]))
    print(f"{given.count} calls, {len(found)} differ")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
