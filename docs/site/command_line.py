"""The page of the program catena: what it says with --help, and each of its subcommands."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from text import indented, title


def _help(program: Path, *arguments: str) -> list[str]:
    environment = os.environ | {"COLUMNS": "100", "NO_COLOR": "1"}
    done = subprocess.run(
        [program, *arguments, "--help"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip("\n").split("\n")


def write(page: Path, program: Path | None) -> None:
    lines = title("The program catena")
    if program is None:
        lines += ["This site was built without the program. It tells with ``catena --help``, and"]
        lines += ["``catena SUBCOMMAND --help``, what it takes.", ""]
    else:
        whole = _help(program)
        lines += [".. code-block:: text", "", *indented(whole, 3), ""]
        begin = whole.index("Subcommands:") + 1
        for line in whole[begin:]:
            if name := re.match(r"  (\w+) ", line):
                lines += title(f"catena {name[1]}", "-")
                lines += [".. code-block:: text", "", *indented(_help(program, name[1]), 3), ""]
    page.write_text("\n".join(lines) + "\n")
