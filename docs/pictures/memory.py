"""The memory plan of a step: when each array in between is alive, and where it lies."""

from __future__ import annotations

import re
from dataclasses import dataclass

from draw import Svg, write
from step import files

_BUFFER = re.compile(r"(b\d+): (\d+) bytes, arena at (\d+),.*launches (\d+) to (\d+)")


@dataclass
class Buffer:
    name: str
    size: int
    offset: int
    first: int
    last: int


def buffers(schedule: str) -> tuple[int, list[Buffer]]:
    """The bytes of the block, and what lies in it."""
    total = int(schedule.split(maxsplit=1)[0])
    found = [Buffer(m[1], *map(int, m.groups()[1:])) for m in _BUFFER.finditer(schedule)]
    return total, found


def draw(schedule: str) -> Svg:
    total, found = buffers(schedule)
    launches = 1 + max(b.last for b in found)
    left, top, width, height = 80, 40, 640, 260
    svg = Svg(left + width + 20, top + height + 50, "The memory plan of a step")
    svg.box(left, top, width, height, "frame")
    for launch in range(launches):
        x = left + width * (launch + 0.5) / launches
        svg.text(x, top + height + 18, str(launch), "small faint", "middle")
    svg.text(left + width / 2, top + height + 38, "launch", "small faint", "middle")
    svg.text(left - 8, top + 10, f"{total // 1024} kB", "small faint", "end")
    svg.text(left - 8, top + height, "0", "small faint", "end")
    for i, buffer in enumerate(sorted(found, key=lambda b: -b.size)):
        x = left + width * buffer.first / launches
        y = top + height * (1 - (buffer.offset + buffer.size) / total)
        wide = width * (buffer.last + 1 - buffer.first) / launches
        tall = max(height * buffer.size / total, 1)
        hint = f"{buffer.name}: {buffer.size} bytes"
        svg.box(x + 1, y, wide - 2, tall, "abcd"[i % 4], hint)
        if tall > 14:
            svg.text(x + 6, y + tall / 2 + 4, f"{buffer.name}, {buffer.size // 1024} kB", "small")
    svg.text(
        left,
        26,
        f"arrays in between, {sum(b.size for b in found) // 1024} kB in all, in one "
        f"block of {total // 1024} kB",
        "small",
    )
    return svg


def make() -> Svg:
    return draw(files()["schedule"])


if __name__ == "__main__":
    write("memory", make())
