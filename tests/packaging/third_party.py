"""third_party.py SOURCE BUILD: THIRD_PARTY_LICENSES.md names all that is compiled in and linked.

Every header of others that the sources include and every library that a built file needs is in its
table; no header is there that nothing includes; the licences are those of libraries.txt
(scripts/release).
"""

import re
import subprocess
import sys
from pathlib import Path

SOURCE, BUILD = Path(sys.argv[1]), Path(sys.argv[2])
PAGE = "THIRD_PARTY_LICENSES.md"
FOLDERS = ("runtime", "ir", "passes", "codegen", "frontend", "tools")
#: Headers of the C and C++ standards, of POSIX and of Linux that are no word alone.
SYSTEM = re.compile(
    r"(sys|netinet|arpa|net)$|(cpuid|cxxabi|dirent|dlfcn|elf|fcntl|immintrin|link|locale|malloc|math|netdb"
    r"|poll|pthread|semaphore|signal|spawn|stdbool|stddef|stdint|stdio|string|unistd|xmmintrin)\.h$"
)


def table() -> dict[str, str]:
    """The names in the second column, each with its licence."""
    found = {}
    for line in (SOURCE / PAGE).read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and len(cells) == 5:
            found |= dict.fromkeys(re.findall(r"`([^`]+)`", cells[1]), cells[2])
    return found


def headers() -> dict[str, str]:
    """Headers of others by the folder or file that is included, each with a file that does."""
    pattern = re.compile(r'^\s*#\s*include\s*[<"]([^">]+)[">]', re.MULTILINE)
    ours = {*FOLDERS, "benchmarks", "catena", "catena_c.h"}
    found = {}
    for folder in FOLDERS:
        for file in sorted((SOURCE / folder).rglob("*")):
            if file.suffix not in (".h", ".c", ".cpp", ".def", ".inc"):
                continue
            for header in pattern.findall(file.read_text()):
                name = header.split("/")[0]
                is_standard = "/" not in header and "." not in header
                if (
                    not is_standard
                    and name not in ours
                    and not SYSTEM.match(name)
                    and not header.endswith(".inc")
                ):
                    found.setdefault(name, str(file.relative_to(SOURCE)))
    return {name: file for name, file in found.items() if not name.endswith(".pb.h")}


def libraries() -> dict[str, str]:
    """Libraries that built files need, each with a file that does."""
    files = [*BUILD.glob("lib/libcatena*.so"), BUILD / "bin/catena", BUILD / "bin/catena-opt"]
    files += BUILD.glob("python/catena/*.so")
    found = {}
    for file in filter(Path.exists, files):
        told = subprocess.run(["readelf", "-d", file], capture_output=True, text=True, check=True)
        for library in re.findall(r"\(NEEDED\).*\[(.*)\]", told.stdout):
            name = library.split(".so")[0]
            if not name.startswith("libcatena"):
                found.setdefault(name, file.name)
    return found


def main() -> None:
    named, included, needed = table(), headers(), libraries()
    assert len(named) > 20 and len(included) > 10 and len(needed) > 5, "is a reader broken?"
    faults = []
    for kind, used in (("includes", included), ("needs", needed)):
        faults += [
            f"{file} {kind} {name}, which {PAGE} does not name"
            for name, file in used.items()
            if name not in named
        ]
    sources = " ".join(included)
    faults += [
        f"{PAGE} names {name}, which nothing includes"
        for name in named
        if not name.startswith(("lib", "ld-")) and name not in sources.split()
    ]
    for line in (SOURCE / "scripts/release/libraries.txt").read_text().splitlines():
        library, _, licence = line.partition(" ")
        licence, name = licence.strip(), library.split(".so")[0]
        if library.startswith("#") or licence in ("base", "") or not library.strip():
            continue
        told = named.get(name)
        if told is None or licence.split(" AND ")[0].split(" WITH ")[0] not in told:
            faults.append(f"{PAGE}: {name} is {told}, scripts/release/libraries.txt says {licence}")
    sys.exit("\n".join(faults) or 0)


main()
