"""cmake_options.py PYPROJECT: what a project tells CMake, as its options, one a line."""

import sys
import tomllib
from pathlib import Path

project = tomllib.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))["tool"]["scikit-build"]
options = {"CMAKE_BUILD_TYPE": project["cmake"]["build-type"], **project["cmake"]["define"]}
for name, value in options.items():
    print(f"-D{name}={value}")
