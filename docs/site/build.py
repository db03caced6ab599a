"""Builds the site: docs/site/build.py OUT [--catena PROGRAM] [--pages FOLDER]

Needs Sphinx and the others of docs/requirements.txt, and the package catena on PYTHONPATH. PROGRAM
is the program catena, whose --help becomes the page of the command line. FOLDER keeps the pages as
Sphinx reads them. The exit status is not 0 where Sphinx warns.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import c_api
import command_line
import cpp_classes
import cpp_signatures
import functions
import pages
import python_api
import sources

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


def write_pages(folder: Path, program: Path | None) -> None:
    """All that Sphinx reads."""
    import catena

    written = pages.Pages(ROOT, folder, folder / ".extra")
    found = [f for f in vars(catena).values() if isinstance(f, catena.Function)]
    declared = cpp_signatures.Declared()
    functions.FunctionPages(list({f.__name__: f for f in found}.values()), written, declared).write(
        folder / "functions"
    )
    python_api.write(folder / "python_api")
    cpp_classes.write(folder / "cpp", ROOT, written, declared)
    c_api.write(folder / "c_api.rst", ROOT, written)
    command_line.write(folder / "command_line.rst", program)
    written.write()  # Last: the others link to sources.
    (folder / ".extra/_static").mkdir(parents=True)
    (folder / ".extra/_static/source.css").write_text(sources.styles())


def build(out: Path, folder: Path, program: Path | None) -> int:
    write_pages(folder, program)
    if out.exists():
        shutil.rmtree(out)
    command = [sys.executable, "-m", "sphinx", "-q", "-b", "html", "-W", "--keep-going"]
    command += ["-D", f"html_extra_path={folder / '.extra'}"]
    command += ["-c", str(HERE), "-d", str(folder / ".doctrees"), str(folder), str(out)]
    return subprocess.run(command, check=False).returncode


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--catena", type=Path)
    parser.add_argument("--pages", type=Path)
    options = parser.parse_args()
    if options.pages:
        shutil.rmtree(options.pages, ignore_errors=True)
        options.pages.mkdir(parents=True)
        return build(options.out, options.pages.resolve(), options.catena)
    with tempfile.TemporaryDirectory() as folder:
        return build(options.out, Path(folder), options.catena)


if __name__ == "__main__":
    sys.exit(main())
