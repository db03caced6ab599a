#!/usr/bin/env bash
# tarball.sh BUILD OUTPUT-FOLDER: makes catena-VERSION-linux-x86_64.tar.zst and its .sha256 of a build. What is unpacked from it
# runs and serves find_package on a bare Debian 12: libraries that such a system lacks lie beside ours (libraries.txt). The same
# build gives the same file: names are sorted, times are SOURCE_DATE_EPOCH or that of the commit.
set -euo pipefail
case ${1:-} in -h | --help) sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0" && exit ;; esac
export LC_ALL=C
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

die() { echo "tarball.sh: $*" >&2; exit 1; }
[ $# -eq 2 ] || die "give the build folder and the output folder"
for program in zstd patchelf readelf:binutils strip:binutils dpkg-query:dpkg pkg-config:pkg-config; do
    command -v "${program%:*}" >/dev/null || die "there is no ${program%:*} (Debian: ${program#*:})"
done
[ -e "$1/CMakeCache.txt" ] || die "$1 is not a build folder: it has no CMakeCache.txt"
build=$(cd "$1" && pwd)
mkdir -p "$2"
output=$(cd "$2" && pwd)

cached() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }
source=$(cached CMAKE_HOME_DIRECTORY)
version=$(cached CMAKE_PROJECT_VERSION)
epoch=${SOURCE_DATE_EPOCH:-$(git -C "$source" log -1 --format=%ct 2>/dev/null || stat -c %Y "$source/CHANGELOG.md")}
name=catena-$version-linux-$(uname -m)
work=$(mktemp -d "$output/making.XXXXXX")
trap 'rm -rf "$work"' EXIT
tree=$work/$name
licences=$tree/share/doc/catena/licences

check_build() {
    [ "$(cached CMAKE_BUILD_TYPE)" = Release ] || die "$build is not a release build (cmake --preset release)"
    [ -z "$(cached CATENA_SANITIZE)" ] || die "$build is built with sanitizers"
    [ "$(cached CATENA_HAS_LLVM_INSIDE)" = ON ] ||
        die "$build has no compiler with LLVM inside (-DCATENA_COMPILER=ON -DCATENA_LLVM_ARCHIVES=ON; Debian: llvm-22-dev libmlir-22-dev)"
    ! grep -q -e -march=native "$build/compile_commands.json" ||
        die "$build is for the processors of this machine alone (-march=native)"
}

source "$here/licences.sh"
elf_files() { find "$tree/bin" "$tree/lib" -type f -exec sh -c 'head -c 4 "$1" | grep -q ELF' sh {} \; -print | sort; }

# Libraries of ours that are loaded when they are asked for, from others that the system has or has not.
is_optional() { case ${1##*/} in libcatena_hdf5.so | libcatena_mpi.so | libcatena_nccl.so | libcatena_cuda.so) ;; *) false ;; esac; }

# bundle FILE: lays beside it what it needs and a bare Debian lacks, and what that needs.
bundle() {
    local library path package mark licence
    for library in $(needed "$1"); do
        licence=$(licence_of "$library")
        if [ -e "$tree/lib/$library" ] || [ "$licence" = base ]; then continue; fi
        [ -n "$licence" ] ||
            die "${1##*/} needs $library: add it to libraries.txt with its licence, or make optional what needs it"
        path=$(ldd "$1" | awk -v library="$library" '$1 == library { print $3 }')
        path=$(realpath "$path")
        package=$(package_of "$path")
        [ -n "$package" ] || die "$path is not from a package of Debian, so its licence and sources are not known"
        install -m 644 "$path" "$tree/lib/$library"
        copy_licence "$package"
        bundle "$tree/lib/$library"
        mark=
        if needs_bundled "$tree/lib/$library"; then
            patchelf --set-rpath '$ORIGIN' "$tree/lib/$library"
            mark='*'
        fi
        dpkg-query -W -f="| \`$library\`$mark | $licence | \${source:Package} \${source:Version} |\n" "$package" >>"$work/brought"
    done
}

needs_bundled() {
    local library
    for library in $(needed "$1"); do
        [ ! -e "$tree/lib/$library" ] || return 0
    done
    return 1
}

# packages_for PLUG-IN: those of the libraries that it needs and that are not here.
packages_for() {
    local library path
    for library in $(needed "$1"); do
        if [ -e "$tree/lib/$library" ] || [ "$(licence_of "$library")" = base ]; then continue; fi
        path=$(ldd "$1" | awk -v library="$library" '$1 == library { print $3 }')
        package_of "$(realpath "$path")"
    done | sort -u | tr '\n' ' '
}

# Catena's headers include those of fmt. Debian's own files for CMake and pkg-config know Debian's folders.
bring_fmt() {
    local library cmake
    library=$(basename "$tree"/lib/libfmt.so.*)
    cmake=$tree/lib/cmake/fmt
    cp -r /usr/include/fmt "$tree/include/fmt"
    ln -s "$library" "$tree/lib/libfmt.so"
    mkdir -p "$cmake"
    sed "s/@LIBRARY@/$library/" "$here/fmt-config.cmake" >"$cmake/fmt-config.cmake"
    cp "$(cached fmt_DIR)/fmt-config-version.cmake" "$cmake/"
    sed "s/@VERSION@/$(pkg-config --modversion fmt)/" "$here/fmt.pc" >"$tree/lib/pkgconfig/fmt.pc"
}

optional_rows() {
    local lib=$tree/lib
    echo '| linear algebra (`inv`, `svd`, `solve` and others) | `libopenblas0` |'
    echo '| saving a compiled region as a program (`step.save("x.catena")`) | `binutils` |'
    [ ! -e "$lib/libcatena_hdf5.so" ] || echo "| HDF5 files | \`$(packages_for "$lib/libcatena_hdf5.so" | xargs)\` |"
    [ ! -e "$lib/libcatena_mpi.so" ] || echo "| several processes over MPI | \`openmpi-bin $(packages_for "$lib/libcatena_mpi.so" | xargs)\` |"
    [ ! -e "$lib/libcatena_cuda.so" ] || echo "| CUDA devices | NVIDIA's driver and NVRTC; cuBLASLt and cuDNN where installed |"
    [ ! -e "$lib/libcatena_nccl.so" ] || echo "| sums between GPUs | NVIDIA's NCCL |"
    echo '| plots and graphs of a training | `gnuplot-nox`, `graphviz` |'
    echo '| `catena::download` (`find_package(catena CONFIG REQUIRED COMPONENTS download)`) | `libcurl4-openssl-dev libssl-dev` |'
}

newest() { elf_files | xargs readelf -V | grep -oE "\b$1_[0-9.]+[0-9]" | sort -uV | tail -n 1; }

write_readme() {
    optional_rows >"$work/optional"
    sort -o "$work/brought" "$work/brought"
    sed -e "s/@NAME@/$name/g; s/@VERSION@/$version/; s/@GLIBC@/$(newest GLIBC | tr -d A-Z_)/; s/@GLIBCXX@/$(newest GLIBCXX)/" \
        -e "/@OPTIONAL@/{r $work/optional" -e 'd}' -e "/@BROUGHT@/{r $work/brought" -e 'd}' "$here/README.md" >"$tree/README.md"
}

# Nothing in it knows where it was built, or looks for libraries elsewhere than in itself.
check_tree() {
    local file folder folders found
    found=$(printf '%s|%s|%s' "$source" "$build" "$work" | sed 's/[][\.*^$+?(){}]/\\&/g')
    found=$(grep -rlaE "(^|[^A-Za-z0-9_./-]|-[IL])($found)(/|\$)" "$tree" | head -n 5 || true)
    [ -z "$found" ] || die "these files name folders of the build: $found
(objects of ccache do unless CCACHE_BASEDIR is the root of the sources, as scripts/setup.sh sets it)"
    elf_files | while read -r file; do
        folders=$(readelf -d "$file" | sed -n 's/.*R\(UN\)\?PATH).*\[\(.*\)\]/\2/p')
        for folder in ${folders//:/ }; do
            [[ $folder == '$ORIGIN' || $folder == '$ORIGIN/../lib' ]] || die "${file##*/} looks for libraries in $folder"
        done
    done
}

check_build
cmake --install "$build" --prefix "$tree" --strip >/dev/null
[ -e "$tree/lib/libcatena.so" ] || die "$build installs libraries in $(cached CMAKE_INSTALL_LIBDIR), not in lib"
rm -f "$tree/bin/catena-opt"
rm -rf "$tree/share/gdb"  # It is found by the folder of the libraries, which is not known before the tarball is unpacked.
find "$tree/lib" -name '*.a' -exec strip -D --strip-debug {} +
for file in $(elf_files); do
    is_optional "$file" || bundle "$file"
done
bring_fmt
for package in nlohmann-json3-dev libcli11-dev libxxhash-dev; do copy_licence "$package"; done
mv "$tree/share/doc/catena/LLVM-copyright" "$licences/"
[ ! -e "$tree/share/doc/catena/libarchive-copyright" ] || mv "$tree/share/doc/catena/libarchive-copyright" "$licences/"
copy_common_licences
write_readme
check_tree

tar -C "$work" --sort=name --mtime="@$epoch" --owner=0 --group=0 --numeric-owner --mode=u+rw,go+rX,go-w --format=gnu -cf - "$name" |
    ZSTD_CLEVEL=${ZSTD_CLEVEL:-19} zstd -q -T0 -o "$work/$name.tar.zst"
mv "$work/$name.tar.zst" "$output"
(cd "$output" && sha256sum "$name.tar.zst" >"$name.tar.zst.sha256")
echo "$name.tar.zst: $(du -m "$output/$name.tar.zst" | cut -f 1) MB, unpacked $(du -sm "$tree" | cut -f 1) MB, the libraries of others in it $(
    cd "$tree/lib" && sed -n 's/^| `\([^`]*\)`.*/\1/p' "$work/brought" | xargs du -cm | tail -n 1 | cut -f 1) MB"
