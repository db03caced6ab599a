#!/usr/bin/env bash
# no_opencl.sh LIBRARY OUT: a libOpenCL with the functions that LIBRARY asks of one, in their versions; each says that there is
# no platform.
set -euo pipefail
case ${1:-} in -h | --help) sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0" && exit ;; esac
versions=$(mktemp)
trap 'rm -f "$versions"' EXIT
wanted=$(nm -D --undefined-only "$1" | awk '$2 ~ /^cl[A-Z]/ { split($2, part, /@+/); print part[2], part[1] }' | sort)
awk '$1 != version { if (version) print "};"; version = $1; print version " { global:" } { print "  " $2 ";" }
     END { print "};" }' <<<"$wanted" >"$versions"
{
    echo "/* CL_PLATFORM_NOT_FOUND_KHR */"
    awk '{ print "int " $2 "(void) { return -1001; }" }' <<<"$wanted"
} | "${CC:-cc}" -x c -shared -fPIC -Wl,-soname,libOpenCL.so.1 -Wl,--version-script="$versions" -o "$2" -
