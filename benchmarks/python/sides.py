"""The sides of a comparison: commands that compute the same step, and what they took."""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field

Numbers = dict[str, float]


def last_line(command: list[str]) -> Numbers:
    """The JSON that a process prints last, and `cpu_s`, the seconds that processors worked for it.
    RuntimeError with its errors where it fails."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stderr}")
    numbers: Numbers = json.loads(done.stdout.strip().splitlines()[-1])
    numbers["cpu_s"] = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return numbers


@dataclass
class Side:
    """One way to compute a workload: a command, for a workload and seconds, that prints a line of
    JSON with its milliseconds `ms`, the least `min_ms`, and the number of steps `n`."""

    title: str
    command: Callable[[str, float], list[str]]
    runs: dict[str, list[Numbers]] = field(default_factory=dict)

    def run(self, workload: str, seconds: float, by_cpu: bool) -> None:
        """Adds a measurement. `by_cpu`: milliseconds that processors worked for a step, by a short
        and a long run; on a busy machine the clock goes on while others work."""
        numbers = last_line(self.command(workload, seconds))
        if by_cpu:
            shorter = last_line(self.command(workload, seconds / 5))
            steps = numbers["n"] - shorter["n"]
            if steps <= 0:
                raise RuntimeError(f"{workload}, {self.title}: --seconds should be longer")
            numbers["ms"] = numbers["min_ms"] = (numbers["cpu_s"] - shorter["cpu_s"]) / steps * 1e3
        self.runs.setdefault(workload, []).append(numbers)

    def ms(self, workload: str) -> float:
        return statistics.median(run["ms"] for run in self.runs[workload])

    def least_ms(self, workload: str) -> float:
        return min(run["min_ms"] for run in self.runs[workload])


def ratio(above: Side, below: Side, workload: str) -> tuple[float, float, float]:
    """First quartile, median and third quartile of the turns' ratios."""
    pairs = zip(above.runs[workload], below.runs[workload], strict=True)
    ratios = [a["ms"] / b["ms"] for a, b in pairs]
    if len(ratios) == 1:
        return (ratios[0],) * 3
    low, middle, high = statistics.quantiles(ratios, n=4, method="inclusive")
    return low, middle, high
