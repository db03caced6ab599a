#!/usr/bin/env bash
# show_group.sh DUMP_FOLDER: the fused group with the most arithmetic that still fits a screen, from the programs after
# fusion below DUMP_FOLDER.
set -euo pipefail
case ${1:-} in -h | --help) sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0" && exit ;; esac
cd "$1"
# Not the folders of regions compiled again, REGION-2.
find . -name '*-fuse.mlir' ! -path '*-[0-9]*/*' | sort | xargs -r awk '
    # A group ends at the closing brace in the column where its line began.
    !inside && /catena\.group/ {
        inside = 1; text = ""; lines = 0; operations = 0
        match($0, /^ */); indent = RLENGTH
    }
    inside {
        text = text substr($0, indent + 1) "\n"; ++lines
        if ($0 ~ /(arith|math)\.|catena\.reduce/) ++operations
        match($0, /^ */)
        if (lines > 1 && RLENGTH == indent && $0 ~ /^ *}/) {
            if (lines <= 48 && operations > most) { most = operations; best = text; file = FILENAME }
            inside = 0
        }
    }
    END {
        if (most == 0) { print "no fused group in " ARGV[1]; exit 1 }
        print "// " file; printf "%s", best
    }'
