#!/usr/bin/env bash
# What a machine with a GPU, but without LLVM and packages, needs to run Catena's benchmarks: pack.sh [BUILD] [FILE]
#
# Run it after `ninja -C build catena_tool catena_compiler catena_cuda catena_nccl test_gpu device_products`. FILE (BUILD/catena-cuda.tar.gz)
# holds one folder, catena-cuda: the programs and libraries of BUILD (build), stripped, all that they are linked with
# beyond the C and C++ libraries, and the scripts. On the other machine, which needs a driver, NVRTC, Python 3, and a C
# library as new as this machine's:
#
#     tar xzf catena-cuda.tar.gz && catena-cuda/run.sh
#
# PACKAGES: a folder of programs in files (`catena bench --save`), for the part of that name. CACHE: the cache of an
# earlier sitting, so that nothing is compiled twice. MOST (60): MiB that FILE may have.
set -euo pipefail
case ${1:-} in -h | --help) sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0" && exit ;; esac
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=${1:-build}
file=${2:-$build/catena-cuda.tar.gz}
most=${MOST:-60}
programs=(catena test_gpu device_products)

say() { echo "pack: $*" >&2; }
[[ -x $build/bin/catena ]] || { say "$build/bin/catena is not there: build first"; exit 1; }
build=$(readlink -f "$build")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
bundle=$scratch/catena-cuda
mkdir -p "$bundle/bin" "$bundle/lib"

for program in "${programs[@]}"; do
    if [[ -x $build/bin/$program ]]; then cp "$build/bin/$program" "$bundle/bin/"
    else say "$build/bin/$program is not built: its parts will be skipped"; fi
done
# Catena's libraries that the programs are linked with, and the plug-ins that are opened by name; links stay links.
linked() { LD_LIBRARY_PATH=$build/lib ldd "$@" 2>/dev/null; }
for name in $(linked "$bundle"/bin/* | sed -n 's/^\s*\(libcatena[a-z_]*\)\.so.*/\1/p' | sort -u) libcatena_compiler libcatena_cuda libcatena_nccl; do
    found=0
    for library in "$build/lib/$name".so*; do
        [[ -e $library ]] || continue
        cp -P "$library" "$bundle/lib/"
        found=1
    done
    ((found)) || say "no $name in $build/lib: what needs it will not run"
done
if linked "$bundle"/lib/libcatena_compiler.so | grep -q libLLVM; then
    say "libLLVM and libMLIR come along, as LLVM is no part of libcatena_compiler: configure with -DCATENA_LLVM_ARCHIVES=ON"
fi
find "$bundle" -type f -exec strip --strip-unneeded {} +

# Not the C and C++ libraries: they have to fit that machine's loader.
system='/(ld-linux[^/]*|libc|libm|libdl|librt|libpthread|libresolv|libutil|libstdc\+\+|libgcc_s|linux-vdso)\.so'
missing=$(linked "$bundle"/bin/* "$bundle"/lib/*.so* | grep 'not found' | sort -u || true)
[[ -z $missing ]] || { say "not found even here: $missing"; exit 1; }
linked "$bundle"/bin/* "$bundle"/lib/*.so* | awk '/=> \//{print $3}' | sort -u | while read -r library; do
    [[ $library =~ $system ]] || [[ $(readlink -f "$library") == "$build"/* ]] || cp -L "$library" "$bundle/lib/"
done

cp "$here"/*.sh "$here"/*.py "$here"/goals.tsv "$here"/results.jsonl "$bundle/"
rm "$bundle/pack.sh"
[[ -z ${PACKAGES:-} ]] || cp -r "$PACKAGES" "$bundle/packages"
[[ -z ${CACHE:-} ]] || cp -r "$CACHE" "$bundle/cache"
commit=$(git -C "$here" rev-parse HEAD 2>/dev/null || echo unknown)
[[ -z $(git -C "$here" status --porcelain --untracked-files=no 2>/dev/null) ]] || commit+="+changes"
echo "$commit" >"$bundle/commit"

tar -C "$scratch" -c catena-cuda | gzip -6 >"$file"
size=$(stat -c %s "$file")
echo "pack: $file: $((size >> 10)) KiB, $(du -sm "$bundle" | cut -f1) MB unpacked, commit $commit"
if ((size > most << 20)); then
    say "that is more than $most MiB: take less in PACKAGES or CACHE; the largest are"
    du -m "$bundle"/*/* | sort -rn | head -5 >&2
    exit 1
fi
