"""The losses of 400 steps of the network of docs/first_hour/README.md, eager and compiled."""

from __future__ import annotations

import json
import math

from draw import Svg, run, write

PROGRAM = """
import json
import catena as ct
import numpy as np
from catena import nn, optim

i = np.arange(1000)
t = (i % 2).astype(np.int32)
turn = 0.5 + 2 * i / 1000
angle = np.pi * (turn + t)
x = np.stack([turn * np.cos(angle), turn * np.sin(angle)], 1).astype(np.float32)


def train(compiled):
    np.random.seed(0)
    net = nn.Sequential(nn.Linear(2, 32), ct.relu, nn.Linear(32, 32), ct.relu, nn.Linear(32, 2))
    adam = optim.Adam(0.01).setup(net)

    def step(x, t):
        loss = ct.softmax_cross_entropy(net(x), t)
        net.cleargrads()
        loss.backward()
        adam.update()
        return loss

    run = ct.jit(step) if compiled else step
    return [run(x, t).item() for _ in range(400)]


json.dump({"eager": train(False), "compiled": train(True)}, open("losses.json", "w"))
"""


def draw(losses: dict[str, list[float]]) -> Svg:
    left, top, width, height = 60, 36, 520, 240
    svg = Svg(left + width + 30, top + height + 50, "Losses of 400 steps, eager and compiled")
    lowest = math.floor(math.log10(min(min(values) for values in losses.values())))

    def at(step: int, loss: float) -> tuple[float, float]:
        return left + width * step / 400, top + height * math.log10(loss) / lowest

    for power in range(lowest, 1):
        y = at(0, 10**power)[1]
        svg.line([(left, y), (left + width, y)])
        svg.text(left - 8, y + 4, f"{10.0**power:g}", "small faint", "end")
    for step in range(0, 401, 100):
        svg.text(at(step, 1)[0], top + height + 18, str(step), "small faint", "middle")
    svg.text(left + width / 2, top + height + 38, "step", "small faint", "middle")
    svg.text(left - 8, top - 10, "loss", "small faint", "end")
    for (name, values), kind, y in zip(losses.items(), ("a", "b"), (40, 60), strict=True):
        svg.line([at(i, value) for i, value in enumerate(values)], f"stroke-{kind}")
        svg.line([(left + 380, top + y), (left + 420, top + y)], f"stroke-{kind}")
        svg.text(left + 430, top + y + 4, name)
    return svg


def make() -> Svg:
    return draw(json.loads(run(PROGRAM, "losses.json")))


if __name__ == "__main__":
    write("loss", make())
