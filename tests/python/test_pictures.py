"""The scripts of docs/pictures draw what Catena writes, and make the pictures of the pages."""

from __future__ import annotations

import html
import importlib
import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

FOLDER = Path(__file__).parents[2] / "docs" / "pictures"
sys.path.insert(0, str(FOLDER))
HELPERS = {"draw", "step"}
SCRIPTS = sorted(p.stem for p in FOLDER.glob("*.py") if p.stem not in HELPERS)


def texts(svg: str) -> list[str]:
    """What can be read in a picture, which is well-formed."""
    root = ElementTree.fromstring(svg)
    return [e.text or "" for e in root.iter("{http://www.w3.org/2000/svg}text")]


def shapes(svg: str) -> int:
    return len(re.findall(r"<(?:rect x|polyline)", svg))


def test_every_picture_has_its_script() -> None:
    assert sorted(p.stem for p in FOLDER.glob("*.svg")) == SCRIPTS


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_picture_is_drawn_again(name: str) -> None:
    """Times differ, and how the kernels of another processor are cut; its words stay."""
    made = str(importlib.import_module(name).make())
    kept = (FOLDER / f"{name}.svg").read_text()
    words = [t for t in texts(kept) if not re.search(r"\d", t)]
    assert words
    # What is too narrow for its name has it in a tooltip.
    assert [word for word in words if html.escape(word) not in made] == []
    assert shapes(made) > 0.5 * shapes(kept)
    assert len(made) < 30_000


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_picture_can_be_read_on_light_and_dark_pages(name: str) -> None:
    kept = (FOLDER / f"{name}.svg").read_text()
    assert "prefers-color-scheme: dark" in kept and 'class="paper"' in kept


def test_groups_are_those_of_the_program() -> None:
    groups = importlib.import_module("groups")
    module = (
        '  %m = catena.contract "matmul"(%a) : (f) -> f  // program.py:9\n'
        '  %g = catena.group "add_relu"(%m) : (f) -> f {\n'
        '    %add = catena.map "add"(%in0) : (f) -> f {  // program.py:9\n'
        '    %relu = catena.map "relu"(%add) : (f) -> f {  // program.py:9\n'
        '  %r = catena.reshape "sum"(%g) : f -> f  // program.py:10\n'
    )
    assert groups.groups(module) == [
        (False, ["matmul"], [9]),
        (True, ["add", "relu"], [9, 9]),
    ]


def test_the_time_of_measuring_is_left_out() -> None:
    step = importlib.import_module("step")
    event = {"ph": "X", "tid": 0}
    trace = [
        event | {"name": "call", "cat": "call", "ts": 0.0, "dur": 100.0},
        event | {"name": "measure memory", "cat": "measure", "ts": 10.0, "dur": 60.0},
        event | {"name": "launch", "cat": "kernel", "ts": 80.0, "dur": 10.0},
    ]
    found = [(e["name"], e["ts"], e["dur"]) for e in step.slices({"traceEvents": trace})]
    assert found == [("call", 0.0, 40.0), ("launch", 20.0, 10.0)]
