"""benchmarks/cuda/run.sh with scripts in place of programs: what is missing, fails or hangs."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "benchmarks" / "cuda"
# Writes a line for each workload and precision, as `catena bench --dtype` does.
BENCH = """
echo "catena ran with $*"
all=
for word; do
    case "$word" in
        --ceilings)
            echo '{"peer":"catena-ceiling","workload":"matmul","precision":"tf32","tflops":400}' ;;
        *float32* | *float16* | *tf32*) all=$(echo "$word" | tr , ' ') ;;
    esac
done
for word; do
    for precision in $all; do
        line='{"peer":"catena-step","workload":"'$word'","precision":"'$precision'"'
        case "$word" in
            resnet50_64) echo "$line"',"ms":20.2}' ;;
            mlp | resnet50* | unet) echo "$line"',"ms":0.09}' ;;
        esac
    done
done
"""


def is_running(pid: str) -> bool:
    """Not one that has ended and waits for somebody to ask for its status."""
    try:
        state = Path("/proc", pid, "stat").read_text().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


class Run(unittest.TestCase):
    def setUp(self):
        self.root = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.root)
        self.bundle = self.root / "bundle"
        shutil.copytree(FOLDER, self.bundle, ignore=shutil.ignore_patterns("__pycache__"))
        (self.bundle / "commit").write_text("0123456789abcdef\n")
        self.make("path/nvidia-smi", "echo 'A double of a card, 580.1'")
        self.make("bundle/bin/catena", BENCH)
        self.make("bundle/bin/test_gpu", "echo 'tests ran with '$*")
        self.make("bundle/bin/device_products", 'echo \'{"workload": "matmul", "ms": 1}\'')

    def make(self, file: str, script: str) -> None:
        path = self.root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("#!/bin/sh\n" + script + "\n")
        path.chmod(0o755)

    def run_parts(self, *parts: str, **settings: str) -> subprocess.CompletedProcess:
        environment = {
            **os.environ,
            "PATH": f"{self.root / 'path'}:{os.environ['PATH']}",
            "OUT": str(self.root / "out"),
            "SHARDS": "1",
            **settings,
        }
        return subprocess.run(
            [str(self.bundle / "run.sh"), *parts],
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
        )

    def lines(self) -> list[dict]:
        text = (self.root / "out/results.jsonl").read_text()
        return [json.loads(line) for line in text.splitlines()]

    def state_of(self, part: str) -> str:
        return next(line["state"] for line in self.lines() if line.get("part") == part)

    def test_without_a_gpu_says_so(self):
        self.make("path/nvidia-smi", "exit 9")
        done = self.run_parts()
        self.assertEqual(done.returncode, 77)
        self.assertIn("no GPU here: nvidia-smi does not run", done.stderr)

    def test_an_unknown_part_is_an_error_that_lists_the_parts(self):
        done = self.run_parts("step")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no part step; there are device ceilings steps", done.stderr)

    def test_each_line_says_card_driver_commit_and_date(self):
        done = self.run_parts("device", "steps")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        lines = self.lines()
        self.assertGreater(len(lines), 10)
        for line in lines:
            self.assertEqual(line["card"], "A double of a card")
            self.assertEqual(line["driver"], "580.1")
            self.assertEqual(line["commit"], "0123456789abcdef")
            self.assertRegex(line["date"], r"^20\d\d-\d\d-\d\dT")
        for precision in ("bfloat16", "tf32", "float32", "float16"):
            self.assertTrue(any(line.get("precision") == precision for line in lines), precision)

    def test_the_limits_of_all_parts_fit_into_a_quarter_of_an_hour(self):
        listed = self.run_parts("--list")
        self.assertEqual(listed.returncode, 0, listed.stderr)
        self.assertFalse((self.root / "out").exists(), "it only lists")
        limits = [line.split("\t") for line in listed.stdout.splitlines()]
        self.assertLessEqual(sum(int(seconds) for seconds, _ in limits), 15 * 60)
        self.assertGreater(min(int(seconds) for seconds, _ in limits), 0)

    def test_the_list_names_the_parts_in_the_order_in_which_they_run(self):
        listed = [line.split("\t")[1] for line in self.run_parts("--list").stdout.splitlines()]
        self.run_parts()
        self.assertEqual([line["part"] for line in self.lines() if "part" in line], listed)
        self.assertEqual(len(set(listed)), len(listed))
        first = ["device and versions", "ceilings of this card", "large rows, bfloat16"]
        self.assertEqual(listed[:3], first)
        self.assertLess(
            listed.index("tests: what only a card shows"),
            listed.index("PyTorch and JAX on the same rows"),
        )

    def test_the_cards_ceilings_are_kept_as_measured(self):
        self.run_parts("ceilings")
        kept = [line for line in self.lines() if line.get("peer") == "catena-ceiling"]
        self.assertEqual(len(kept), 1)
        self.assertEqual(kept[0]["tflops"], 400)
        self.assertEqual(kept[0]["card"], "A double of a card")

    def test_a_time_over_its_goal_is_marked(self):
        done = self.run_parts("steps")
        self.assertRegex(done.stdout, r"\nresnet50_64 +bfloat16 .* OVER THE GOAL by 92 %\n")
        self.assertRegex(done.stdout, r"\nmlp +float32 +0.09 .*\n")

    def test_a_part_that_hangs_is_ended_with_its_children_and_the_others_run(self):
        self.make("bundle/bin/catena", "echo $$ >>" + str(self.root / "pids") + "; sleep 1000")
        begin = time.monotonic()
        done = self.run_parts("profiles", "right", PART_SECONDS="1")
        self.assertLess(time.monotonic() - begin, 60)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(self.state_of("profile of ResNet-50"), "FAILED: not done after 1 s")
        self.assertEqual(self.state_of("tests: op table"), "ok")
        self.assertRegex(done.stdout, r"\nprofile of GPT-2 +FAILED: not done after 1 s")
        pids = (self.root / "pids").read_text().split()
        self.assertEqual(len(pids), 2)
        for pid in pids:
            self.assertFalse(is_running(pid), pid)

    def test_a_part_that_ignores_the_request_to_end_is_killed(self):
        keeps_its_id = f"echo $$ >>{self.root}/pids"
        self.make("bundle/bin/catena", f"trap '' TERM; {keeps_its_id}; while :; do sleep 1; done")
        done = self.run_parts("profiles", PART_SECONDS="1")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(self.state_of("profile of GPT-2"), "FAILED: not done after 1 s")
        pids = (self.root / "pids").read_text().split()
        self.assertEqual(len(pids), 2)
        for pid in pids:
            self.assertFalse(is_running(pid), pid)

    def test_a_part_that_fails_is_told_and_the_others_run(self):
        self.make("bundle/bin/test_gpu", "echo 'a wrong value'; exit 3")
        done = self.run_parts("right", "more")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(self.state_of("tests: op table"), "FAILED: status 1")
        self.assertIn("a wrong value", (self.root / "out/log").read_text())
        self.assertEqual(self.state_of("products and convolutions"), "ok")
        self.assertIn("!! tests: op table: FAILED: status 1\n", done.stdout)

    def test_what_a_machine_lacks_is_a_reason_to_skip(self):
        lacks_torch = "case \"$*\" in *'import torch'*) exit 1 ;; esac"
        self.make("path/python3", f'{lacks_torch}; exec {sys.executable} "$@"')
        (self.bundle / "bin/device_products").unlink()
        done = self.run_parts("ceilings", "libraries", "compared", "more")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual(self.state_of("ceilings of this card"), "ok")
        self.assertEqual(
            self.state_of("ceilings by PyTorch"), "skipped: python3 has no torch that sees a GPU"
        )
        self.assertIn("skipped", self.state_of("engines of cuDNN for ResNet-50"))
        self.assertEqual(
            self.state_of("products and convolutions"), "skipped: device_products is not there"
        )
        self.assertIn("no folder of programs", self.state_of("programs from files"))

    def test_what_no_longer_fits_is_left_out_and_said(self):
        self.make("bundle/bin/catena", "sleep 2")
        done = self.run_parts("device", "steps", LIMIT="12")
        self.assertIn("left out", self.state_of("large rows, bfloat16"))
        self.assertRegex(done.stdout, r"\n!! large rows, bfloat16: left out: \d+ s are left")

    def test_engines_are_measured_in_pairs(self):
        self.run_parts("more")
        found = [line.get("autotune") for line in self.lines() if "autotune" in line]
        self.assertEqual(found, [False, True])  # One of the double's rows is among the three.

    def test_a_trial_says_that_it_is_one(self):
        self.run_parts("device", "steps", QUICK="1")
        self.assertTrue(all(line["quick"] for line in self.lines()))


if __name__ == "__main__":
    unittest.main()
