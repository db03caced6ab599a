"""A first call and later ones, on a time axis."""

from __future__ import annotations

from typing import Any

from draw import Svg, write
from step import files, slices

_KINDS = {"the user's code of step": "a", "compile step": "b", "program step": "c"}
_NAMES = {"a": "the code runs, its operations are noted", "b": "compiled", "c": "the program runs"}


def draw(events: list[dict[str, Any]]) -> Svg:
    calls = [e for e in events if e["name"] == "call step"]
    parts = [e for e in events if e["name"] in _KINDS]
    svg = Svg(760, 160, "A first call and later ones")
    rows = (("the first call", calls[:1]), ("the next three", calls[1:4]))
    for row, (title, shown) in enumerate(rows):
        y, left, width = 42 + 62 * row, 130, 600
        begin = shown[0]["ts"]
        length = shown[-1]["ts"] + shown[-1]["dur"] - begin
        svg.text(16, y + 18, title)
        svg.box(left, y, width, 28, "frame")
        for part in parts:
            if begin <= part["ts"] < begin + length:
                x = left + width * (part["ts"] - begin) / length
                kind = _KINDS[part["name"]]
                hint = f"{_NAMES[kind]}: {part['dur']:.0f} us"
                svg.box(x, y, width * part["dur"] / length, 28, kind, hint)
        svg.text(left + width, y + 44, f"{length / 1000:.1f} ms", "small faint", "end")
    for i, (kind, name) in enumerate(_NAMES.items()):
        svg.box(130 + (0, 300, 400)[i], 12, 12, 12, kind)
        svg.text(148 + (0, 300, 400)[i], 23, name, "small")
    return svg


def make() -> Svg:
    return draw(slices(files()["trace"]))


if __name__ == "__main__":
    write("calls", make())
