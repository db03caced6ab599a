"""What a program in Python pays beside its steps; workloads.py runs each in a process of its own.

PYTHONPATH=build/python python benchmarks/python/other_costs.py following
"""

from __future__ import annotations

import gc
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

from steps import seconds_of


def following(operations: int = 400, turns: int = 301) -> dict[str, float]:
    """Microseconds that an operation on 16 floats takes longer where a region follows it and
    compiled code computes it than where it is called eagerly; negative: it takes less time. And
    each of the two by itself, with the Python code around it."""
    import catena as ct
    import numpy as np

    x, y = (ct.Variable(np.ones(16, np.float32), requires_grad=False) for _ in range(2))

    def chain(x: Any, y: Any) -> ct.Variable:
        h = x
        for _ in range(operations // 2):
            h = (h + y) * y
        return h

    region = ct.jit(chain)
    for _ in range(4):
        region(x, y)
    eager, followed = [], []
    for _ in range(turns):
        eager.append(seconds_of(lambda: chain(x, y)))
        followed.append(seconds_of(lambda: region(x, y)))
    beyond = statistics.median(f - e for f, e in zip(followed, eager, strict=True))
    return {
        "us": beyond / operations * 1e6,
        "eager_us": statistics.median(eager) / operations * 1e6,
        "followed_us": statistics.median(followed) / operations * 1e6,
    }


def import_time() -> dict[str, float]:
    """Seconds of `import catena` where NumPy is imported already: the clock's, the processor's."""
    import numpy  # noqa: F401

    begin, begin_cpu = time.perf_counter(), time.process_time()
    import catena  # noqa: F401

    return {
        "seconds": time.perf_counter() - begin,
        "cpu_seconds": time.process_time() - begin_cpu,
    }


def resident_mb() -> float:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * 4096 / (1 << 20)


def memory_here(compiled: bool) -> dict[str, float]:
    """How much the 1,001st to the 10,000th step leave behind."""
    import catena_steps

    step = catena_steps.prepare("mushroom", compiled)

    def after(steps: int) -> tuple[float, int]:
        for _ in range(steps):
            step.run()
        gc.collect()
        return resident_mb(), len(gc.get_objects())

    (mb, objects), (mb_later, objects_later) = after(1000), after(9000)
    return {"more_mb": mb_later - mb, "more_objects": objects_later - objects}


def memory(kind: str) -> dict[str, float]:
    """The same in a process whose end is watched: nanobind reports there what was leaked."""
    command = [sys.executable, __file__, f"memory-{kind}-here"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    numbers: dict[str, float] = json.loads(done.stdout)
    leaks = [line for line in done.stderr.splitlines() if "nanobind: leaked" in line]
    sys.stderr.writelines(f"{line}\n" for line in leaks)
    return {**numbers, "leaked": sum(int(line.split()[2]) for line in leaks)}


COSTS: dict[str, Callable[[], dict[str, float]]] = {
    "following": following,
    "import": import_time,
    "memory-eager": lambda: memory("eager"),
    "memory-jit": lambda: memory("jit"),
    "memory-eager-here": lambda: memory_here(False),
    "memory-jit-here": lambda: memory_here(True),
}

if __name__ == "__main__":
    print(json.dumps(COSTS[sys.argv[1]]()))
