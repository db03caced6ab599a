"""What the scripts of this folder share: SVG for light and dark pages, and what Catena writes about
a program. They make NAME.svg again:

    PYTHONPATH=build/python python docs/pictures/NAME.py
"""

from __future__ import annotations

import html
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

FOLDER = Path(__file__).parent
_STYLE = """
text { font: 13px sans-serif; fill: #1f2328; }
.code { font-family: monospace; }
.small { font-size: 11px; }
.faint { fill: #59636e; }
.bold { font-weight: bold; }
.paper { fill: #ffffff; }
.frame { fill: #f3f5f8; stroke: #8c959f; }
.line { stroke: #8c959f; fill: none; }
.a { fill: #cfe3fa; stroke: #2f6fb5; }
.b { fill: #fbe0c3; stroke: #b5651d; }
.c { fill: #d3f0d6; stroke: #2c8a3a; }
.d { fill: #eadcf8; stroke: #7d4bb0; }
.stroke-a { stroke: #2f6fb5; fill: none; stroke-width: 2; }
.stroke-b { stroke: #b5651d; fill: none; stroke-width: 2; stroke-dasharray: 5 4; }
.stroke-c { stroke: #2c8a3a; fill: none; stroke-width: 2; stroke-dasharray: 2 3; }
.stroke-d { stroke: #7d4bb0; fill: none; stroke-width: 2; stroke-dasharray: 9 3 2 3; }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3; }
.faint { fill: #9da7b3; }
.paper { fill: #131416; }
.frame { fill: #1f242b; stroke: #768390; }
.line { stroke: #768390; }
.a { fill: #16395e; stroke: #6cb0f5; }
.b { fill: #573411; stroke: #f0a95c; }
.c { fill: #14431c; stroke: #6fd07d; }
.d { fill: #3d2358; stroke: #c298ef; }
.stroke-a { stroke: #6cb0f5; }
.stroke-b { stroke: #f0a95c; }
.stroke-c { stroke: #6fd07d; }
.stroke-d { stroke: #c298ef; }
}
"""


class Svg:
    """A drawing on paper of its own colour, whatever is behind it."""

    def __init__(self, width: float, height: float, title: str) -> None:
        self._size = f'width="{width:.0f}" height="{height:.0f}"'
        self._head = f'viewBox="0 0 {width:.0f} {height:.0f}" role="img"'
        self._title = f"<title>{html.escape(title)}</title>"
        self._parts: list[str] = []

    def text(self, x: float, y: float, text: str, kind: str = "", anchor: str = "start") -> None:
        self._parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}" text-anchor="{anchor}" '
            f'xml:space="preserve">{html.escape(text)}</text>'
        )

    def box(
        self, x: float, y: float, width: float, height: float, kind: str, title: str = ""
    ) -> None:
        hint = f"<title>{html.escape(title)}</title>" if title else ""
        self._parts.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(width, 1):.1f}" height="{height:.1f}" '
            f'rx="3" class="{kind}">{hint}</rect>'
        )

    def line(self, points: Iterable[tuple[float, float]], kind: str = "line") -> None:
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self._parts.append(f'<polyline points="{path}" class="{kind}"/>')

    def __str__(self) -> str:
        body = "\n".join(self._parts)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" {self._size} {self._head}>\n{self._title}\n'
            f"<style>{_STYLE}</style>\n"
            f'<rect width="100%" height="100%" rx="6" class="paper"/>\n{body}\n</svg>\n'
        )


def width_of(text: str, size: float = 13) -> float:
    """Of text in a monospaced font."""
    return 0.62 * size * len(text)


def run(program: str, wanted: str) -> str:
    """Runs a program of Python in an empty folder, in which the compiler writes its files to dump/,
    and gives one of the files that are there afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "program.py").write_text(program)
        environment = os.environ | {
            "CATENA_DUMP_DIR": f"{folder}/dump",
            "CATENA_KERNEL_CACHE": "off",
            "CATENA_LOG": "warning",
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        }
        subprocess.run(
            [sys.executable, "program.py"], cwd=folder, env=environment, check=True, timeout=300
        )
        return (Path(folder) / wanted).read_text()


def write(name: str, picture: Svg) -> None:
    path = FOLDER / f"{name}.svg"
    path.write_text(str(picture))
    print(path)
