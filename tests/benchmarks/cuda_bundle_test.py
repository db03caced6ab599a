"""cuda_bundle_test.py BUILD: a bundle of this build, unpacked elsewhere, runs to its end.

Over the double of the driver (tests/cuda_double): all is there but the GPU. QUICK takes the
smallest sizes.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "benchmarks" / "cuda"
BUILD = Path(sys.argv.pop() if len(sys.argv) > 1 else "build").resolve()
MOST_BYTES = 60 << 20
LACKING = "skipped: "


def run(*words: object, **settings: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [str(word) for word in words],
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        timeout=600,
    )


class Bundle(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.root)
        file = cls.root / "catena-cuda.tar.gz"
        packed = run(FOLDER / "pack.sh", BUILD, file)
        if packed.returncode != 0:
            raise AssertionError(packed.stdout + packed.stderr)
        cls.bytes = file.stat().st_size
        run("tar", "-C", cls.root, "-xzf", file)
        cls.bundle = cls.root / "catena-cuda"
        card = cls.root / "path" / "nvidia-smi"
        card.parent.mkdir()
        card.write_text("#!/bin/sh\necho 'emulated on the host, 0.0'\n")
        card.chmod(0o755)
        double = str(BUILD / "lib" / "libcuda_double.so")
        cls.done = run(
            cls.bundle / "run.sh",
            QUICK="1",
            OUT=str(cls.root / "out"),
            SHARDS="1",
            PATH=f"{card.parent}:{os.environ['PATH']}",
            CATENA_CUDA_DRIVER=double,
            CATENA_NVRTC_PATH=double,
            CATENA_CUBLASLT_PATH="/none",
            CATENA_CUDNN_PATH="/none",
            CATENA_KERNEL_CACHE="off",
            CATENA_NUM_THREADS="1",
        )
        results = cls.root / "out" / "results.jsonl"
        cls.lines = [json.loads(line) for line in results.read_text().splitlines()]

    def test_what_the_page_says_to_build_is_what_is_packed(self):
        page = (FOLDER.parents[1] / "docs" / "cuda.md").read_text()
        command = re.search(r"^ *ninja -C build (\w[\w ]+\w)$", page, re.MULTILINE)
        self.assertIsNotNone(command)
        made = set()
        for target in command[1].split():
            said = run("ninja", "-C", BUILD, "-t", "query", target).stdout
            made.update(re.findall(r"^    (\S+)$", said.split("outputs:")[0], re.MULTILINE))
        programs = {f"bin/{name}" for name in ("catena", "test_gpu", "device_products")}
        self.assertLessEqual(programs, made)
        for name in ("compiler", "cuda", "nccl"):
            self.assertTrue(any(f"libcatena_{name}." in each for each in made), name)
        for script in ("pack.sh", "run.sh"):
            self.assertIn(command[1], (FOLDER / script).read_text())

    def test_is_small(self):
        self.assertLess(self.bytes, MOST_BYTES)

    def test_needs_no_library_of_the_build(self):
        libraries = run(
            "ldd", self.bundle / "bin" / "catena", LD_LIBRARY_PATH=str(self.bundle / "lib")
        ).stdout
        for name in ("libcatena.so", "libcatena_runtime.so"):
            self.assertIn(f"{self.bundle}/lib/{name}", libraries)
        self.assertNotIn(str(BUILD), libraries)
        self.assertNotIn("not found", libraries)

    def test_runs_to_its_end(self):
        self.assertEqual(self.done.returncode, 0, self.done.stdout + self.log())
        self.assertIn("device and versions  ", self.done.stdout)
        self.assertIn("NOT MEASURED", self.done.stdout)

    def test_every_part_ran_or_says_what_this_machine_lacks(self):
        states = {line["part"]: line["state"] for line in self.lines if "part" in line}
        self.assertGreater(len(states), 15)
        for part, state in states.items():
            self.assertTrue(state == "ok" or state.startswith(LACKING), f"{part}: {state}")
        for part in ("device and versions", "small rows, float32", "profile of GPT-2", "tests"):
            self.assertEqual(states[part], "ok", self.log())

    def test_starts_within_twenty_seconds(self):
        first = next(line for line in self.lines if line.get("part") == "device and versions")
        self.assertLess(first["seconds"], 20)

    def test_times_and_commit_are_written_down(self):
        times = [line for line in self.lines if "ms" in line and line["workload"] == "mushroom"]
        self.assertEqual(
            {line["precision"] for line in times}, {"float32", "tf32", "bfloat16", "float16"}
        )
        for line in times:
            self.assertGreater(line["ms"], 0)
            self.assertGreater(line["pipelined_ms"], 0)
            self.assertEqual(line["card"], "emulated on the host")
            self.assertNotEqual(line["commit"], "")
        profile = self.root / "out" / "profile_resnet50_64_bfloat16.txt"
        self.assertRegex(profile.read_text(), r"% of limit of +launch\n")
        self.assertRegex(profile.read_text(), r"\d (memory|launch) ")

    def test_the_cards_ceilings_are_written_down(self):
        """The double has no cuBLASLt, and so no peak of products."""
        lines = [line for line in self.lines if line.get("peer") == "catena-ceiling"]
        found = {line["workload"]: line for line in lines}
        self.assertEqual(set(found), {"large copy", "launch", "node of a graph"})
        self.assertGreater(found["large copy"]["gbytes_per_s"], 0)
        for name in ("launch", "node of a graph"):
            self.assertGreater(found[name]["ms"], 0)
            self.assertEqual(found[name]["card"], "emulated on the host")

    def log(self) -> str:
        return (self.root / "out" / "log").read_text()


if __name__ == "__main__":
    unittest.main()
