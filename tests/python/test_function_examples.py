"""Examples of functions on the site print what stands below them, in Python and in C++, and so do
the programs of the page on C."""

from __future__ import annotations

import contextlib
import io
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import catena as ct
import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs" / "site"))
from function_examples import Example, examples  # noqa: E402

LIBRARIES = Path(ct.__file__).parents[2] / "lib"
PAGE_OF_C = ROOT / "docs" / "site" / "pages" / "c.md"


def test_examples_are_of_functions() -> None:
    assert len(examples()) >= 15
    assert [name for name in examples() if not hasattr(ct, name)] == []


@pytest.mark.parametrize("example", examples().values(), ids=lambda e: e.function)
def test_the_example_in_python_prints_what_stands_below_it(example: Example) -> None:
    printed = io.StringIO()
    names: dict[str, Any] = {"ct": ct, "np": np}
    with contextlib.redirect_stdout(printed):
        exec(example.python, names)
    assert printed.getvalue() == example.printed_by_python


def _folder_of_headers(folder: Path) -> Path:
    """As in an installation."""
    (folder / "catena").mkdir()
    for name in ("frontend", "runtime"):
        (folder / "catena" / name).symlink_to(ROOT / name)
    (folder / "catena" / "catena.h").symlink_to(ROOT / "frontend/include/catena/catena.h")
    (folder / "catena" / "capi.h").symlink_to(ROOT / "runtime/capi.h")
    return folder


def _needs(compiler: str, library: str) -> None:
    if shutil.which(compiler) is None or not (LIBRARIES / library).exists():
        pytest.skip(f"there is no {compiler}, or no {library}")
    cache = LIBRARIES.parent / "CMakeCache.txt"
    if cache.exists() and re.search(r"^CATENA_SANITIZE:\w+=.", cache.read_text(), re.MULTILINE):
        pytest.skip("programs with a sanitizer's library need the sanitizer, too")


def _output_of(source: Path, compiler: list[str], libraries: list[str]) -> str:
    program = source.with_suffix("")
    command = [*compiler, source, "-o", program, f"-L{LIBRARIES}", f"-Wl,-rpath,{LIBRARIES}"]
    done = subprocess.run([*command, *libraries], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    run = subprocess.run([program], capture_output=True, text=True, check=True, cwd=source.parent)
    return run.stdout


def test_the_examples_in_cpp_print_what_stands_below_them(tmp_path: Path) -> None:
    _needs("c++", "libcatena.so")
    found = examples().values()
    text = "#include <catena/catena.h>\n#include <iostream>\nnamespace ct = catena;\nint main() {\n"
    for example in found:
        text += f"{{\n{example.cpp}}}\nstd::cout << '@';\n"
    (tmp_path / "examples.cpp").write_text(text + "}\n")
    headers = _folder_of_headers(tmp_path)
    compiler = ["c++", "-std=c++20", "-O0", f"-I{headers}", f"-I{ROOT}", "-DFMT_SHARED"]
    printed = _output_of(
        tmp_path / "examples.cpp", compiler, ["-lcatena", "-lcatena_runtime", "-lfmt"]
    )
    assert printed.split("@")[:-1] == [example.printed_by_cpp for example in found]


def test_the_programs_in_c_print_what_stands_below_them(tmp_path: Path) -> None:
    _needs("cc", "libcatena_runtime.so")
    page = PAGE_OF_C.read_text()
    python = re.search(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert python
    with contextlib.chdir(tmp_path):
        exec(python[1], {})
    headers = _folder_of_headers(tmp_path)
    pieces = re.findall(
        r"^```c\n(.*?)^```$.*?^It prints:\n\n```\n(.*?)^```$", page, re.MULTILINE | re.DOTALL
    )
    assert len(pieces) == 2
    for i, (code, expected) in enumerate(pieces):
        source = tmp_path / f"program{i}.c"
        source.write_text(code)
        compiler = ["cc", "-std=c99", "-Wall", "-Wextra", "-Werror", f"-I{headers}"]
        assert _output_of(source, compiler, ["-lcatena_runtime"]) == expected
