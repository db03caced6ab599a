#!/usr/bin/env bash
# bisect_pass.sh COMMAND [ARGUMENT ...]: which change of which pass makes COMMAND fail? Runs it with CATENA_PASS_LIMIT=N
# for more and fewer changes and names the first N at which it fails, and what was changed then. COMMAND must compile the
# same programs in the same order every time.
set -euo pipefail
[ $# -gt 0 ] || { sed -n '2,4s/^# //p' "$0"; exit 2; }
case ${1:-} in -h | --help) sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0" && exit ;; esac
output=$(mktemp)
trap 'rm -f "$output"' EXIT

fails_with() {
    local limit=$1
    shift
    ! CATENA_PASS_LIMIT=$limit "$@" > "$output" 2>&1
}

if "$@" > "$output" 2>&1; then
    echo "bisect_pass: '$*' does not fail when nothing is limited" >&2
    exit 1
fi
if fails_with 0 "$@"; then
    cat "$output" >&2
    echo "bisect_pass: '$*' fails even if no pass changes anything: look before or behind the passes" >&2
    exit 1
fi
good=0 bad=1
until fails_with "$bad" "$@"; do
    good=$bad bad=$((bad * 2))
    [ "$bad" -lt $((1 << 40)) ] || { echo "bisect_pass: '$*' does not fail with any limit" >&2; exit 1; }
done
while [ $((bad - good)) -gt 1 ]; do
    middle=$(((good + bad) / 2))
    if fails_with "$middle" "$@"; then bad=$middle; else good=$middle; fi
done
fails_with "$bad" "$@" || true
echo "first bad change: $bad"
grep "^catena: change $bad, the last: " "$output" || true
echo "CATENA_PASS_LIMIT=$bad fails, CATENA_PASS_LIMIT=$good does not"
