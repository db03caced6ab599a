#!/bin/sh
# stop.sh OUT PROGRAM ARGUMENTS...: trains with --out OUT, sends SIGTERM after the first snapshot, and checks that the training
# ended in good order, with a snapshot of its last iteration.
set -eu
out=$1
shift
rm -rf "$out"
mkdir -p "$out"
"$@" --out "$out" > "$out/output" 2>&1 &
training=$!
trap 'kill -9 $training 2> /dev/null || true' EXIT
waited=0
until ls "$out" | grep -q '^snapshot_iter_[0-9.]*$'; do
    kill -0 $training || { cat "$out/output"; echo "FAILED: it ended by itself"; exit 1; }
    [ $waited -lt 600 ] || { echo "FAILED: no snapshot in a minute"; exit 1; }
    waited=$((waited + 1))
    sleep 0.1
done
kill -TERM $training
status=0
wait $training || status=$?
cat "$out/output"
[ $status -eq 0 ] || { echo "FAILED: exit status $status"; exit 1; }
last=$(sed -n 's/.*signal 15 ended the training after iteration \([0-9]*\)$/\1/p' "$out/output")
[ -n "$last" ] || { echo "FAILED: it does not say where it ended"; exit 1; }
ls "$out" | grep -q "^snapshot_iter_$last\(\.0\)\?$" || { ls "$out"; echo "FAILED: no snapshot of iteration $last"; exit 1; }
