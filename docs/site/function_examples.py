"""Examples of functions in both languages (function_examples.md), each with what it prints."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

FILE = Path(__file__).with_suffix(".md")
_CODE = r"```{}\n(.*?)```\n\n```\n(.*?)```\n"
_BLOCKS = rf"\n## (\w+)\n\n{_CODE.format('python')}\n{_CODE.format('cpp')}"


@dataclass(frozen=True)
class Example:
    function: str
    python: str
    printed_by_python: str
    cpp: str
    printed_by_cpp: str


def examples() -> dict[str, Example]:
    """By the names of functions."""
    text = FILE.read_text()
    found = [Example(*parts) for parts in re.findall(_BLOCKS, text, re.DOTALL)]
    assert len(found) == text.count("\n## "), "a part is not as the others"
    return {example.function: example for example in found}


def shown(example: Example) -> list[str]:
    """As reStructuredText."""
    lines: list[str] = []
    for language, code, printed in (
        ("python", example.python, example.printed_by_python),
        ("cpp", example.cpp, example.printed_by_cpp),
    ):
        lines += [f".. code-block:: {language}", "", *_indented(code), ""]
        lines += [".. code-block:: text", "", *_indented(printed), ""]
    return lines


def _indented(code: str) -> list[str]:
    return ["   " + line if line else "" for line in code.rstrip("\n").split("\n")]
