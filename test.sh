#!/usr/bin/env bash
# Builds everything and runs all tests, from a bare Debian 12 on. The last line is
# "N passed, N failed" ("N skipped" may follow); the exit status is not 0 when one failed.
#   ./test.sh            the release build, and runtime + frontend once more without the compiler
#   ./test.sh asan tsan  those presets instead
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/scripts/setup.sh"

passed=0 failed=0 skipped=0
attribute() { grep -m1 -oE "[[:space:]]$2=\"[0-9]+\"" "$1" | tr -dc 0-9; }

# Adds what one run of ctest reports about itself.
count() {
    local total disabled
    [ -s "$1" ] || { failed=$((failed + 1)); return; }
    total=$(attribute "$1" tests)
    disabled=$(attribute "$1" disabled)
    failed=$((failed + $(attribute "$1" failures)))
    skipped=$((skipped + $(attribute "$1" skipped) + disabled))
    passed=$((passed + total - $(attribute "$1" failures) - $(attribute "$1" skipped) - disabled))
}

# What failed, with the end of what it printed: the last lines of ctest itself are a long table of what was skipped.
show_failures() {
    awk '/<testcase /{failed = /status="fail"/; if (failed) print "\n" $0} failed' "$1" |
        sed -e 's/<testcase name="\([^"]*\)".*/FAILED: \1/' -e 's/<[^>]*>//g' -e 's/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g' |
        cut -c1-300 | tail -n 200
}

build_and_test() {
    local preset=$1 report="$root/$2/tests.xml"
    shift 2
    say "$preset: configure and build"
    rm -f "$report"
    if ! configure "$preset" -DCATENA_TESTS=ON || ! cmake --build --preset "$preset" -j "$jobs" </dev/null; then
        echo "$preset: the build failed"
        failed=$((failed + 1))
        return
    fi
    say "$preset: test"
    ctest --preset "$preset" -j "$jobs" --no-tests=error --timeout 900 --output-junit "$report" \
        "$@" </dev/null || true
    count "$report"
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
start=$SECONDS
presets=("$@")
if [ ${#presets[@]} -eq 0 ]; then presets=(release no-compiler); fi
for preset in "${presets[@]}"; do
    case $preset in
        release) build_and_test release build ;;
        # What does not differ from the release build is not run twice.
        no-compiler) build_and_test no-compiler build-no-compiler -LE 'structure|examples|data' ;;
        *) build_and_test "$preset" "build-$preset" ;;
    esac
done

say "$(((SECONDS - start) / 60)) min $(((SECONDS - start) % 60)) s"
for preset in "${presets[@]}"; do
    report=$root/build-$preset/tests.xml
    [ "$preset" != release ] || report=$root/build/tests.xml
    [ ! -s "$report" ] || show_failures "$report"
done
line="$passed passed, $failed failed"
[ "$skipped" -eq 0 ] || line+=", $skipped skipped"
echo "$line"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
