"""Makes docs/first_hour.ipynb from the pages of docs/first_hour:

    PYTHONPATH=build/python python docs/notebook.py

Text and pictures are the pages', cells are their code in Python, and outputs what the cells print.
"""

from __future__ import annotations

import base64
import contextlib
import io
import json
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "docs/site"))
from snippets import NOT_RUN, snippets  # noqa: E402

NOTEBOOK = ROOT / "docs/first_hour.ipynb"
FOLDER = ROOT / "docs/first_hour"
_PAGE = re.compile(r"^\| \[[^]]*\]\((\w+\.md)\)", re.MULTILINE)
_PICTURE = re.compile(r"!\[([^]]*)\]\(\.\./pictures/([\w.]+)\)")
_LINK = re.compile(r"(?<!!)\[([^]]*)\]\(([^)#:]+)(#[^)]*)?\)")
_NEXT = re.compile(r"^Next: .*$", re.MULTILINE)

Cell = dict[str, Any]


def pages() -> list[Path]:
    """In the order of the table on the first one."""
    first = FOLDER / "README.md"
    return [first, *(FOLDER / name for name in _PAGE.findall(first.read_text()))]


def _text_cell(text: str, page: Path) -> Cell | None:
    """The words between two pieces of code, with the pictures inside of the notebook."""
    pictures: Cell = {}

    def picture(found: re.Match[str]) -> str:
        content = (ROOT / "docs/pictures" / found[2]).read_bytes()
        pictures[found[2]] = {"image/svg+xml": base64.b64encode(content).decode()}
        return f"![{found[1]}](attachment:{found[2]})"

    def link(found: re.Match[str]) -> str:
        target = os.path.relpath((page.parent / found[2]).resolve(), NOTEBOOK.parent)
        return f"[{found[1]}]({target}{found[3] or ''})"

    text = _LINK.sub(link, _NEXT.sub("", text.replace(NOT_RUN, "")))
    text = _PICTURE.sub(picture, text).strip()
    if not text:
        return None
    return {"cell_type": "markdown", "metadata": {}, "source": text} | (
        {"attachments": pictures} if pictures else {}
    )


def cells() -> list[Cell]:
    """Without outputs; "pattern" is what the page says that the code prints."""
    found: list[Cell] = []
    for page in pages():
        text, end = page.read_text(), 0
        for snippet in snippets(text):
            if snippet.language == "cpp" or not snippet.is_run:
                found += filter(None, [_text_cell(text[end : snippet.begin], page)])
                end = snippet.end
            elif snippet.language == "python":
                found += filter(None, [_text_cell(text[end : snippet.begin], page)])
                code = {"cell_type": "code", "metadata": {}, "source": snippet.code.rstrip("\n")}
                found.append(code | {"outputs": [], "pattern": snippet.printed})
                end = snippet.end
        found += filter(None, [_text_cell(text[end:], page)])
    return found


def executed(wanted: list[Cell]) -> list[Cell]:
    """With what each cell prints, in an empty folder."""
    names: dict[str, Any] = {}
    home = os.getcwd()
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            for cell in (c for c in wanted if c["cell_type"] == "code"):
                printed = io.StringIO()
                with contextlib.redirect_stdout(printed):
                    exec(compile(cell["source"], "first_hour", "exec"), names)
                cell["execution_count"] = count = count + 1
                output = {"name": "stdout", "output_type": "stream", "text": printed.getvalue()}
                cell["outputs"] = [output] if output["text"] else []
        finally:
            os.chdir(home)
    return wanted


def notebook(content: list[Cell]) -> str:
    for i, cell in enumerate(content):
        cell["id"] = f"cell{i}"
        cell.pop("pattern", None)
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    whole = {
        "cells": content,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(whole, indent=1, sort_keys=True) + "\n"


if __name__ == "__main__":
    NOTEBOOK.write_text(notebook(executed(cells())))
    print(NOTEBOOK)
