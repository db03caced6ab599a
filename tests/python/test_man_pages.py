"""The pages for man(1), which are made of what programs say with --help, name every subcommand and
every option, and are without a mistake for groff and mandoc."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import catena as ct
import pytest

ROOT = Path(__file__).parents[2]
PROGRAM = Path(ct.__file__).parents[2] / "bin" / "catena"
BISECT = ROOT / "scripts" / "bisect_pass.sh"


def page_of(name: str, program: Path) -> str:
    command = ["sh", ROOT / "scripts" / "man_page.sh", name, "1.2.3", "what it is", program]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.fixture(scope="module")
def catena_page() -> str:
    if not PROGRAM.exists():
        pytest.skip("the program catena is not built")
    return page_of("catena", PROGRAM)


def test_every_subcommand_and_its_options_are_in_the_page(catena_page: str) -> None:
    def options(*subcommand: str) -> set[str]:
        told = subprocess.run([PROGRAM, *subcommand, "--help"], capture_output=True, text=True)
        return set(re.findall(r"^  (?:-\w,)?(--[\w-]+)", told.stdout, re.MULTILINE))

    told = subprocess.run([PROGRAM, "--help"], capture_output=True, text=True).stdout
    subcommands = re.findall(r"^  (\w+) ", told.split("Subcommands:")[1], re.MULTILINE)
    assert {"info", "run", "export", "bench"} <= set(subcommands)
    for subcommand in subcommands:
        section = re.search(
            rf"^\.SH CATENA {subcommand.upper()}$(.*?)(?=^\.SH|\Z)", catena_page, re.M | re.S
        )
        assert section, subcommand
        text = section[1].replace("\\-", "-")
        assert [option for option in options(subcommand) if option not in text] == []


@pytest.mark.parametrize("program", [PROGRAM, BISECT], ids=["catena", "bisect_pass"])
def test_the_page_has_no_mistake(program: Path, tmp_path: Path) -> None:
    if not program.exists():
        pytest.skip("the program is not built")
    file = tmp_path / "page.1"
    file.write_text(page_of(program.stem, program))
    checks = {
        "groff": ["groff", "-man", "-ww", "-z", file],
        # Pages have no date, so that they are equal each time.
        "mandoc": ["mandoc", "-T", "lint", "-W", "warning", file],
    }
    found = {name: command for name, command in checks.items() if shutil.which(name)}
    if not found:
        pytest.skip("neither groff nor mandoc is installed")
    for command in found.values():
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        told = [line for line in (done.stdout + done.stderr).splitlines() if line]
        assert [line for line in told if "missing date" not in line] == []
