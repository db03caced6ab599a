#!/usr/bin/env bash
# build_cost.sh [--preset PRESET] [--build FOLDER] [--headers] [-DOPTION=VALUE ...] [TARGET ...]: what building costs. Builds
# the targets (all, if none is named) from nothing and without ccache in a folder of its own (build-cost), and prints tables
# in Markdown: the seconds of each folder and of the dearest files; --headers: how many of these are headers, compiled alone.
# CMAKE_BUILD_PARALLEL_LEVEL=1 builds one file at a time: processor seconds grow when hyper-threads share a core.
set -euo pipefail
export LC_ALL=C  # Seconds with a point.
usage() { sed -n '2,5s/^# //p' "$0"; }
preset=release folder=build-cost headers='' options=() targets=()
while [ $# -gt 0 ]; do
    case $1 in
        --preset) preset=${2:?a preset} && shift ;;
        --build) folder=${2:?a folder} && shift ;;
        --headers) headers=yes ;;
        -D*) options+=("$1") ;;
        -h | --help) usage && exit ;;
        -*) usage >&2 && exit 2 ;;
        *) targets+=("$1") ;;
    esac
    shift
done
case $folder in /*) ;; *) folder=$PWD/$folder ;; esac
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

# What this script keeps in the folder that it builds in; only a folder with these may be removed.
records=$folder/build_cost log=$folder/build_cost/log launcher=$folder/build_cost/timed
if [ -e "$folder" ] && [ ! -d "$records" ]; then
    echo "build_cost: $folder was not made by build_cost.sh, and it builds from nothing: name another folder" >&2
    exit 1
fi
rm -rf "$folder"
mkdir -p "$records"

# bash's own `time` costs a few milliseconds a file, an interpreter of Python twenty; /usr/bin/time is not everywhere.
# A record is one short write to the end of a file, so those of compilations at the same time do not mix.
cat > "$launcher" <<'LAUNCHER'
#!/usr/bin/env bash
output='' source='' language='' previous=''
for argument; do
    case $previous in
        -o) output=$argument ;;
        -c) source=$argument ;;
        -x) language=$argument ;;
    esac
    previous=$argument
done
kind=file
case $language in *-header) kind=precompiled ;; esac
[ -n "$source" ] || kind=link
TIMEFORMAT='%U %S'
exec 3>&1 4>&2
seconds=$({ time "$@" >&3 2>&4; } 2>&1)
status=$?
printf '%s\t%s\t%s\t%s\n' $kind "$seconds" "$output" "$source" >> "${0%/*}/log"
exit $status
LAUNCHER
chmod +x "$launcher"

export CCACHE_DISABLE=1
configure "$preset" -B "$folder" -DCATENA_TESTS=ON -DCCACHE=OFF \
    -DCMAKE_C_COMPILER_LAUNCHER="$launcher" -DCMAKE_CXX_COMPILER_LAUNCHER="$launcher" \
    -DCMAKE_C_LINKER_LAUNCHER="$launcher" -DCMAKE_CXX_LINKER_LAUNCHER="$launcher" ${options[@]+"${options[@]}"} >&2
: > "$log"

# timed COMMAND ...: "USER SYSTEM WALL", processor and wall seconds of it and its children.
timed() {
    local TIMEFORMAT='%U %S %R'
    { time "$@" > "$records/output" 2>&1; } 2>&1
}
if ! whole=$(timed cmake --build "$folder" --target "${targets[@]:-all}"); then
    cat "$records/output" >&2
    exit 1
fi
read -r user system wall <<< "$whole"

# The files of this repository that a source of the build stands for: those of a unity source, or itself.
files_of() {
    case $1 in
        */unity/*) sed -n 's/^#include "\(.*\)"$/\1/p' "$1" ;;
        *) echo "$1" ;;
    esac
}

# What several targets compile has their names, too.
declare -A repeated
while IFS= read -r source; do repeated[$source]=yes; done < <(cut -f4 "$log" | grep . | sort | uniq -d)

# describe OUTPUT SOURCE: sets count, name and place: runtime, ..., tests/ops, or generated for what the build wrote itself.
# A unity source counts where its first file is.
describe() {
    local target=${1%.dir/*} path=$2
    target=${target##*/}
    case $2 in
        */unity/*)
            count=$(files_of "$2" | wc -l)
            path=$root/$(files_of "$2" | sed -n 1p)
            name="$target: ${2##*/} of $count files" ;;
        *)
            count=1 name=${2#"$folder"/}
            name=${name#"$root"/}${repeated[$2]:+ ($target)} ;;
    esac
    place=${path#"$root"/}
    case $path in
        "$folder"/* | [!/]*) place=generated ;;
        "$root"/tests/*/*) place=${place#tests/} && place=tests/${place%%/*} ;;
        "$root"/*) place=${place%%/*} ;;
        *) place=elsewhere ;;
    esac
}

# KIND, SECONDS, PLACE, number of FILES, NAME, OUTPUT and SOURCE of each record.
while IFS=$'\t' read -r kind seconds output source; do
    count=1 place=$kind name=$output
    [ "$kind" != file ] || describe "$output" "$source"
    printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$kind" "${seconds/ /$'\t'}" "$place" "$count" "$name" "$output" "$source"
done < "$log" | awk -F'\t' -v OFS='\t' '{ print $1, $2 + $3, $4, $5, $6, $7, $8 }' > "$records/table"

compiler=$(sed -n 's/^CMAKE_CXX_COMPILER:[A-Z]*=//p' "$folder/CMakeCache.txt")
commit=$(git rev-parse --short HEAD 2> /dev/null || echo "no commit")
[ -z "$(git status --porcelain 2> /dev/null)" ] || commit+=" with changes"
processor=$(awk -F': ' '/^model name/ { print $2; exit }' /proc/cpuinfo 2> /dev/null || true)
cat <<END
$commit, preset $preset, targets: ${targets[*]:-all}${options[*]:+, ${options[*]}}
$("$compiler" --version | head -n 1); ${processor:-$(uname -m)}, $(nproc) cores, ${CMAKE_BUILD_PARALLEL_LEVEL:-all of them} at work

| Folder | files | compilations | processor seconds | seconds a file |
|---|---:|---:|---:|---:|
END
awk -F'\t' -v all="$(awk "BEGIN { print $user + $system }")" -v wall="$wall" '
    function row(name, files, units, seconds) {
        printf "| %s | %s | %s | %.1f | %s |\n", name, files, units, seconds, files ? sprintf("%.2f", seconds / files) : ""
    }
    function folder(name) {
        if (name in units && !(name in shown)) row(name, files[name], units[name], seconds[name])
        shown[name] = 1
    }
    # The places come sorted.
    { seconds[$3] += $2; files[$3] += $4; known += $2; if (!units[$3]++) place[++places] = $3 }
    END {
        n = split("runtime ir passes codegen frontend", layers, " ")
        for (i = 1; i <= n; ++i) folder(layers[i])
        for (i = 1; i <= places; ++i) if (place[i] !~ /^(precompiled|link)$/) folder(place[i])
        row("precompiled headers", "", units["precompiled"] + 0, seconds["precompiled"])
        row("links", "", units["link"] + 0, seconds["link"])
        row("other: ninja, archives, generators", "", "", all - known)
        printf "| **all** | | | **%.1f** | wall: %.1f |\n", all, wall
    }
' <(sort -t$'\t' -k3,3 "$records/table")

# The preprocessor's lines of a source: what is left has its headers and nothing else.
headers_of() {
    local file
    files_of "$1" | while IFS= read -r file; do
        awk '/^[ \t]*#/ || going { if (!/\.(def|inc)"/) print; going = /\\$/; next }' "$file"
    done
}

# seconds_of_headers OUTPUT SOURCE: processor seconds of the same compilation with SOURCE's headers alone.
seconds_of_headers() {
    local command cut=$records/headers.${2##*.} result
    headers_of "$2" > "$cut"
    command=$(ninja -C "$folder" -t commands -s "$1" | tail -n 1 |
        sed -E "s#^[^ ]*/build_cost/timed ##; s# -MD\b##; s# -M[TF] [^ ]+##g; s# -o [^ ]+# -fsyntax-only -w#; s# -c [^ ]+# '$cut'#")
    result=$(cd "$folder" && timed bash -c "$command") || { echo "?" && return; }
    awk '{ printf "%.1f", $1 + $2 }' <<< "$result"
}

# dearest CONDITION: the records that cost most.
dearest() { awk -F'\t' "$1" "$records/table" | sort -t$'\t' -k2,2gr | sed -n 1,20p; }

printf '\n| File | processor seconds |%s\n|---|---:|%s\n' ${headers:+" its headers alone |" "---:|"}
dearest '$1 == "file"' | while IFS=$'\t' read -r _ seconds _ _ name output source; do
    printf '| %s | %.1f |' "$name" "$seconds"
    [ -z "$headers" ] || printf ' %s |' "$(seconds_of_headers "$output" "$source" < /dev/null)"
    echo
done
printf '\n| Precompiled header or link | processor seconds |\n|---|---:|\n'
dearest '$1 != "file"' | awk -F'\t' '{ printf "| %s | %.1f |\n", $5, $2 }'
