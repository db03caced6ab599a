"""recipes.py SOURCE WORK CMAKE: the recipes for package managers, as far as they can be tried here.

The same version stands in all files that tell one, every option of CMake that a recipe gives
exists, and CMake configures by each recipe without a word of an unused option.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

SOURCE, WORK, CMAKE = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
PORT = SOURCE / "packaging/vcpkg/ports/catena"
CONDA = SOURCE / "packaging/conda"


def text(path: str) -> str:
    return (SOURCE / path).read_text()


def one_version() -> None:
    """The project's version is the one of every file that tells it."""
    patterns = {
        "CMakeLists.txt": r"project\(catena VERSION (\S+)",
        "CHANGELOG.md": r"\n## (\S+?),? ",
        "CITATION.cff": r"\nversion: (\S+)",
        "frontend/python/pyproject.toml": r'\nversion = "(.+?)"',
        "packaging/conda/recipe.yaml": r'\n  version: "(.+?)"',
    }
    told = {path: re.search(pattern, text(path))[1] for path, pattern in patterns.items()}
    told["vcpkg.json"] = json.loads((PORT / "vcpkg.json").read_text())["version"]
    assert len(set(told.values())) == 1, told


def known_options() -> None:
    """Options that recipes give are options of this tree."""
    files = [SOURCE / "CMakeLists.txt", *(SOURCE / "cmake").glob("*.cmake")]
    known = set(re.findall(r"(?:set|option)\((CATENA_\w+)", "".join(f.read_text() for f in files)))
    for recipe in (PORT / "portfile.cmake", CONDA / "build.sh"):
        given = set(
            re.findall(r"(?<!\w)-D(CATENA_\w+)=|^ +\w+ (CATENA_\w+)$", recipe.read_text(), re.M)
        )
        given = {name for pair in given for name in pair if name}
        assert len(given) > 5 and given <= known, (recipe, given - known)
    features = set(json.loads((PORT / "vcpkg.json").read_text())["features"])
    port = re.search(r"FEATURES\n(.*?)\n\)", (PORT / "portfile.cmake").read_text(), re.S)[1]
    assert features == {line.split()[0] for line in port.splitlines()}, features


def configured(command: list[str | Path], **environment: str) -> None:
    shutil.rmtree(WORK, ignore_errors=True)
    result = subprocess.run(
        command, cwd=SOURCE, env=os.environ | environment, capture_output=True, text=True
    )
    told = result.stdout + result.stderr
    if re.search(r"CATENA_(COMPILER|HDF5|ONNX|CAFFE|IMAGES|SHARDS)=ON needs", told):
        print(f"skipped: {told[-400:]}")
        sys.exit(0)
    assert result.returncode == 0, told
    assert "not used by the project" not in told, told
    assert "catena: caffe ON" in told and "catena: compiler ON" in told, told
    shutil.rmtree(WORK)


one_version()
known_options()
WORK.parent.mkdir(parents=True, exist_ok=True)
double = Path(__file__).parent / "vcpkg_double.cmake"
configured([CMAKE, f"-DPORT={PORT}/portfile.cmake", f"-DWORK={WORK}", "-P", double])
configured(
    [CONDA / "build.sh"],
    CATENA_ONLY_CONFIGURE="1",
    CATENA_BUILD_DIR=str(WORK),
    PREFIX=str(WORK / "prefix"),
)
