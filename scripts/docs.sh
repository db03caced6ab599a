#!/usr/bin/env bash
# docs.sh [OUT]: the documentation as one folder of static HTML (build/site) that opens from disk: OUT/index.html.
# Python's reference is read from the package in build/python, and the command line's from build/bin/catena: they are built
# before, `cmake --build build --target catena_python catena_tool`. Sphinx comes from PyPI once, into build/python-tools;
# the classes of C++ are in the site where Doxygen is installed.
set -euo pipefail
case ${1:-} in -h | --help) sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0" && exit ;; esac
cd "$(dirname "${BASH_SOURCE[0]}")/.."
out=$(realpath -m "${1:-build/site}")

fail() {
    printf 'docs.sh: %s\n' "$*" >&2
    exit 1
}

tools=$(tests/python/setup.sh "$PWD/build/python-tools" </dev/null) ||
    fail "Sphinx is not in build/python-tools, and PyPI could not be reached for it (docs/requirements.txt)"
compgen -G 'build/python/catena/_catena.*.so' >/dev/null ||
    fail "build/python has no Python package: cmake --preset release -DPython_EXECUTABLE=$tools && cmake --build build --target catena_python"
program=()
[ ! -x build/bin/catena ] || program=(--catena build/bin/catena)
PYTHONPATH=build/python PYTHONDONTWRITEBYTECODE=1 "$tools" docs/site/build.py "$out" --pages build/site-pages "${program[@]}"
echo "$out/index.html"
