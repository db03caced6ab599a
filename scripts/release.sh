#!/usr/bin/env bash
# Makes what a release of Catena carries: the Debian packages, and catena-VERSION-linux-x86_64.tar.zst with its .sha256, for
# those who do not want to build. On Debian 12, whose libraries the tarball brings along (scripts/release).
#   scripts/release.sh [OUTPUT-FOLDER]               builds in build-release first, without tests and examples
#   scripts/release.sh --from BUILD [OUTPUT-FOLDER]  packs that build
# The output folder is release in the build folder if none is given.
set -euo pipefail
case ${1:-} in -h | --help) sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0" && exit ;; esac
caller=$PWD
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

build=
if [ "${1:-}" = --from ]; then
    build=$(cd "$caller" && realpath -e "${2:?--from takes a build folder}")
    shift 2
fi
case ${1:-} in -*) echo "release.sh: there is no option $1; --from BUILD is the only one" >&2; exit 1 ;; esac
output=${1:+$(cd "$caller" && realpath -m "$1")}

# Packages and tarball of one commit have its time.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || stat -c %Y CHANGELOG.md)}
export SOURCE_DATE_EPOCH

# A folder of its own, so that no setting of an earlier build gets into a release. CUDA and NCCL are not in Debian 12: their
# plug-ins are built where the headers are.
if [ -z "$build" ]; then
    install_packages
    say "configure and build"
    build=$root/build-release
    configure release -B "$build" -DCATENA_TESTS=OFF -DCATENA_EXAMPLES=OFF -DCATENA_COMPILER=ON -DCATENA_LLVM_ARCHIVES=ON \
        -DCATENA_MPI=ON -DCATENA_HDF5=ON -DCATENA_ONNX=ON -DCATENA_CAFFE=ON -DCATENA_IMAGES=ON -DCATENA_SHARDS=ON
    cmake --build "$build" -j "$jobs" </dev/null
fi
output=${output:-$build/release}
mkdir -p "$output"

say "tarball"
scripts/release/tarball.sh "$build" "$output"

say "Debian packages"
work=$(mktemp -d "$output/making.XXXXXX")
trap 'rm -rf "$work"' EXIT
cpack --config "$build/CPackConfig.cmake" -B "$work" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
mv "$work"/*.deb "$work"/*.ddeb "$output"

say "in $output"
cd "$output"
du -k --apparent-size -- *.tar.zst *.deb *.ddeb | awk '{printf "%8.1f MB  %s\n", $1 / 1024, $2}'
