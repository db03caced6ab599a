"""One call as slices of time: the region, its code, its program, and the launches."""

from __future__ import annotations

from typing import Any

from draw import Svg, width_of, write
from step import files, slices


def draw(events: list[dict[str, Any]]) -> Svg:
    call = min((e for e in events if e["name"] == "call step"), key=lambda e: e["dur"])
    begin, length = call["ts"], call["dur"]
    inside = [e for e in events if begin <= e["ts"] and e["ts"] + e["dur"] <= begin + length]
    left, width, height = 20, 760, 30
    ends: list[float] = []
    depth_of: list[tuple[dict[str, Any], int]] = []
    for event in inside:
        while ends and event["ts"] >= ends[-1] - 1e-6:
            ends.pop()
        depth_of.append((event, len(ends)))
        ends.append(event["ts"] + event["dur"])
    depth = max(d for _, d in depth_of)
    svg = Svg(left * 2 + width, 60 + height * (depth + 1), "One call as slices of time")
    for event, level in depth_of:
        x = left + width * (event["ts"] - begin) / length
        shown = width * event["dur"] / length
        kind = "abcd"[min(level, 3)] if level < 3 else ("d" if "library" in event["cat"] else "c")
        name = f"{event['name']}: {event['dur']:.0f} us"
        svg.box(x, 16 + height * level, shown, height - 4, kind, name)
        if width_of(event["name"], 11) < shown - 6:
            svg.text(x + 4, 33 + height * level, event["name"], "small code")
    y = 34 + height * (depth + 1)
    svg.line([(left, y - 12), (left + width, y - 12)])
    svg.text(left, y + 6, "0", "small faint")
    svg.text(left + width, y + 6, f"{length:.0f} us", "small faint", "end")
    return svg


def make() -> Svg:
    return draw(slices(files()["trace"]))


if __name__ == "__main__":
    write("timeline", make())
