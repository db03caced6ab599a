#!/usr/bin/env python3
"""One training step of a network on many processes, simulated: how much of it is waiting?

    simulate.py                      the tables that docs/distributed.md shows
    simulate.py --network gpt2_small --link 10 --ranks 8,64,512 --dtype float16 --bucket 4
    simulate.py page [--check]       writes them into the page; --check: is it up to date?

Measured are the size of each gradient and when it is complete during backward (gradients.jsonl,
written by `ninja scaling_gradients`), and the seconds of a step on one GPU (STEPS). The rest is a
model:

- A transfer of `b` bytes takes alpha + b / bandwidth (Hockney 1994). GPUs of a node are connected
  by NVLink, nodes by one link each, which the node's GPUs share.
- An all-reduce is hierarchical: reduce-scatter inside the node, all-reduce between the nodes,
  all-gather inside. Between m nodes it is the faster of a ring, 2(m-1) alpha + 2(m-1)/m S/B, and
  of two trees, 2 ceil(log2 m) alpha + 2 S/B (Thakur et al. 2005; Sanders et al. 2009). The three
  parts follow one another, although libraries overlap them.
- Buckets are closed as Catena's multi-node optimizer closes them, and go over the link one after
  another: several in flight overlap their latencies, not their bytes nor their launches.
- Forward and backward take the same time on every rank: no rank is late, and data is there.

Needs nothing but Python 3.9.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
PAGE = HERE.parents[1] / "docs" / "distributed.md"
BYTES = {"float32": 4, "float16": 2, "bfloat16": 2}
MIB = 1 << 20


class Gradient(NamedTuple):
    elements: int
    at: float  # When it is complete, as a fraction of backward.


class Step(NamedTuple):
    """Seconds on one GPU: forward, backward, update."""

    forward: float
    backward: float
    update: float
    told_by: str

    @property
    def alone(self) -> float:
        return self.forward + self.backward + self.update


# Forward and backward are divided as measured on the CPU; the update is 1/40 of a step.
def step_of(network: Network, seconds: float, told_by: str) -> Step:
    update = seconds / 40
    forward = (seconds - update) * network.forward_share
    return Step(forward, seconds - update - forward, update, told_by)


class Network(NamedTuple):
    name: str
    gradients: list[Gradient]
    forward_share: float  # Of forward and backward.

    @property
    def elements(self) -> int:
        return sum(gradient.elements for gradient in self.gradients)


# Seconds of a step of one H100. The shorter it is, the less time there is to send.
STEPS = {
    "resnet50": [
        (0.0202, "64 images, bfloat16, measured with Catena"),
        (0.0091, "64 images, the fastest published (MLPerf)"),
    ],
    "gpt2_small": [
        (0.0730, "16x1024 words, bfloat16: 24 times the measured time of a block on 8x1024"),
    ],
}


@dataclass(frozen=True)
class Cluster:
    """Seconds and bytes per second. The defaults are rounded figures of an 8-GPU node with NVLink
    and of InfiniBand or RoCE between nodes; `alpha_far` contains the library's own work."""

    ranks: int
    node: int = 8
    alpha_near: float = 3e-6
    bandwidth_near: float = 300e9
    alpha_far: float = 8e-6
    bandwidth_far: float = 100e9 / 8
    launch: float = 10e-6  # Of each bucket: packing and starting it, while nothing else is sent.
    in_flight: int = 4
    all_reduce: str = "hierarchical"

    @property
    def nodes(self) -> int:
        return -(-self.ranks // self.node)


class Cost(NamedTuple):
    latency: float  # May overlap with another transfer.
    link: float  # During which the link is taken.


def hierarchical(cluster: Cluster, size: float) -> Cost:
    m, inside = cluster.nodes, min(cluster.ranks, cluster.node)
    near = 2 * (inside - 1) * cluster.alpha_near
    near += 2 * (inside - 1) / inside * size / cluster.bandwidth_near
    if m == 1:
        return Cost(0, near)
    ring = Cost(2 * (m - 1) * cluster.alpha_far, 2 * (m - 1) / m * size / cluster.bandwidth_far)
    trees = Cost(2 * math.ceil(math.log2(m)) * cluster.alpha_far, 2 * size / cluster.bandwidth_far)
    far = min(ring, trees, key=sum)
    return Cost(near + far.latency, far.link)


def pairs(cluster: Cluster, size: float) -> Cost:
    """Each rank sends each other one its part, twice: Catena's own sums in rank order. All the
    node's ranks send over its one link, and each message costs its sender and receiver alpha."""
    n, inside = cluster.ranks, min(cluster.ranks, cluster.node)
    part = size / n
    far = n - inside
    near = 2 * (inside - 1) * (cluster.alpha_near + part / cluster.bandwidth_near)
    return Cost(near, 2 * far * cluster.alpha_far + 2 * inside * far * part / cluster.bandwidth_far)


ALL_REDUCES = {"hierarchical": hierarchical, "pairs": pairs}


def check(cluster: Cluster) -> float:
    """Seconds until the ranks know that they make the same call: an all-reduce of a hash."""
    return math.ceil(math.log2(cluster.ranks)) * cluster.alpha_far if cluster.ranks > 1 else 0.0


def buckets(network: Network, dtype: str, bucket_bytes: float) -> list[tuple[int, float]]:
    """Bytes of each bucket, and when it is complete, as a fraction of backward: a bucket is closed
    when it holds that many bytes or more, the last one at the end."""
    closed: list[tuple[int, float]] = []
    size = 0
    for elements, at in network.gradients:
        size += elements * BYTES[dtype]
        if size >= bucket_bytes:
            closed.append((size, at))
            size = 0
    return [*closed, (size, 1.0)] if size else closed


class Simulated(NamedTuple):
    seconds: float  # Of a step.
    efficiency: float  # The step of one rank alone, divided by it.
    waited: float  # Between the end of backward and the last sum.


def simulate(
    network: Network, step: Step, cluster: Cluster, dtype: str, bucket_bytes: float
) -> Simulated:
    done = [0.0]
    link_free = 0.0
    for size, at in buckets(network, dtype, bucket_bytes) if cluster.ranks > 1 else []:
        cost = ALL_REDUCES[cluster.all_reduce](cluster, size)
        ready = at * step.backward
        if len(done) >= cluster.in_flight:
            ready = max(ready, done[-cluster.in_flight])
        begin = max(ready + check(cluster), link_free)
        link_free = begin + cluster.launch + cost.link
        done.append(max(done[-1], link_free + cost.latency))
    waited = max(0.0, done[-1] - step.backward)
    seconds = step.alone + waited
    return Simulated(seconds, step.alone / seconds, waited)


def best_bucket(network: Network, step: Step, cluster: Cluster, dtype: str) -> tuple[float, float]:
    """The best size of buckets in MiB, a power of two, and its efficiency. Of sizes that are equal
    to a thousandth, the largest: it sends the fewest messages."""
    sizes = [2.0**power for power in range(-2, 9)]
    results = [(simulate(network, step, cluster, dtype, s * MIB).efficiency, s) for s in sizes]
    highest = max(efficiency for efficiency, _ in results)
    return next((s, e) for e, s in reversed(results) if e > highest - 0.001)


def read_networks(path: Path = HERE / "gradients.jsonl") -> dict[str, Network]:
    networks = {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        try:
            row = json.loads(line)
            gradients = [Gradient(int(elements), float(at)) for elements, at in row["gradients"]]
            forward, backward = row["forward_seconds"], row["backward_seconds"]
            name = row["network"]
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(
                f"{path}:{number}: not a line of scaling_gradients: {error!r}"
            ) from None
        networks[name] = Network(name, gradients, forward / (forward + backward))
    return networks


# ---- tables

RANKS = (8, 16, 64, 256, 1024, 4096)
SETTINGS = (
    # network, number of its step in STEPS, Gbit/s of a node, dtype
    ("resnet50", 0, 100, "float32"),
    ("resnet50", 0, 100, "float16"),
    ("resnet50", 1, 100, "float16"),
    ("resnet50", 0, 10, "float16"),
    ("gpt2_small", 0, 100, "float32"),
    ("gpt2_small", 0, 100, "float16"),
    ("gpt2_small", 0, 10, "float16"),
)


def percent(efficiency: float) -> str:
    return f"{100 * efficiency:.0f}"


def efficiencies(networks: dict[str, Network]) -> str:
    lines = [
        "| step of one GPU | Gbit/s | sent as | " + " | ".join(f"{n:,}" for n in RANKS) + " |",
        "|---|---|---|" + "---|" * len(RANKS),
    ]
    for name, number, gbit, dtype in SETTINGS:
        step = step_of(networks[name], *STEPS[name][number])
        cells = []
        for n in RANKS:
            cluster = Cluster(n, bandwidth_far=gbit * 1e9 / 8)
            size, efficiency = best_bucket(networks[name], step, cluster, dtype)
            cells.append(f"{percent(efficiency)} ({size:g})")
        lines.append(
            f"| {name}, {step.alone * 1e3:.1f} ms: {step.told_by} | {gbit} | {dtype} | "
            + " | ".join(cells)
            + " |"
        )
    return "\n".join(lines) + "\n"


def ways(networks: dict[str, Network]) -> str:
    """What the number of buckets in flight and the kind of all-reduce are worth."""
    network = networks["resnet50"]
    step = step_of(network, *STEPS["resnet50"][0])
    lines = [
        "| ResNet-50, 100 Gbit/s, float16, buckets of 4 MiB | "
        + " | ".join(f"{n:,}" for n in RANKS)
        + " |",
        "|---|" + "---|" * len(RANKS),
    ]
    for title, change in (
        ("4 buckets in flight, hierarchical", {}),
        ("1 bucket in flight, hierarchical", {"in_flight": 1}),
        ("sums in rank order, between all pairs", {"all_reduce": "pairs"}),
    ):
        clusters = [replace(Cluster(n), **change) for n in RANKS]
        results = [simulate(network, step, each, "float16", 4 * MIB) for each in clusters]
        cells = [percent(result.efficiency) for result in results]
        lines.append(f"| {title} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def tables(networks: dict[str, Network]) -> str:
    return efficiencies(networks) + "\n" + ways(networks)


BEGIN, END = "<!-- simulated: begin -->\n", "<!-- simulated: end -->\n"


def page_with_tables(page: str, text: str) -> str:
    begin, end = page.find(BEGIN), page.find(END)
    if begin < 0 or end < begin:
        raise ValueError(f"{PAGE} has no place for the tables: {BEGIN.strip()} ... {END.strip()}")
    return page[: begin + len(BEGIN)] + "\n" + text + "\n" + page[end:]


def write_page(check_only: bool) -> int:
    page = PAGE.read_text()
    wanted = page_with_tables(page, tables(read_networks()))
    if page == wanted:
        return 0
    if check_only:
        sys.stderr.write(f"{PAGE} differs from what simulate.py tells: run `simulate.py page`\n")
        return 1
    PAGE.write_text(wanted)
    return 0


def one_setting(networks: dict[str, Network], given: argparse.Namespace) -> Iterable[str]:
    network = networks[given.network]
    step = step_of(network, *STEPS[given.network][0])
    if given.step_ms:
        step = step_of(network, given.step_ms / 1e3, "as given")
    yield f"{network.name}, {network.elements:,} parameters, {step.alone * 1e3:.1f} ms alone"
    for n in given.ranks:
        cluster = Cluster(
            n,
            node=given.node,
            bandwidth_far=given.link * 1e9 / 8,
            in_flight=given.in_flight,
            all_reduce=given.all_reduce,
        )
        size = given.bucket or best_bucket(network, step, cluster, given.dtype)[0]
        result = simulate(network, step, cluster, given.dtype, size * MIB)
        yield (
            f"{n:>6} ranks: {result.seconds * 1e3:8.2f} ms a step, "
            f"{percent(result.efficiency):>3} % of linear, {result.waited * 1e3:7.2f} ms waited, "
            f"buckets of {size:g} MiB"
        )


def whole_numbers(text: str) -> list[int]:
    numbers = [int(word) for word in text.split(",")]
    if any(n < 1 for n in numbers):
        raise argparse.ArgumentTypeError(f"numbers of ranks are at least 1: {text}")
    return numbers


def main() -> int:
    networks = read_networks()
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "what",
        nargs="?",
        choices=("tables", "page"),
        default="tables",
        help="print the tables (default), or write them into docs/distributed.md",
    )
    parser.add_argument(
        "--check", action="store_true", help="with page: only compare, status 1 if it differs"
    )
    parser.add_argument(
        "--network",
        choices=sorted(networks),
        help="print this one setting, by the options below, instead of the tables",
    )
    parser.add_argument(
        "--ranks", type=whole_numbers, default=list(RANKS), metavar="N,...", help="numbers of ranks"
    )
    parser.add_argument("--node", type=int, default=8, help="GPUs in a node")
    parser.add_argument("--link", type=float, default=100.0, help="Gbit/s of a node")
    parser.add_argument(
        "--dtype", choices=sorted(BYTES), default="float32", help="in which gradients are sent"
    )
    parser.add_argument("--bucket", type=float, help="MiB; default: the best")
    parser.add_argument("--in-flight", type=int, default=4, help="buckets on their way at a time")
    parser.add_argument(
        "--all-reduce",
        choices=sorted(ALL_REDUCES),
        default="hierarchical",
        help="within nodes first, or between all pairs of ranks",
    )
    parser.add_argument("--step-ms", type=float, help="time of a step on one GPU alone")
    given = parser.parse_args()
    if given.what == "page":
        return write_page(given.check)
    if given.network:
        print("\n".join(one_setting(networks, given)))
    else:
        print(tables(networks), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
