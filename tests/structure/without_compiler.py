#!/usr/bin/env python3
"""without_compiler.py SOURCE BUILD WORK: configures -DCATENA_COMPILER=OFF in WORK, with the other settings of BUILD, and
checks that it compiles the same files by the same commands, but for those of the compiler. So a build whose compiler is
hidden (CATENA_COMPILER_PATH=/none) is one without it."""
import json
import pathlib
import re
import shutil
import subprocess
import sys

# What a build without the compiler may lack: the compiler, and tests that look into it or need it.
OF_COMPILER = ("ir", "passes", "codegen", "unity/catena_ir", "unity/catena_passes", "unity/catena_codegen", "tests/ir",
               "tests/passes", "tests/codegen", "tests/cuda", "tests/gpu", "tests/several_devices")
SETTING = re.compile(r"((?:CATENA_|CMAKE_(?:BUILD_TYPE|C_COMPILER|CXX_COMPILER|CXX_FLAGS)|Python_EXECUTABLE)\w*):(?!INTERNAL|STATIC)(\w+)=(.*)")

# Of a source, in whichever target, once one asks for it; and where Python's packages are, which may lie in the build.
PATHS = re.compile(r" -DCATENA_(SOURCE_DIR|BINARY_DIR|CXX)=\S+|(?<=-I)\S+(?=/site-packages/)")


def settings(build):
    """The options of a build, as arguments for cmake; what it has found is searched anew."""
    for line in (build / "CMakeCache.txt").read_text().splitlines():
        if match := SETTING.fullmatch(line):
            name, kind, value = match.groups()
            if name != "CATENA_COMPILER":
                yield f"-D{name}:{kind}={value}"


def commands(source, build):
    """(file, object) -> its command, and the text of a file by CMake, without the paths of this checkout."""
    result = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        command, file = PATHS.sub("", entry["command"]), pathlib.Path(entry["file"])
        if "site-packages" in file.parts:  # nanobind, which is compiled with what uses it.
            continue
        name = file.relative_to(build if file.is_relative_to(build) else source)
        text = file.read_text() if {"CMakeFiles", "unity"} & set(name.parts) else ""
        result[str(name), re.search(r" -o (\S+)", command).group(1)] = f"{command}\n{text}".replace(str(build), "BUILD")
    return result


def main(source, build, work):
    shutil.rmtree(work, ignore_errors=True)
    subprocess.run(["cmake", "-G", "Ninja", "-S", source, "-B", work, *settings(build), "-DCATENA_COMPILER=OFF"],
                   check=True)
    with_compiler, without = commands(source, build), commands(source, work)
    differences = []
    for key, command in without.items():
        if key not in with_compiler:
            differences.append(f"{key[0]} is compiled without the compiler alone")
        elif command != with_compiler[key]:
            differences.append(f"{key[0]} is compiled otherwise:\n  {with_compiler[key]}\n  {command}")
    for file, _ in with_compiler.keys() - without.keys():
        if not file.startswith(tuple(folder + "/" for folder in OF_COMPILER)):
            differences.append(f"{file} is not compiled without the compiler")
    shutil.rmtree(work)
    print(f"{len(with_compiler)} files with the compiler, {len(without)} without")
    print("\n".join(differences))
    return 1 if differences or not without else 0


if __name__ == "__main__":
    sys.exit(main(*(pathlib.Path(path).resolve() for path in sys.argv[1:])))
