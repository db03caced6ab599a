#!/usr/bin/env bash
# Builds everything and runs all tests, from a bare Debian 12 on. The last line is
# "N passed, N failed" ("N skipped" may follow); the exit status is not 0 when one failed.
#   ./test.sh            the release build; what the compiler changes is tested with it and without
#   ./test.sh asan tsan  those presets instead
set -euo pipefail
case ${1:-} in -h | --help) sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0" && exit ;; esac
source "$(dirname "${BASH_SOURCE[0]}")/scripts/setup.sh"

# build_and_test PRESET FOLDER: leaves tests.xml and tests.json in the folder, for the summary.
build_and_test() {
    local preset=$1 build=$2
    say "$preset: configure and build"
    rm -rf "$build"/tests.{xml,json} "$build/test_reports"
    if ! configure "$preset" -DCATENA_TESTS=ON "${python_options[@]}" || ! cmake --build --preset "$preset" -j "$jobs" </dev/null; then
        echo "$preset: the build failed"
        return
    fi
    say "$preset: test"
    ctest --preset "$preset" -j "$jobs" --no-tests=error --timeout 900 --output-junit "$build/tests.xml" \
        --test-output-size-failed 1000000 </dev/null || true
    ctest --preset "$preset" --show-only=json-v1 >"$build/tests.json" || true
}

# ONNX Runtime is not in Debian. Without PyPI the tests that need it are skipped.
fetch_onnx_runtime() {
    [ -z "${CATENA_ONNX_PYTHON:-}" ] || return 0
    local lines
    if lines=$(timeout 300 tests/onnx/setup.sh "$root/build/onnx-python" </dev/null 2>/dev/null); then
        eval "$lines"
    else
        say "no ONNX Runtime: PyPI could not be reached, so the tests that compare with it are skipped"
    fi
}

install_packages
fetch_onnx_runtime
find_python_tools
start=$SECONDS
builds=()
for preset in "${@:-release}"; do
    build=$root/build-$preset
    [ "$preset" != release ] || build=$root/build
    build_and_test "$preset" "$build"
    builds+=("$build")
done

say "$(((SECONDS - start) / 60)) min $(((SECONDS - start) % 60)) s"
tests/support/summary.py "${builds[@]}"
