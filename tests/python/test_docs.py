"""The code of docs/python.md does what stands there."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path
from typing import Any

import catena as ct
import numpy as np
import pytest

PAGE = Path(__file__).parents[2] / "docs" / "python.md"
#: A block of Python, and the block without a language that follows it: what it prints.
BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:```\n(.*?)^```$)?", re.MULTILINE | re.DOTALL)


def blocks() -> list[tuple[int, str, str]]:
    """First line, code, and what is printed."""
    text = PAGE.read_text()
    return [
        (text.count("\n", 0, found.start(1)), found[1], found[2] or "")
        for found in BLOCK.finditer(text)
    ]


def test_every_piece_of_code_prints_what_stands_below_it() -> None:
    np.random.seed(0)
    ct.random.seed(0)
    names: dict[str, Any] = {}
    found = blocks()
    assert len(found) > 10
    for line, code, expected in found:
        printed = io.StringIO()
        # Errors show lines of the page.
        compiled = compile("\n" * line + code, str(PAGE), "exec")
        with contextlib.redirect_stdout(printed):
            exec(compiled, names)
        assert printed.getvalue() == expected, f"{PAGE.name}:{line + 1}"


def test_the_readme_s_program_runs() -> None:
    (code,) = (found[1] for found in BLOCK.finditer((PAGE.parents[1] / "README.md").read_text()))
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "README.md", "exec"), {})
    lines = printed.getvalue().splitlines()
    assert len(lines) > 5 and all(0 < float(line) < 10 for line in lines[:5])


@pytest.mark.parametrize("name", [n for n in dir(ct) if not n.startswith("_")])
def test_what_the_package_offers_has_a_description(name: str) -> None:
    assert getattr(ct, name).__doc__ or not callable(getattr(ct, name))


def test_links_of_the_page_lead_somewhere() -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", PAGE.read_text()):
        assert (PAGE.parent / target).exists(), target
