# Sourced by quickstart.sh and test.sh: the Debian packages of packages.txt, and the build folder.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

say() { printf '\n== %s\n' "$*"; }

packages() { sed 's/#.*//' packages.txt | tr -s ' \n' '\n\n' | grep -v '^$'; }

missing_packages() {
    local package
    for package in $(packages); do
        dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q '^install ok installed' ||
            echo "$package"
    done
}

# Installs what is missing, as root or through sudo; nothing to do is no call of apt at all.
install_packages() {
    command -v dpkg-query >/dev/null || {
        echo "not a Debian system: install the equivalents of packages.txt by hand" >&2
        return
    }
    local missing sudo=()
    missing=$(missing_packages)
    [ -n "$missing" ] || return 0
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || {
            echo "these packages are missing, and there is neither root nor sudo: "$missing >&2
            return 1
        }
        sudo=(sudo)
    fi
    say "installing" $missing
    "${sudo[@]}" apt-get update -qq </dev/null
    # shellcheck disable=SC2086
    "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
        --no-install-recommends $missing </dev/null
}

jobs=$(nproc)

# The Python package needs nanobind and others, which are not in Debian. Without Python 3.11 or PyPI it is not built:
# python_options says what configure is told, and python is the interpreter, empty without the package.
python_options=(-DCATENA_PYTHON=OFF)
python=
find_python_tools() {
    if ! /usr/bin/python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
        say "no Python package: it needs Python 3.11 or later"
    elif python=$(timeout 300 tests/python/setup.sh "$root/build/python-tools" </dev/null 2>/dev/null); then
        # A folder that was configured without the package forgets that.
        python_options=(-DCATENA_PYTHON=AUTO -DPython_EXECUTABLE="$python")
    else
        python=
        say "no Python package: PyPI could not be reached for nanobind and NumPy"
    fi
}

# Whether the build in a folder has the Python package: a system that is no Debian may lack Python's headers.
has_python_package() { [ -n "$python" ] && grep -q '^build catena_python:' "$1/build.ninja"; }

# configure PRESET [-DOPTION=VALUE...]: quiet unless it fails.
configure() {
    local log
    log=$(mktemp)
    if ! cmake --preset "$@" >"$log" 2>&1 </dev/null; then
        cat "$log" >&2
        rm -f "$log"
        return 1
    fi
    grep '^-- catena:' "$log" || true
    rm -f "$log"
}
