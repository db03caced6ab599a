#!/bin/sh
# tests/fuzz/run.sh HOURS [BUILD_FOLDER ...]: random programs and damaged files for so long, half of the time each, in one build
# after the other. Another seed at every call; what fails is printed with its seed, files that fail stay in the folder that
# is printed last.
set -eu
case ${1:-} in -h | --help) sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0" && exit ;; esac
[ $# -ge 1 ] || { echo "usage: $0 HOURS [BUILD_FOLDER ...]" >&2; exit 2; }
hours=$1
shift
cd "$(dirname "$0")/../.."
[ $# -gt 0 ] || set -- build
seconds=$(awk "BEGIN { print $hours * 3600 / $# / 2 }")
: "${CATENA_FUZZ_SEED:=$(date +%s)}"
: "${CATENA_FUZZ_KEEP:=$(mktemp -d)}"
export CATENA_FUZZ_SEED CATENA_FUZZ_KEEP OMP_NUM_THREADS=2 OMP_WAIT_POLICY=passive CATENA_KERNEL_CACHE=off
result=0
for build; do
    count() { "$build/bin/test_fuzz_files" --gtest_list_tests --gtest_filter="$1" | grep -c '^  '; }
    # A test of fields takes four times as long as one of damaged bytes.
    share=$(awk "BEGIN { print $seconds / ($(count 'FuzzedFiles.*') + 4 * $(count 'FieldsOf*') + 2) }")
    CATENA_FUZZ_FILES_SECONDS=$share "$build/bin/test_fuzz_files" --gtest_filter='FuzzedFiles.*:FieldsOf*-*InOwnProcess.*' || result=1
    CATENA_FUZZ_FILES_SECONDS=$share "$build/bin/test_fuzz_files" --gtest_filter='FieldsOf*InOwnProcess.*' || result=1
    end=$(($(date +%s) + ${seconds%.*}))
    seed=$CATENA_FUZZ_SEED
    while left=$((end - $(date +%s))) && [ $left -gt 0 ]; do
        CATENA_FUZZ_SEED=$seed CATENA_FUZZ_PROGRAMS=1000 CATENA_FUZZ_SECONDS=$((left / 5 + 1)) "$build/bin/test_fuzz" \
            --gtest_filter='RandomHostProgram.compiled_*:RandomProgram.eager_*:RandomProgram.sizes_*:KernelSizes.*' || result=1
        seed=$((seed + 1000))
    done
done
echo "seed $CATENA_FUZZ_SEED; files that failed are in $CATENA_FUZZ_KEEP"
exit $result
