"""What is written in Python is laid out and typed as the project's settings say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SETTINGS = ROOT / "frontend" / "python" / "pyproject.toml"
FOLDERS = [
    str(ROOT / folder)
    for folder in (
        "frontend/python",
        "tests/python",
        "examples/python",
        "benchmarks/python",
        "benchmarks/cuda",
        "tests/benchmarks",
        "docs/site",
        "docs/pictures",
        "docs/notebook.py",
        "tools/debugger",
        "tests/packaging",
    )
]


def run(*command: str) -> None:
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("what", [["check"], ["format", "--check"]], ids=lambda w: w[0])
def test_ruff_finds_nothing(what: list[str]) -> None:
    pytest.importorskip("ruff")
    run("-m", "ruff", *what, "--no-cache", "--config", str(SETTINGS), *FOLDERS)


def test_types_of_functions_are_those_of_the_registry() -> None:
    """After a new function: python frontend/python/generate/stubs.py."""
    run(str(ROOT / "frontend" / "python" / "generate" / "stubs.py"), "--check")
