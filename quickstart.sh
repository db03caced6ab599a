#!/usr/bin/env bash
# From a bare Debian 12 to a network trained eagerly and compiled: installs packages, builds, runs
# examples/digits, shows what the compiler made of the training step, and trains once more in Python.
set -euo pipefail
case ${1:-} in -h | --help) sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0" && exit ;; esac
source "$(dirname "${BASH_SOURCE[0]}")/scripts/setup.sh"

install_packages
find_python_tools
say "configure and build (some minutes the first time)"
configure release "${python_options[@]}"
targets=(digits)
! has_python_package build || targets+=(catena_python)
cmake --build --preset release -j "$jobs" --target "${targets[@]}" </dev/null

say "train: eager, then compiled from the same seed"
build/bin/digits

# One more short run, for the stages of the compiler as files: writing them is no part of the times above.
dump="$root/build/digits-ir"
rm -rf "$dump"
CATENA_DUMP_DIR="$dump" build/bin/digits --epoch 1 >/dev/null || true

say "the compiler's stages, region by region: $dump"
(cd "$dump" && find . -type f -printf '%P\n' | sort | head -40)
files=$(find "$dump" -type f | wc -l)
[ "$files" -le 40 ] || echo "... and $((files - 40)) more"

say "one fused kernel, in the catena dialect"
scripts/show_group.sh "$dump"

if has_python_package build; then
    say "the same network in Python: PYTHONPATH=build/python $python examples/python/digits.py"
    PYTHONPATH=build/python "$python" examples/python/digits.py
fi
