"""benchmarks/cuda/results.py: what is kept, what is told, and that docs/cuda.md says the same."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import json
import re
import sys
import tempfile
import unittest
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "benchmarks" / "cuda"
SPEC = importlib.util.spec_from_file_location("results", FOLDER / "results.py")
results = importlib.util.module_from_spec(SPEC)
sys.dont_write_bytecode = True
SPEC.loader.exec_module(results)

GOAL = results.Goal("resnet50_64", "bfloat16", 10.5, 7, "")


def row(ms: float, peer: str = "catena-step", card: str = "H100", **more: object) -> dict:
    return {
        "date": "2026-11-27",
        "card": card,
        "commit": "0123456789abcdef",
        "workload": "resnet50_64",
        "precision": "bfloat16",
        "peer": peer,
        "ms": ms,
        **more,
    }


def kept(lines: list[str], **facts: object) -> list[dict]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "results.jsonl"
        with contextlib.redirect_stdout(io.StringIO()):
            results.keep(path, facts, lines)
        return results.read(path)


class Keep(unittest.TestCase):
    def test_keeps_measurements_and_says_under_what_they_were_taken(self):
        lines = ['{"ms": 2, "workload": "mlp"}\n', "a warning\n", "{no object\n", "[1]\n"]
        self.assertEqual(kept(lines, card="H100"), [{"card": "H100", "ms": 2, "workload": "mlp"}])

    def test_a_damaged_file_is_named_with_its_line(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "x.jsonl"
            path.write_text('{"ms": 1}\n7\n')
            with self.assertRaisesRegex(ValueError, r"x\.jsonl:2: this is no JSON object: 7"):
                results.read(path)

    def test_a_trial_is_not_added(self):
        with tempfile.TemporaryDirectory() as folder:
            new, all_of_them = Path(folder) / "new", Path(folder) / "all"
            new.write_text(json.dumps(row(1, quick=True)) + "\n")
            with self.assertRaisesRegex(ValueError, "is of a trial"):
                results.main(["add", str(new), "--to", str(all_of_them)])
            self.assertFalse(all_of_them.exists())
            new.write_text(json.dumps(row(1)) + "\n")
            results.main(["add", str(new), "--to", str(all_of_them)])
            results.main(["add", str(new), "--to", str(all_of_them)])
            self.assertEqual(results.read(all_of_them), [row(1), row(1)])


class Table(unittest.TestCase):
    def test_marks_a_time_over_its_goal(self):
        self.assertIn("OVER THE GOAL by 92 %", results.table([row(20.2)], [], [GOAL]))
        self.assertNotIn("GOAL by", results.table([row(10.4)], [], [GOAL]))

    def test_marks_a_time_that_became_slower_on_such_a_card(self):
        new, old = [row(10.4)], [row(9.0), row(8.0, card="A100")]
        self.assertIn("SLOWER than before by 16 %", results.table(new, old, [GOAL]))
        self.assertNotIn("SLOWER", results.table(new, old[1:], [GOAL]))

    def test_marks_a_time_below_what_is_possible(self):
        self.assertIn("FASTER THAN POSSIBLE", results.table([row(6.9)], [], [GOAL]))

    def test_marks_a_row_that_was_not_measured(self):
        text = results.table([row(1, peer="torch-eager")], [], [GOAL])
        self.assertIn("NOT MEASURED", text)
        self.assertIn("torch-eager", text)

    def test_compares_times_of_the_same_kind(self):
        old = row(9.0)
        self.assertIn("SLOWER", results.table([row(12.0, pipelined_ms=8.0)], [old], [GOAL]))
        old["pipelined_ms"] = 7.9
        self.assertNotIn("SLOWER", results.table([row(12.0, pipelined_ms=8.0)], [old], [GOAL]))

    def test_marks_a_row_without_a_goal_that_is_slower_than_the_last_one_kept(self):
        old = [row(8.0, date="2026-11-01"), row(10.0), row(1.0, card="A100")]
        text = results.table([row(10.6)], old, [])
        self.assertIn(
            "!! resnet50_64 bfloat16 (catena-step): SLOWER by 6 % than on 2026-11-27 01234567\n",
            text,
        )
        self.assertNotIn("!!", results.table([row(10.4)], old, []))
        self.assertNotIn("!!", results.table([row(10.6, precision="tf32")], old, []))
        self.assertNotIn("!!", results.table([row(10.6, peer="torch-eager")], old, []))

    def test_names_parts_that_were_not_done_first(self):
        part = {"card": "H100", "part": "rows", "state": "FAILED: not done after 60 s"}
        text = results.table([row(10), part], [], [GOAL])
        self.assertTrue(text.startswith("!! rows: FAILED: not done after 60 s\n"), text)

    def test_counts_the_pipelined_time(self):
        text = results.table([row(20, pipelined_ms=10)], [], [GOAL])
        self.assertNotIn("OVER", text)

    def test_leaves_out_measured_engines_and_other_precisions(self):
        rows = [row(1, autotune=True), row(1, precision="tf32")]
        self.assertIn("NOT MEASURED", results.table(rows, [], [GOAL]))


class Page(unittest.TestCase):
    PAGE = "".join(
        f"<!-- results: {name} -->\nold\n<!-- end -->\nbetween\n"
        for name in ("steps", "precisions", "autotune", "ceilings", "parts")
    )

    def page(self, *rows: dict) -> str:
        return results.page_with(self.PAGE, list(rows), [GOAL])

    def test_shows_the_latest_time_and_how_far_the_goal_was_missed(self):
        text = self.page(row(30, date="2026-01-01"), row(21, pipelined_ms=20), row(22, "jax-jit"))
        self.assertIn(
            "| `resnet50_64` | bfloat16 |  | 21 (20) |  |  | 22 | 10.5, missed: 1.90 x "
            "| 2026-11-27 01234567 |",
            text,
        )
        self.assertNotIn("old", text)
        self.assertEqual(text.count("between"), 5)

    def test_marks_what_was_carried_over(self):
        text = self.page(row(10, carried_over="by hand", commit=""))
        self.assertIn("| 10* |", text)
        self.assertIn("| 10.5 | 2026-11-27 |", text)

    def test_shows_pairs_of_measured_engines(self):
        text = self.page(row(4, autotune=False), row(3, autotune=True))
        self.assertIn("| `resnet50_64` | 4 / 3 |", text)

    def test_shows_ceilings_and_parts(self):
        copy = row(1, peer="ceiling", workload="copy", gbytes_per_s=3000, precision="")
        part = {"card": "H100", "date": "2026-11-27", "part": "rows", "state": "ok", "seconds": 9}
        ours = row(1, peer="catena-ceiling", workload="matmul", precision="tf32", tflops=412.3)
        node = row(0.0012, peer="catena-ceiling", workload="node of a graph", precision="")
        text = self.page(copy, ours, node, part)
        self.assertIn("| H100 | copy |  | 3000 GB/s | 2026-11-27 |", text)
        self.assertIn("| H100 | matmul tf32 | 412 TFLOP/s |  | 2026-11-27 |", text)
        self.assertIn("| H100 | node of a graph | 1.2 us |  | 2026-11-27 |", text)
        self.assertNotIn("`matmul`", text)
        self.assertIn("| H100 | rows | ok | 9 | 2026-11-27 |", text)

    def test_shows_precisions_side_by_side(self):
        times = {"float32": 12.0, "tf32": 6.0, "bfloat16": 4.0}
        text = self.page(*(row(ms, precision=name) for name, ms in times.items()))
        self.assertIn("| `resnet50_64` | 12 | 6, 2.00 x | 4, 3.00 x |  |", text)
        self.assertIn("No row has been measured in two", self.page(row(4)))

    def test_refuses_a_page_without_the_places(self):
        with self.assertRaisesRegex(ValueError, "0 lines '<!-- results: steps -->', not one"):
            results.page_with("", [], [])

    def test_docs_cuda_md_is_what_the_results_say(self):
        """After new results, or new goals: benchmarks/cuda/results.py page."""
        self.assertEqual(results.main(["page", "--check"]), 0)

    def test_another_result_would_be_another_page(self):
        with tempfile.TemporaryDirectory() as folder:
            more = Path(folder) / "results.jsonl"
            more.write_text(results.RESULTS.read_text() + json.dumps(row(1.25)) + "\n")
            with contextlib.redirect_stdout(io.StringIO()) as output:
                self.assertEqual(results.main(["page", "--check", "--results", str(more)]), 1)
            self.assertIn("is not what", output.getvalue())


class Files(unittest.TestCase):
    def test_every_line_says_when_and_on_what(self):
        for line in results.read(results.RESULTS):
            self.assertRegex(line["date"], r"^\d{4}-\d\d-\d\d")
            self.assertTrue(line["card"] and line["driver"], line)
            self.assertTrue(line["commit"] or line["carried_over"], line)
            self.assertTrue("part" in line or line["ms"] > 0, line)

    def test_goals_are_above_their_floors_and_say_where_they_come_from(self):
        goals = results.read_goals(results.GOALS)
        self.assertGreater(len(goals), 10)
        for goal in goals:
            self.assertGreater(goal.goal_ms, goal.floor_ms, goal)
            self.assertTrue(goal.reason, goal)

    def test_names_nothing_that_only_one_machine_has(self):
        """Absolute paths: only what every Linux has."""
        for path in FOLDER.iterdir():
            if path.is_file():
                found = re.findall(
                    r"(?<![\w.$})*/\\])/(?:work|tmp|home|root|opt|mnt)\b", path.read_text()
                )
                self.assertEqual(found, [], path)


if __name__ == "__main__":
    unittest.main()
