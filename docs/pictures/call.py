"""What happens at a call: the lines of a region, the operations that they record, and the kernels
that compute them."""

from __future__ import annotations

import json
import re

from draw import Svg, run, width_of, write

REGION = """\
def f(x, w):
    y = ct.tanh(x * w + 1)
    return ct.sum(y * y, axis=1)
"""
PROGRAM = f"""import catena as ct, numpy as np, json, pathlib
{REGION}
f = ct.jit(f)
data = lambda *shape: ct.Variable(np.ones(shape, np.float32), requires_grad=False)
f(data(100, 64), data(64))
read = lambda name: next(pathlib.Path("dump/f").glob(name)).read_text()
json.dump([read("*import.mlir"), read("*schedule.txt")], open("files.json", "w"))
"""
_OPERATION = re.compile(r'catena\.\w+ "(\w+)"\(.*-> tensor<(\w+)>.*// program\.py:(\d+)')


def operations(module: str) -> list[tuple[str, str, int]]:
    """Name, type of the result, and line, of what was recorded."""
    lines = [line for line in module.split("\n") if "catena.reshape" not in line]
    found = (_OPERATION.search(line) for line in lines)
    return [(m[1], m[2].replace("x1xf32", "xf32"), int(m[3]) - 1) for m in found if m]


def draw(module: str, schedule: str) -> Svg:
    recorded = operations(module)
    kernels = re.findall(r"  (kernel \d+), \d+ units: ([^/]*?) +//", schedule)
    lines = REGION.rstrip().split("\n")
    svg = Svg(800, 90 + 40 * len(recorded), "Code, recorded operations and kernels")
    columns = (20, 300, 560)
    heads = ("the code runs", "what is recorded (pending arrays)", "what computes it, at the end")
    for x, head in zip(columns, heads, strict=True):
        svg.text(x, 28, head, "bold")
    middle = 60 + 40 * (len(recorded) - 1) / 2
    for i, line in enumerate(lines):
        svg.text(columns[0], middle + 30 * (i - len(lines) / 2) + 20, line, "code")
    svg.box(columns[2], 52, 210, 40 * len(recorded) - 12, "c")
    for i, (name, reads) in enumerate(kernels):
        y = middle + 40 * (i - len(kernels) / 2) + 20
        svg.text(columns[2] + 105, y, f"{name}: one loop", "bold", "middle")
        svg.text(columns[2] + 105, y + 18, reads.replace("->", "→"), "code small", "middle")
    for i, (name, shape, line) in enumerate(recorded):
        y = 52 + 40 * i
        begin = columns[0] + width_of(lines[line - 1]) + 4
        row = middle + 30 * (line - 1 - len(lines) / 2) + 16
        svg.line([(begin, row), (columns[1] - 30, row), (columns[1] - 8, y + 14)])
        svg.box(columns[1], y, 200, 28, "a")
        svg.text(columns[1] + 10, y + 18, name.replace("_scalar", ""), "code")
        svg.text(columns[1] + 192, y + 18, f"[{shape.removesuffix('xf32')}]", "small faint", "end")
        svg.line([(columns[1] + 200, y + 14), (columns[2] - 4, y + 14)])
    y = 76 + 40 * len(recorded)
    svg.text(
        columns[0], y, "Each line gives an array at once, whose elements come later.", "small faint"
    )
    return svg


def make() -> Svg:
    module, schedule = json.loads(run(PROGRAM, "files.json"))
    return draw(module, schedule)


if __name__ == "__main__":
    write("call", make())
