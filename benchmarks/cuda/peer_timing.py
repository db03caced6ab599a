"""How peers.py measures: as `catena bench --json` does, one JSON object a line with its keys."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

Step = Callable[[], Any]


def say(**row: object) -> None:
    print(json.dumps(row), flush=True)


@dataclass
class Timing:
    """Takes times on a device. `ms` waits after every step, `pipelined_ms` once after many.

    A row that is begun later than `left` seconds after the start is left out and said; one that
    fails is told, and the others run.
    """

    device: str
    seconds: float
    left: float
    divisor: int
    wait: Callable[[], Any]
    after_row: Callable[[], Any] = lambda: None
    begin: float = field(default_factory=time.time)

    def cut(self, size: int) -> int:
        """A size, smaller where only a trial is wanted."""
        return max(1, size // self.divisor)

    def is_over(self) -> bool:
        return time.time() - self.begin > self.left

    def timed(self, step: Step) -> float:
        start = time.perf_counter()
        step()
        self.wait()
        return time.perf_counter() - start

    def times_of(self, step: Step) -> dict[str, float]:
        first = max(self.timed(step) for _ in range(4))
        alone: list[float] = []
        while sum(alone) < self.seconds or len(alone) < 5:
            alone.append(self.timed(step))
        count = max(5, int(self.seconds / (sum(alone) / len(alone))))
        start = time.perf_counter()
        for _ in range(count):
            step()
        self.wait()
        pipelined = (time.perf_counter() - start) / count
        return {
            "ms": round(sorted(alone)[len(alone) // 2] * 1e3, 4),
            "pipelined_ms": round(pipelined * 1e3, 4),
            "first_s": round(first, 2),
        }

    def measure(
        self,
        peer: str,
        workload: str,
        precision: str,
        make: Callable[[], Step],
        operations: float = 0.0,
        items: float = 0.0,
    ) -> None:
        """One line. `operations` of a step give TFLOP/s, `items` (images, words) a rate."""
        name = {"peer": peer, "workload": workload, "precision": precision}
        if self.is_over():
            say(**name, state="left out: no time is left")
            return
        try:
            times = self.times_of(make())
            row: dict[str, Any] = {**name, **times}
            if operations:
                row["tflops"] = round(operations / times["pipelined_ms"] / 1e9, 1)
            if items:
                row["items_per_s"] = round(items / times["pipelined_ms"] * 1e3)
            say(**row)
        except Exception as error:  # Of any library: the other rows are told.
            say(**name, state="failed: " + str(error).split("\n", 1)[0][:300])
        finally:
            self.after_row()
