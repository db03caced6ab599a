"""What it costs a compiled training step that memory which NumPy may write to is watched.

    PYTHONPATH=build/python python benchmarks/python/watched_memory.py [--turns 5] [--seconds 2]

Prints copies and comparisons, and microseconds of the steps of three networks without watching
(`watches_memory=False`), with it, and while a view of every parameter is alive. The batches are
Variables over slices of an ndarray that is alive. Every measurement is a process of its own, of one
thread, and in a turn all rows of a step run one after the other. A step's number is the median over
the turns of the fastest twentieth of the processor's times of a process, which a busy machine
disturbs least.
"""

from __future__ import annotations

import argparse
import ctypes
import functools
import gc
import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sides import last_line
from steps import seconds_of

BATCHES = 16
#: Numbers of floats: of a little, of a batch of 100 images of 28x28, of more than a cache holds.
COPIED = (1 << 12, 100 * 28 * 28, 1 << 20)


@dataclass
class Network:
    title: str
    shape: tuple[int, ...]  # Of a batch.
    make: Callable[[], tuple[Any, Any]]  # A model and its optimizer.


def perceptron(hidden: int) -> tuple[Any, Any]:
    import catena_steps
    from catena import optim

    return catena_steps.perceptron(784, hidden, 10), optim.Adam()


def lenet() -> tuple[Any, Any]:
    import catena_steps
    from catena import optim

    return catena_steps.LeNet(), optim.SGD(0.01)


NETWORKS = {
    "large": Network("784-1000-1000-10, batch 100, Adam", (100, 784), lambda: perceptron(1000)),
    "small": Network("784-100-100-10, batch 100, Adam", (100, 784), lambda: perceptron(100)),
    "lenet": Network("LeNet, batch 64, SGD", (64, 1, 28, 28), lenet),
}
HOW = {"off": "not watched", "on": "watched", "views": "with a view of every parameter alive"}


def step_here(network: Network, how: str, seconds: float) -> float:
    """Microseconds of the processor."""
    import catena as ct

    model, optimizer = network.make()
    optimizer.setup(model)

    def step(x: Any, t: Any) -> ct.Variable:
        model.cleargrads()
        loss = ct.softmax_cross_entropy(model(x), t)
        loss.backward()
        optimizer.update()
        return loss

    region = ct.jit(step, watches_memory=how != "off")
    random = np.random.default_rng(0)
    size = network.shape[0]
    images = random.random((BATCHES * size, *network.shape[1:]), np.float32)
    labels = random.integers(0, 10, BATCHES * size).astype(np.int32)

    def run(i: int) -> float:
        rows = slice(i % BATCHES * size, (i % BATCHES + 1) * size)
        begin = time.thread_time()
        region(
            ct.Variable(images[rows], requires_grad=False),
            ct.Variable(labels[rows], requires_grad=False),
        )
        return time.thread_time() - begin

    run(0)
    views = [p.array for p in model.parameters()] if how == "views" else []
    for i in range(30):
        run(i)
    gc.disable()
    times: list[float] = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(times) < 20:
        times.append(run(len(times)))
    del views
    return sorted(times)[len(times) // 20] * 1e6


def bytes_here() -> list[dict[str, float]]:
    """Microseconds of a copy and of a comparison, the least of many, by bytes."""
    library = ctypes.CDLL(None)
    rows = []
    for count in COPIED:
        a = np.random.default_rng(0).random(count, np.float32)
        b = np.zeros_like(a)
        arguments = (
            ctypes.c_void_p(b.ctypes.data),
            ctypes.c_void_p(a.ctypes.data),
            ctypes.c_size_t(a.nbytes),
        )
        row = {"bytes": float(a.nbytes)}
        for name in ("memcpy", "memcmp"):  # The comparison is of equal bytes: all are read.
            call = functools.partial(getattr(library, name), *arguments)
            row[name] = min(seconds_of(call) for _ in range(2000)) * 1e6
        rows.append(row)
    return rows


def measure_here(what: list[str], seconds: float) -> None:
    """What a child process does; Catena reads the number of threads when it is imported."""
    os.environ["OMP_NUM_THREADS"] = os.environ["CATENA_NUM_THREADS"] = "1"
    if what == ["bytes"]:
        print(json.dumps({"rows": bytes_here()}))
    else:
        name, how = what
        print(json.dumps({"us": step_here(NETWORKS[name], how, seconds)}))


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(NETWORKS)}; all")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2.0, help="of each measurement")
    parser.add_argument("--here", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.here:
        measure_here(options.here, options.seconds)
        return 0
    names: list[str] = options.names or list(NETWORKS)
    if unknown := [name for name in names if name not in NETWORKS]:
        parser.error(f"there is no step {', '.join(unknown)}; there are {', '.join(NETWORKS)}")

    def measured(*what: str) -> dict[str, Any]:
        command = [sys.executable, str(Path(__file__)), "--seconds", str(options.seconds)]
        return last_line([*command, "--here", *what])

    print("| bytes | copy | comparison |\n|---:|---:|---:|")
    for row in measured("bytes")["rows"]:
        print(f"| {row['bytes']:,.0f} | {row['memcpy']:.3g} | {row['memcmp']:.3g} |")
    print()
    print("| step | " + " | ".join(HOW.values()) + " |\n|---|" + "---:|" * len(HOW))
    for name in names:
        turns = [{how: measured(name, how)["us"] for how in HOW} for _ in range(options.turns)]
        cells = [f"{statistics.median(turn[how] for turn in turns):,.0f}" for how in HOW]
        print(f"| {NETWORKS[name].title} | " + " | ".join(cells) + " |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
