"""What the workloads of all frameworks share: what a step is, and how long it takes."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

NAMES = ("mushroom", "mlp", "lenet", "char_rnn", "small_ops")


@dataclass
class Step:
    """One training iteration; after `cycle` of them the sizes come again."""

    run: Callable[[], object]
    cycle: int = 1


def text_lengths() -> list[int]:
    """Of char_rnn's batches: 20 to 60 characters."""
    return [20 + (37 * i + 11) % 41 for i in range(64)]


def seconds_of(run: Callable[[], object]) -> float:
    begin = time.perf_counter()
    run()
    return time.perf_counter() - begin


def measured(step: Step, seconds: float) -> dict[str, float]:
    """Median and least milliseconds, as `catena bench` takes them: after four steps, or two of each
    size, for some seconds, each size equally often."""
    first = max(seconds_of(step.run) for _ in range(max(4, 2 * step.cycle)))
    times: list[float] = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(times) < 5 or len(times) % step.cycle:
        times.append(seconds_of(step.run))
    return {
        "ms": statistics.median(times) * 1e3,
        "min_ms": min(times) * 1e3,
        "first_s": first,
        "n": len(times),
    }
