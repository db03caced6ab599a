"""The part of linear scaling that ResNet-50 reaches, by the number of ranks, as simulated by
benchmarks/scaling/simulate.py."""

from __future__ import annotations

import importlib.util
import math
import sys

from draw import FOLDER, Svg, write

_SCRIPT = FOLDER.parents[1] / "benchmarks" / "scaling" / "simulate.py"
_SPEC = importlib.util.spec_from_file_location("simulate", _SCRIPT)
assert _SPEC and _SPEC.loader
simulate = importlib.util.module_from_spec(_SPEC)
sys.modules["simulate"] = simulate
_SPEC.loader.exec_module(simulate)

RANKS = [2**power for power in range(13)]
CURVES = (
    # legend, class of the line, Gbit/s, dtype, all-reduce
    ("float16, 100 Gbit/s", "stroke-a", 100, "float16", "hierarchical"),
    ("float32, 100 Gbit/s", "stroke-b", 100, "float32", "hierarchical"),
    ("float16, 10 Gbit/s", "stroke-c", 10, "float16", "hierarchical"),
    ("float16, 100 Gbit/s, sums in rank order", "stroke-d", 100, "float16", "pairs"),
)
CHAINERMN = (128, 0.90)


def efficiency(ranks: int, gbit: float, dtype: str, all_reduce: str) -> float:
    network = simulate.read_networks()["resnet50"]
    step = simulate.step_of(network, *simulate.STEPS["resnet50"][0])
    cluster = simulate.Cluster(ranks, bandwidth_far=gbit * 1e9 / 8, all_reduce=all_reduce)
    return simulate.best_bucket(network, step, cluster, dtype)[1]


def make() -> Svg:
    left, top, width, height = 60, 30, 560, 260
    svg = Svg(left + width + 30, top + height + 150, "Part of linear scaling, ResNet-50, simulated")

    def at(ranks: float, part: float) -> tuple[float, float]:
        return left + width * math.log2(ranks) / 12, top + height * (1 - part)

    for hundredths in range(0, 101, 20):
        y = at(1, hundredths / 100)[1]
        svg.line([(left, y), (left + width, y)])
        svg.text(left - 8, y + 4, f"{hundredths} %", "small faint", "end")
    for ranks in RANKS[::2]:
        svg.text(at(ranks, 0)[0], top + height + 18, f"{ranks:,}", "small faint", "middle")
    svg.text(left + width / 2, top + height + 38, "ranks, 8 on a node", "small faint", "middle")
    svg.text(left, top - 12, "part of linear scaling", "small faint")
    y = top + height + 62
    for legend, kind, gbit, dtype, all_reduce in CURVES:
        svg.line([at(n, efficiency(n, gbit, dtype, all_reduce)) for n in RANKS], kind)
        svg.line([(left, y), (left + 36, y)], kind)
        svg.text(left + 46, y + 4, legend, "small")
        y += 18
    x, measured = at(*CHAINERMN)
    svg.box(x - 4, measured - 4, 8, 8, "d")
    svg.box(left + 14, y - 4, 8, 8, "d")
    svg.text(left + 46, y + 4, "measured by ChainerMN in 2017, other GPUs and network", "small")
    return svg


if __name__ == "__main__":
    write("scaling", make())
