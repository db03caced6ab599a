"""What small operations cost from Python, in NumPy additions of four floats.

    PYTHONPATH=build/python python benchmarks/python/operations.py

Each is timed in turn with the addition, so that a busy machine slows both alike; the medians of the
ratios are printed, with their first and third quartiles.
"""

from __future__ import annotations

import statistics
import timeit
from collections.abc import Callable

import catena as ct
import numpy as np

TURNS = 41
CALLS = 20_000


def seconds(f: Callable[[], object]) -> float:
    """Of one call."""
    return timeit.timeit(f, number=CALLS) / CALLS


def rows() -> dict[str, Callable[[], object]]:
    four = ct.Variable(np.ones(4, "float32"), requires_grad=False)
    trained = ct.Variable(np.ones(4, "float32"))
    square = ct.Variable(np.ones((8, 8), "float32"), requires_grad=False)
    relu, linear = ct.relu, ct.linear
    return {
        "relu of 4 floats": lambda: relu(four),
        "x + y of 4 floats": lambda: four + four,
        "x + 1 of 4 floats": lambda: four + 1,
        "relu of 4 floats, with its graph": lambda: relu(trained),
        "linear of 8x8": lambda: linear(square, square),
        "x[0]": lambda: four[0],
        "x.array": lambda: four.array,
        "x.shape": lambda: four.shape,
    }


def main() -> None:
    a = np.ones(4, "float32")

    def add() -> object:
        return a + a

    base = []
    for name, f in rows().items():
        ratios = []
        for _ in range(TURNS):
            one = seconds(add)
            base.append(one)
            ratios.append(seconds(f) / one)
        low, middle, high = statistics.quantiles(ratios, n=4)
        print(f"{name:34s} {middle:6.2f}   ({low:.2f} to {high:.2f})")
    print(f"one NumPy addition of 4 floats: {statistics.median(base) * 1e9:.0f} ns")


if __name__ == "__main__":
    main()
