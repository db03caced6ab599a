"""benchmarks/laboratory/tables.py: its tables, and that the pages say what results.jsonl says."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import json
import re
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SPEC = importlib.util.spec_from_file_location("tables", ROOT / "benchmarks/laboratory/tables.py")
tables = importlib.util.module_from_spec(SPEC)
sys.dont_write_bytecode = True
SPEC.loader.exec_module(tables)

TABLE = {
    "table": "a",
    "kind": "beside",
    "machine": "a machine",
    "date": "2026-12-01",
    "version": "0.1.0",
    "commit": "0123456789abcdef",
    "command": "catena bench",
}
ROW = {"table": "a", "workload": "mlp", "peer": "JAX 1", "peer_ms": 6, "eager_ms": 4}
ROW |= {"compiled_ms": 3.456789, "step_ms": 3, "trusted_ms": 2}
FACTS = {"machine": "m", "date": "2026-12-02", "version": "0.2.0", "commit": "fedcba98"}
BENCH = [
    {"peer": "catena-eager", "workload": "mlp", "ms": 4.0, "rss_mb": 70},
    {"peer": "catena-compiled", "workload": "mlp", "ms": 3.0, "rss_mb": 60},
    {"peer": "catena-step", "workload": "mlp", "ms": 2.0, "rss_mb": 50},
    {"peer": "PyTorch 9", "workload": "mlp", "ms": 9.0},
    {"peer": "JAX 1", "workload": "mlp", "ms": 8.0},
]


class Tables(unittest.TestCase):
    def test_a_row_beside_others_has_the_ratio_of_the_shortest_time(self):
        text = tables.tables_of([TABLE, ROW])["a"]
        self.assertIn("| `mlp` | JAX 1 | 6 | 4 | 3.46 | 3 (trusted 2) | 3.00 |", text)
        self.assertIn("on a machine, 2026-12-01, Catena 0.1.0 (commit 01234567), by", text)
        self.assertIn("geometric mean of 1 ratios 3.00", text)

    def test_a_ratio_of_exact_times_is_kept(self):
        self.assertIn("| 3.01 |", tables.tables_of([TABLE, ROW | {"ratio": 3.01}])["a"])

    def test_the_limit_counts_least_times_and_leaves_rows_out(self):
        table = TABLE | {"kind": "limit", "not_counted": ["b"]}
        row = {"table": "a", "workload": "mlp", "limit_ms": 2, "products_ms": 1}
        row |= {"eager_ms": [6, 5], "step_ms": [4, 2.4]}
        text = tables.tables_of([table, row, row | {"workload": "b", "limit_ms": 1}])["a"]
        self.assertIn("| `mlp` | 2 | 1 | 6 / 5 | 4 / 2.4 | 1.20 | 2.08 |", text)
        self.assertIn("without `b` 1 of 1 rows are within 1.25 of the limit", text)

    def test_cells_are_kept_as_they_are(self):
        table = TABLE | {"kind": "plain", "head": ["", "ms"], "aligns": "lr", "commit": ""}
        text = tables.tables_of([table, {"table": "a", "cells": ["x", "1 to 2"]}])["a"]
        self.assertTrue(text.startswith("| | ms |\n|---|--:|\n| x | 1 to 2 |\n"), text)
        self.assertIn("the commit was not noted", text)
        with self.assertRaisesRegex(ValueError, "is not as wide as"):
            tables.tables_of([table, {"table": "a", "cells": ["x"]}])

    def test_rows_of_no_table_and_tables_without_rows_are_errors(self):
        with self.assertRaisesRegex(ValueError, r"no line describes: \['b'\]"):
            tables.tables_of([TABLE, ROW, ROW | {"table": "b"}])
        with self.assertRaisesRegex(ValueError, "a: has no rows"):
            tables.tables_of([TABLE])

    def test_numbers_have_three_digits_that_count(self):
        shown = [tables.number(x) for x in (0.0878912, 3.4, 70.0, 99.96, 1689.4)]
        self.assertEqual(shown, ["0.0879", "3.4", "70", "100", "1689"])


class Take(unittest.TestCase):
    def taken(self, lines: list[dict], facts: dict) -> list[dict]:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "results.jsonl"
            other = {"table": "b", "cells": []}
            every = [other, TABLE | {"source": "by hand"}, ROW, ROW]
            path.write_text("".join(json.dumps(row) + "\n" for row in every))
            tables.take(path, "a", lines, facts)
            return tables.results.read(path)

    def test_a_sitting_replaces_the_rows_of_its_table_alone(self):
        other, table, row = self.taken(BENCH, FACTS)
        self.assertEqual(other, {"table": "b", "cells": []})
        self.assertEqual((table["machine"], table["commit"]), ("m", "fedcba98"))
        self.assertNotIn("source", table)
        wanted = {"table": "a", "workload": "mlp", "peer": "JAX 1", "peer_ms": 8.0}
        wanted |= {"eager_ms": 4.0, "compiled_ms": 3.0, "step_ms": 2.0, "rss_mb": [70, 60, 50]}
        self.assertEqual(row, wanted)
        text = tables.tables_of([table, row])["a"]
        self.assertIn("| `mlp` | JAX 1 | 8 | 4 | 3 | 2 | 4.00 | 70 / 60 / 50 |", text)

    def test_what_is_missing_is_named(self):
        with self.assertRaisesRegex(ValueError, "say also version="):
            self.taken(BENCH, FACTS | {"version": ""})
        with self.assertRaisesRegex(ValueError, "mlp: wants eager, compiled, step and a peer"):
            self.taken(BENCH[:3], FACTS)


class Pages(unittest.TestCase):
    def test_docs_laboratory_md_is_what_the_results_say(self):
        """After new results: benchmarks/laboratory/tables.py page."""
        self.assertEqual(tables.main(["page", "--check"]), 0)

    def test_another_result_would_be_another_page(self):
        with tempfile.TemporaryDirectory() as folder:
            changed = Path(folder) / "results.jsonl"
            text = tables.RESULTS.read_text()
            changed.write_text(text.replace('"peer_ms": 3.44', '"peer_ms": 3.45'))
            self.assertNotEqual(changed.read_text(), text)
            page = Path(folder) / "page.md"
            shutil.copy(tables.PAGE, page)
            with contextlib.redirect_stdout(io.StringIO()) as output:
                words = ["page", "--check", "--page", str(page), "--results", str(changed)]
                self.assertEqual(tables.main(words), 1)
            self.assertIn("is not what", output.getvalue())

    def test_every_table_of_the_page_is_written_from_the_results(self):
        text = tables.PAGE.read_text()
        by_hand = re.sub(r"<!-- results: \w+ -->.*?<!-- end -->", "", text, flags=re.DOTALL)
        self.assertNotIn("|---", by_hand)
        named = set(re.findall(r"<!-- results: (\w+) -->", text))
        self.assertEqual(named, set(tables.tables_of(tables.results.read(tables.RESULTS))))

    def test_docs_performance_md_has_the_numbers_of_the_laboratory(self):
        rows = tables.results.read(tables.RESULTS)
        known = {row["workload"]: row for row in rows if row["table"] == "zen_5" and "peer" in row}
        text = (ROOT / "docs/performance.md").read_text()
        found = re.findall(r"^\| [^|]+ \| `(\w+)` \| (.*) \|$", text, re.MULTILINE)
        self.assertGreater(len(found), 8)
        for name, cells in found:
            peer, eager, compiled, _ = cells.split(" | ")
            row = known[name]
            times = [tables.number(row[key]) for key in ("peer_ms", "eager_ms")]
            self.assertEqual([peer, eager], times, name)
            ours = [tables.number(row[f"{v}_ms"]) for v in tables.VARIANTS if f"{v}_ms" in row]
            self.assertIn(compiled, ours[1:], name)


class Files(unittest.TestCase):
    def test_ratios_that_were_written_down_agree_with_the_times(self):
        for row in tables.results.read(tables.RESULTS):
            if "ratio" in row:
                self.assertLess(abs(tables.ratio_of(row) / row["ratio"] - 1), 0.02, row)
            if "to_limit" in row:
                ratio = row["step_ms"][1] / row["limit_ms"]
                self.assertLess(abs(ratio / row["to_limit"] - 1), 0.02, row)

    def test_every_table_says_on_what_and_from_where(self):
        for row in tables.results.read(tables.RESULTS):
            if "kind" in row:
                self.assertTrue(row["machine"] and row["version"], row)
                self.assertTrue((row["commit"] and row["date"]) or row["source"], row)


if __name__ == "__main__":
    unittest.main()
