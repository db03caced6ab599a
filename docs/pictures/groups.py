"""The operations of a training step, in the groups that kernels compute, and the library calls."""

from __future__ import annotations

import re

from draw import Svg, width_of, write
from step import PROGRAM, files

_OPERATION = re.compile(r'= catena\.(\w+) "([\w.]+)"')
_LINE = re.compile(r"// program\.py:(\d+)")


def groups(module: str) -> list[tuple[bool, list[str], list[int]]]:
    """In order: whether it is a group, its operations, and their lines."""
    found: list[tuple[bool, list[str], list[int]]] = []
    for line in module.split("\n"):
        operation = _OPERATION.search(line)
        if not operation or operation[1] == "reshape":
            continue
        place = [int(number) for number in _LINE.findall(line)]
        if operation[1] == "group":
            found.append((True, [], place))
        elif line.startswith("    ") and found and found[-1][0]:
            found[-1][1].append(operation[2])
            found[-1][2].extend(place)
        else:
            found.append((False, [operation[2]], place))
    return found


def named(operation: str) -> str:
    return operation.replace("_scalar", "").replace(".gx0", "'")


def draw(module: str) -> Svg:
    code = PROGRAM.split("\n")
    rows = groups(module)
    left, width = 300, 470
    placed, y = [], 48.0
    for is_group, names, lines in rows:
        chips, x, line = [], left + 10, 0
        for name in names:
            size = width_of(named(name), 12) + 14
            if x + size > left + width - 10:
                x, line = left + 10, line + 1
            chips.append((x, line, size, named(name)))
            x += size + 8
        height = 36 + 28 * line
        placed.append((y, height, is_group, chips, sorted(set(lines))))
        y += height + 12
    svg = Svg(left + width + 20, y + 4, "Recorded operations and the groups that they form")
    svg.text(20, 28, "lines of the step", "bold")
    svg.text(left, 28, "kernels (frames) and calls of a library", "bold")
    for y, height, is_group, chips, lines in placed:
        for i, line in enumerate(lines):
            offset = y + height / 2 + 5 + 17 * (i - (len(lines) - 1) / 2)
            svg.text(20, offset, code[line - 1].strip(), "code small")
        if is_group:
            svg.box(left, y, width, height, "frame")
        for x, line, size, name in chips:
            svg.box(x, y + 6 + 28 * line, size, 24, "a" if is_group else "b")
            svg.text(x + 7, y + 22 + 28 * line, name, "code small")
    return svg


def make() -> Svg:
    return draw(files()["fuse"])


if __name__ == "__main__":
    write("groups", make())
