"""Training steps from Python beside the same steps in C++ and in PyTorch.

    PYTHONPATH=build/python python benchmarks/python/workloads.py --catena build/bin/catena \\
        --torch ~/.cache/catena-peers/torch/bin/python [--compile] [--turns 7] [NAME ...]

Every measurement is a process of its own. In a turn all sides of a workload run one after the
other, so that a busy machine slows them alike; each number is the median of the turns, each ratio
the median of the turns' ratios. Without --catena or --torch those columns are left out. On a busy
machine `--cpu --threads 1` compares the time that processors worked for a step. Then what else a
program in Python pays: following its operations, the import, and memory over 10,000 steps.
The exit status is 1 where a goal is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sides import Numbers, Side, last_line, ratio
from steps import NAMES, measured

HERE = Path(__file__)


def sides_of(options: argparse.Namespace) -> dict[str, Side]:
    Command = Callable[[str, float], list[str]]

    def timed(first: list[str], last: list[str]) -> Command:
        threads = ["--threads", str(options.threads)]
        return lambda name, seconds: [*first, *threads, "--seconds", str(seconds), *last, name]

    def in_python(interpreter: str, side: str) -> Command:
        return timed([interpreter, str(HERE)], ["--here", side])

    def in_cpp(variant: str) -> Command:
        return timed([options.catena, "bench"], ["--variant", variant, "--here"])

    sides = {
        "eager": Side("eager", in_python(sys.executable, "eager")),
        "jit": Side("`@ct.jit`", in_python(sys.executable, "jit")),
    }
    if options.catena:
        sides["cpp_eager"] = Side("C++ eager", in_cpp("eager"))
        sides["cpp_step"] = Side("C++ step", in_cpp("step"))
    if options.torch:
        sides["torch"] = Side("PyTorch", in_python(options.torch, "torch"))
        if options.compile:
            sides["torch_compile"] = Side("torch.compile", in_python(options.torch, "compile"))
    return sides


def measure_here(options: argparse.Namespace) -> None:
    """What a child process does."""
    os.environ["CATENA_NUM_THREADS"] = str(options.threads)
    (workload,) = options.names
    if options.here in ("torch", "compile"):
        import torch_steps

        step = torch_steps.prepare(workload, options.here == "compile", options.threads)
    else:
        import catena_steps

        step = catena_steps.prepare(workload, options.here == "jit")
    print(json.dumps(measured(step, options.seconds)))


@dataclass
class Check:
    """One goal: what was measured, and what it should be at most."""

    what: str
    value: float
    most: float
    unit: str = ""

    @property
    def is_met(self) -> bool:
        return self.value <= self.most

    def __str__(self) -> str:
        verdict = "met" if self.is_met else "**missed**"
        value, most = (f"{number:.3g}{self.unit}" for number in (self.value, self.most))
        return f"| {self.what} | {value} | {most} | {verdict} |"


# Python's step beside the same in C++, both compiled; mushroom's has a goal in microseconds.
# char_rnn's: beside PyTorch at most 5 % less than C++ has there.
MOST_OVER_CPP = {"mlp": 1.03, "lenet": 1.03, "char_rnn": 1 / 0.95}
MOST_MICROSECONDS_OVER_CPP = {"mushroom": 40.0}
# PyTorch's shorter time beside Python's: of small_ops a goal of its own.
LEAST_OF_TORCH = {"small_ops": 5.0}


def checks_of(sides: dict[str, Side], workload: str) -> list[Check]:
    checks = []
    jit = sides["jit"]
    if cpp := sides.get("cpp_step"):
        if most := MOST_OVER_CPP.get(workload):
            value = ratio(jit, cpp, workload)[1]
            checks.append(Check(f"`{workload}`: `@ct.jit` over C++", value, most))
        if most := MOST_MICROSECONDS_OVER_CPP.get(workload):
            pairs = zip(jit.runs[workload], cpp.runs[workload], strict=True)
            beyond = statistics.median((a["ms"] - b["ms"]) * 1e3 for a, b in pairs)
            checks.append(Check(f"`{workload}`: `@ct.jit` beyond C++", beyond, most, " us"))
    if (least := LEAST_OF_TORCH.get(workload)) and (torch := sides.get("torch")):
        value = ratio(jit, torch, workload)[1]
        checks.append(Check(f"`{workload}`: `@ct.jit` over PyTorch", value, 1 / least))
    return checks


PAIRS = (
    ("`@ct.jit` / C++", "jit", "cpp_step"),
    ("eager / C++", "eager", "cpp_eager"),
    ("PyTorch / `@ct.jit`", "torch", "jit"),
    ("PyTorch / eager", "torch", "eager"),
    ("torch.compile / `@ct.jit`", "torch_compile", "jit"),
)
"""Titles of ratios, and the keys of the sides above and below the line."""


def print_rows(title: str, columns: list[str], rows: dict[str, list[str]]) -> None:
    print(f"| {title} | " + " | ".join(columns) + " |")
    print("|---|" + "--:|" * len(columns))
    for name, cells in rows.items():
        print(f"| `{name}` | " + " | ".join(cells) + " |")
    print()


def print_times(sides: dict[str, Side], names: list[str], by_cpu: bool) -> None:
    pairs = [pair for pair in PAIRS if pair[1] in sides and pair[2] in sides]
    times = {name: [f"{side.ms(name):.4g}" for side in sides.values()] for name in names}
    print_rows(
        f"median ms{' of processors' if by_cpu else ''}",
        [side.title for side in sides.values()],
        times,
    )
    ratios: dict[str, list[str]] = {name: [] for name in names}
    for name, cells in ratios.items():
        for _, above, below in pairs:
            low, middle, high = ratio(sides[above], sides[below], name)
            least = sides[above].least_ms(name) / sides[below].least_ms(name)
            cells.append(f"{middle:.2f} ({low:.2f} to {high:.2f}), {least:.2f}")
    print("Medians of the turns' ratios with their quartiles, and the ratio of the least times:\n")
    print_rows("ratio", [title for title, _, _ in pairs], ratios)


def print_other_costs(options: argparse.Namespace) -> list[Check]:
    """What is no workload's time; each taken in processes of its own, several times."""

    def runs(what: str) -> list[Numbers]:
        command = [sys.executable, str(HERE.with_name("other_costs.py")), what]
        return [last_line(command) for _ in range(options.turns)]

    following = statistics.median(run["us"] for run in runs("following"))
    clock = "cpu_seconds" if options.cpu else "seconds"
    imported = min(run[clock] for run in runs("import"))
    checks = [
        Check("following, an operation beyond eager", following, 0.15, " us"),
        Check("`import catena` beyond NumPy, the least of the turns", imported, 0.15, " s"),
    ]
    for what in ("eager", "jit"):
        command = [sys.executable, str(HERE.with_name("other_costs.py")), f"memory-{what}"]
        memory = last_line(command)
        title = f"{what}: 9,000 further steps of `mushroom`"
        checks += [
            Check(f"{title}, more memory", memory["more_mb"], 1, " MB"),
            Check(f"{title}, more objects of Python", memory["more_objects"], 0),
            Check(f"{title}, objects that nanobind finds leaked", memory["leaked"], 0),
        ]
    return checks


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(NAMES)}; all")
    parser.add_argument("--catena", help="the tool `catena` of the same build")
    parser.add_argument("--torch", help="a Python interpreter that has PyTorch")
    parser.add_argument("--compile", action="store_true", help="also torch.compile")
    parser.add_argument("--turns", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=1.0, help="of each measurement")
    parser.add_argument(
        "--cpu", action="store_true", help="the processors' time instead of the clock's"
    )
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--json", help="a file for the numbers of all processes")
    parser.add_argument(
        "--here", choices=["eager", "jit", "torch", "compile"], help=argparse.SUPPRESS
    )
    options = parser.parse_args()
    unknown = [name for name in options.names if name not in NAMES]
    if unknown:
        parser.error(f"there is no workload {', '.join(unknown)}; there are {', '.join(NAMES)}")
    return options


def main() -> int:
    options = arguments()
    if options.here:
        measure_here(options)
        return 0
    sides = sides_of(options)
    names: list[str] = options.names or list(NAMES)
    for turn in range(options.turns):
        for name in names:
            for side in sides.values():
                print(f"turn {turn + 1}: {name}, {side.title}", file=sys.stderr)
                side.run(name, options.seconds, options.cpu)
    if options.json:
        record: dict[str, Any] = {key: side.runs for key, side in sides.items()}
        Path(options.json).write_text(json.dumps(record), encoding="utf-8")
    print_times(sides, names, options.cpu)
    checks = [check for name in names for check in checks_of(sides, name)]
    if not options.names:
        checks += print_other_costs(options)
    print("| goal | measured | at most | |\n|---|--:|--:|---|")
    print("\n".join(map(str, checks)))
    return 0 if all(check.is_met for check in checks) else 1


if __name__ == "__main__":
    sys.exit(main())
