#!/usr/bin/env bash
# setup.sh DIR: a Python environment in DIR with what the package `catena` is built, tested and documented with, from PyPI;
# nothing is done where it is already. Prints the interpreter.
set -euo pipefail
case ${1:-} in -h | --help) sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0" && exit ;; esac
here=$(dirname "${BASH_SOURCE[0]}")
files=("$here/requirements.txt" "$here/../../docs/requirements.txt")
wanted=$(cat "${files[@]}")
if [ "$(cat "$1/wanted" 2>/dev/null)" != "$wanted" ]; then
    rm -rf "$1"
    /usr/bin/python3 -m venv "$1"
    "$1/bin/pip" install --quiet --disable-pip-version-check --retries 1 --timeout 15 "${files[@]/#/--requirement=}"
    echo "$wanted" >"$1/wanted"
fi
echo "$1/bin/python"
