#!/usr/bin/env bash
# setup.sh DIR: a Python environment in DIR with ONNX and ONNX Runtime from PyPI. The tests use it when
# CATENA_ONNX_PYTHON=DIR/bin/python is set, and skip what needs it otherwise.
set -euo pipefail
python3 -m venv "$1"
"$1/bin/pip" install --quiet numpy onnx onnxruntime
echo "export CATENA_ONNX_PYTHON=$1/bin/python"
