#!/usr/bin/env bash
# setup.sh DIR: a Python environment in DIR with ONNX and ONNX Runtime from PyPI; nothing is done where it is already.
# The tests use it when CATENA_ONNX_PYTHON=DIR/bin/python is set, and skip what needs it otherwise.
set -euo pipefail
case ${1:-} in -h | --help) sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0" && exit ;; esac
wanted=(onnx==1.23.2 onnxruntime==1.31.1 numpy)
if [ "$(cat "$1/wanted" 2>/dev/null)" != "${wanted[*]}" ]; then
    rm -rf "$1"
    /usr/bin/python3 -m venv "$1"
    "$1/bin/pip" install --quiet --disable-pip-version-check --retries 1 --timeout 15 "${wanted[@]}"
    echo "${wanted[*]}" >"$1/wanted"
fi
echo "export CATENA_ONNX_PYTHON=$1/bin/python"
