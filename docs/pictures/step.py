"""The training step that several pictures show, what the compiler wrote of it, and its times."""

from __future__ import annotations

import json
from typing import Any

from draw import run

PROGRAM = """import catena as ct, numpy as np, json, pathlib
from catena import nn, optim

np.random.seed(0)
net = nn.Sequential(nn.Linear(256, 256), ct.relu, nn.Linear(256, 16))
sgd = optim.SGD(0.1).setup(net)

@ct.jit
def step(x, t):
    loss = ct.mean_squared_error(net(x), t)
    net.cleargrads()
    loss.backward()
    sgd.update()
    return loss

x = ct.Variable(np.random.normal(size=(256, 256)).astype(np.float32), requires_grad=False)
t = ct.Variable(np.zeros((256, 16), np.float32), requires_grad=False)
with ct.profile_scope():
    for i in range(6):
        step(x, t)
step.profile().save("trace.json")
read = lambda name: next(pathlib.Path("dump/step").glob(name)).read_text()
files = {"fuse": read("*-fuse.mlir"), "schedule": read("*schedule.txt")}
json.dump(files | {"trace": json.load(open("trace.json"))}, open("files.json", "w"))
"""


def files() -> dict[str, Any]:
    """The program with its groups, its schedule, and a trace of six calls."""
    return dict(json.loads(run(PROGRAM, "files.json")))


def slices(trace: dict[str, Any]) -> list[dict[str, Any]]:
    """Of the thread that called, in the order of their beginnings; times in microseconds. Without
    the profile's own measuring of the machine, which is no part of a call."""
    all_of_it = [e for e in trace["traceEvents"] if e["ph"] == "X" and e["tid"] == 0]
    own = sorted(((e["ts"], e["dur"]) for e in all_of_it if e["cat"] == "measure"), reverse=True)
    found = [e for e in all_of_it if e["cat"] != "measure"]
    for begin, length in own:
        for event in found:
            if event["ts"] > begin:
                event["ts"] -= length
            elif event["ts"] + event["dur"] > begin:
                event["dur"] -= length
    return sorted(found, key=lambda e: (e["ts"], -e["dur"]))
