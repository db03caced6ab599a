# lit's settings; tests/CMakeLists.txt passes bin (our programs), llvm (FileCheck, mlir-opt) and exec
# (where temporary files go).
import os

import lit.formats

config.name = "catena"
config.test_format = lit.formats.ShTest(True)
config.suffixes = [".mlir", ".test"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = lit_config.params["exec"]
config.environment["PATH"] = os.pathsep.join(
    [lit_config.params["bin"], lit_config.params["llvm"], os.environ["PATH"]]
)
config.substitutions.append(("%scripts", os.path.join(config.test_source_root, "..", "scripts")))
config.environment["FILECHECK_OPTS"] = "--dump-input-filter=all"

# REQUIRES: avx2 and the like: code is made for the processor that runs it.
try:
    with open("/proc/cpuinfo") as cpu:
        flags = next((line.split() for line in cpu if line.startswith("flags")), [])
except OSError:
    flags = []
if "avx2" in flags and "fma" in flags:
    config.available_features.add("avx2")
if "avx512dq" in flags:
    config.available_features.add("avx512")
