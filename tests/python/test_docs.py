"""The code of docs/python.md, docs/first_hour, docs/how_to and the README does what stands there,
that of other pages runs among what docs_given.py has, and docs/first_hour.ipynb is what
docs/notebook.py makes of the pages."""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import catena as ct
import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
BUILD = Path(ct.__file__).parents[2]
sys.path[:0] = [str(ROOT / "docs"), str(ROOT / "docs" / "site")]
import docs_given  # noqa: E402
import notebook  # noqa: E402
from snippets import Snippet, lessons, matches, snippets, with_tabs  # noqa: E402

PAGES = [ROOT / "docs" / "python.md", *lessons(ROOT)]
OTHERS = sorted(set((ROOT / "docs").glob("*.md")) - set(PAGES))


def python_of(page: Path) -> list[Snippet]:
    return [s for s in snippets(page.read_text()) if s.language == "python"]


def ids(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=ids)
def test_every_piece_of_code_prints_what_stands_below_it(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    np.random.seed(0)
    ct.random.seed(0)
    names: dict[str, Any] = {}
    for snippet in python_of(page):
        # Errors show lines of the page.
        compiled = compile("\n" * (snippet.line - 1) + snippet.code, str(page), "exec")
        if not snippet.is_run:
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compiled, names)
        place = f"{page.name}:{snippet.line} prints\n{printed.getvalue()}"
        assert matches(printed.getvalue(), snippet.printed), place


@pytest.mark.parametrize("page", [p for p in OTHERS if python_of(p)], ids=lambda page: page.stem)
def test_the_code_of_a_page_runs_among_what_it_takes_as_given(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names = dict(vars(importlib.reload(docs_given)))
    for snippet in python_of(page):
        compiled = compile("\n" * (snippet.line - 1) + snippet.code, str(page), "exec")
        if not snippet.is_run:
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compiled, names)
        place = f"{page.name}:{snippet.line} prints\n{printed.getvalue()}"
        assert not snippet.printed or matches(printed.getvalue(), snippet.printed), place


def test_the_pages_have_code() -> None:
    counts = {ids(page): len(python_of(page)) for page in PAGES}
    assert counts["docs/python.md"] > 10 and counts["docs/first_hour/arrays.md"] > 4
    assert sum(counts.values()) > 60


def test_the_readme_s_program_runs() -> None:
    (code,) = python_of(ROOT / "README.md")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code.code, "README.md", "exec"), {})
    lines = printed.getvalue().splitlines()
    assert len(lines) > 5 and all(0 < float(line) < 10 for line in lines[:5])


@pytest.mark.parametrize("page", lessons(ROOT), ids=ids)
def test_a_page_shows_both_languages(page: Path) -> None:
    found = snippets(page.read_text())
    languages = {s.language for s in found if s.language in ("cpp", "python")}
    assert len(languages) != 1
    assert not languages or "{tab-item}" in with_tabs(page.read_text())


@pytest.mark.parametrize("name", [n for n in dir(ct) if not n.startswith("_")])
def test_what_the_package_offers_has_a_description(name: str) -> None:
    assert getattr(ct, name).__doc__ or not callable(getattr(ct, name))


@pytest.mark.parametrize("page", PAGES, ids=ids)
def test_links_of_a_page_lead_somewhere(page: Path) -> None:
    words = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\(([^)#:]+)[)#]", words):
        assert (page.parent / target).exists(), target


def test_deploying_in_c_is_followed_literally(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = ROOT / "docs" / "how_to" / "deploy_in_c.md"
    program = BUILD / "bin" / "catena"
    if not program.exists() or not (BUILD / "lib" / "libcatena_c.a").exists():
        pytest.skip("the program catena or libcatena_c was not built")
    monkeypatch.chdir(tmp_path)
    for snippet in python_of(page):
        exec(compile(snippet.code, str(page), "exec"), {})
    (main,) = (s.code for s in snippets(page.read_text()) if s.language == "c")
    Path("main.c").write_text(main)
    shell = re.findall(
        r"^```\n((?:catena|cc) .*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL
    )
    assert len(shell) == 2
    commands = "".join(shell).replace("catena export", f"{program} export")
    commands = commands.replace("PREFIX/include/catena", str(ROOT / "runtime" / "c"))
    commands = commands.replace("PREFIX/lib", str(BUILD / "lib"))
    done = subprocess.run(["sh", "-ec", commands], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    probabilities = [float(p) for p in done.stdout.splitlines()[-1].split()]
    assert len(probabilities) == 3 and abs(sum(probabilities) - 1) < 0.01


def test_what_is_printed_may_have_dots_for_any_text() -> None:
    assert matches("a\n", "a\n") and matches("took 3 ms\n", "took ... ms\n")
    assert matches("a\nb\nc\n", "a\n...\nc\n")
    assert not matches("a\n", "") and not matches("", "a\n") and not matches("a b d", "a ... c")


def test_code_of_both_languages_becomes_tabs() -> None:
    page = "Text.\n\n```cpp\nf();\n```\n```\n1\n```\n\n```python\nf()\n```\n\nMore.\n\n"
    page += "```cpp\ng();\n```\n"
    parts = with_tabs(page)
    assert parts.count("{tab-item}") == 2
    assert parts.index("{tab-item} Python") < parts.index("f()\n") < parts.index("{tab-item} C++")
    assert parts.index("f();") < parts.index("```\n1\n```") < parts.index("More.")
    assert parts.endswith("More.\n\n```cpp\ng();\n```\n")


def test_code_below_the_comment_is_not_run() -> None:
    text = "<!-- compiled only -->\n```python\nf()\n```\n\n```python\ng()\n```\n```\n3\n```\n"
    first, second = snippets(text)
    assert (first.is_run, second.is_run) == (False, True)
    assert (second.code, second.printed, second.line) == ("g()\n", "3\n", 7)


def test_the_notebook_is_made_of_the_pages() -> None:
    """`PYTHONPATH=build/python python docs/notebook.py` makes it again."""
    content = json.loads(notebook.NOTEBOOK.read_text())["cells"]
    wanted = notebook.cells()
    assert [c["source"] for c in content] == [c["source"] for c in wanted]
    assert [c.get("attachments") for c in content] == [c.get("attachments") for c in wanted]
    for cell, page in zip(content, wanted, strict=True):
        if cell["cell_type"] == "code":
            printed = "".join(output["text"] for output in cell["outputs"])
            assert matches(printed, page["pattern"]), cell["source"]


def test_the_notebook_prints_what_it_shows() -> None:
    for cell in notebook.executed(notebook.cells()):
        if cell["cell_type"] == "code":
            printed = "".join(output["text"] for output in cell["outputs"])
            assert matches(printed, cell["pattern"]), cell["source"]
