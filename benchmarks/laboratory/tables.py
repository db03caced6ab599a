#!/usr/bin/env python3
"""The tables of docs/laboratory.md, written from results.jsonl.

    tables.py page [--check]               writes the tables; --check: is the page up to date?
    tables.py take TABLE FILE KEY=VALUE ...  a sitting instead of the rows that TABLE has: lines of
                                           `catena bench --json`, with those of other frameworks
                                           (`peer`, `workload`, `ms`) in the same file

A line of results.jsonl with `kind` describes a table: what it was measured on (`machine`), when
(`date`), of which Catena (`version`, `commit`), by which `command`, and where the numbers are from
(`source`). `take` wants machine, date, version and commit. Other lines are rows of their `table`:

    beside  `workload`, the best `peer` with `peer_ms`, Catena's `eager_ms`, `compiled_ms`,
            `step_ms` and `trusted_ms`; `rss_mb` of the first three
    limit   `workload`, `limit_ms` and `products_ms` of it; `eager_ms` and `step_ms`, each
            [median, least]
    plain   `cells`, as texts, below the table's `head`

Ratios are computed. A row whose times were taken down with three digits has the `ratio` (in `limit`
`to_limit` and `gain`) of the exact ones. Needs nothing but Python 3.9.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "cuda"))
import results  # noqa: E402

RESULTS = HERE / "results.jsonl"
PAGE = HERE.parents[1] / "docs" / "laboratory.md"
VARIANTS = ("eager", "compiled", "step", "trusted")
FACTS = ("machine", "date", "version", "commit")

Row = dict[str, Any]


def number(value: float) -> str:
    """Three digits that count, and all before the point."""
    return f"{value:.0f}" if value >= 100 else f"{float(f'{value:.3g}'):g}"


def mean(ratios: Iterable[float]) -> float:
    """The geometric one."""
    logarithms = [math.log(ratio) for ratio in ratios]
    return math.exp(sum(logarithms) / len(logarithms))


def line_of(cells: list[str]) -> str:
    return "|" + "|".join(f" {cell} " if cell else " " for cell in cells) + "|"


def markdown(head: list[str], aligns: str, lines: Iterable[list[str]]) -> str:
    """`aligns` has a letter for each column: r where it is set to the right."""
    rules = "".join("--:|" if align == "r" else "---|" for align in aligns)
    return "\n".join([line_of(head), "|" + rules, *map(line_of, lines)]) + "\n"


# ---- tables


def ratio_of(row: Row) -> float:
    """How many times as long the best peer takes as Catena's fastest variant."""
    return float(row["peer_ms"]) / min(row[f"{v}_ms"] for v in VARIANTS if f"{v}_ms" in row)


def beside(table: Row, rows: list[Row]) -> tuple[str, str]:
    has_memory = any("rss_mb" in row for row in rows)
    lines = []
    for row in rows:
        times = [number(row[f"{variant}_ms"]) for variant in VARIANTS[:3]]
        if "trusted_ms" in row:
            times[2] += f" (trusted {number(row['trusted_ms'])})"
        line = [f"`{row['workload']}`", row["peer"], number(row["peer_ms"]), *times]
        line.append(f"{row.get('ratio', ratio_of(row)):.2f}")
        if has_memory:
            line.append(" / ".join(map(str, row.get("rss_mb", []))))
        lines.append(line)
    head = ["row", "best peer", "ms", "eager", "model compiled", "step compiled", "best ratio"]
    text = markdown(head + ["MB"] * has_memory, "llrrrrr" + "l" * has_memory, lines)
    return text, f"geometric mean of {len(rows)} ratios {mean(map(ratio_of, rows)):.2f}"


def limit(table: Row, rows: list[Row]) -> tuple[str, str]:
    lines, counted = [], []
    for row in rows:
        least_eager, least_step = row["eager_ms"][1], row["step_ms"][1]
        to_limit = row.get("to_limit", least_step / row["limit_ms"])
        gain = row.get("gain", least_eager / least_step)
        if row["workload"] not in table["not_counted"]:
            counted.append(to_limit)
        times = [" / ".join(map(number, row[key])) for key in ("eager_ms", "step_ms")]
        first = [f"`{row['workload']}`", number(row["limit_ms"]), number(row["products_ms"])]
        lines.append([*first, *times, f"{to_limit:.2f}", f"{gain:.2f}"])
    head = ["row", "limit", "of it products and convolutions", "eager", "step"]
    head += ["step to limit (least)", "eager to step (least)"]
    near = sum(ratio <= 1.25 for ratio in counted)
    left_out = " and ".join(f"`{name}`" for name in table["not_counted"])
    words = f"without {left_out} {near} of {len(counted)} rows are within 1.25 of the limit, "
    return markdown(head, "lrrrrrr", lines), words + f"geometric mean {mean(counted):.2f}"


def plain(table: Row, rows: list[Row]) -> tuple[str, str]:
    for row in rows:
        if len(row["cells"]) != len(table["head"]):
            raise ValueError(f"{table['table']}: {row['cells']}: is not as wide as {table['head']}")
    return markdown(table["head"], table["aligns"], [row["cells"] for row in rows]), ""


KINDS = {"beside": beside, "limit": limit, "plain": plain}


def origin(table: Row) -> str:
    """On what, when and of what it was measured."""
    commit = f"commit {table['commit'][:8]}" if table["commit"] else "the commit was not noted"
    words = [f"Measured on {table['machine']}", table["date"] or "the day was not noted"]
    words.append(f"Catena {table['version']} ({commit})")
    if table.get("command"):
        words.append(f"by `{table['command']}`")
    return ", ".join(words) + (f"; {table['source']}" if table.get("source") else "")


def tables_of(rows: list[Row]) -> dict[str, str]:
    """Each table by its name, as the page has it."""
    made = {}
    for table in (row for row in rows if "kind" in row):
        name = table["table"]
        own = [row for row in rows if row.get("table") == name and "kind" not in row]
        if not own:
            raise ValueError(f"{name}: has no rows")
        text, summary = KINDS[table["kind"]](table, own)
        made[name] = text + "\n" + origin(table) + (f"; {summary}" if summary else "") + ".\n"
    strangers = {row.get("table") for row in rows} - set(made)
    if strangers:
        raise ValueError(f"rows of tables that no line describes: {sorted(map(str, strangers))}")
    return made


# ---- a sitting


def taken(table: Row, lines: list[Row]) -> list[Row]:
    """Rows of kind `beside`: one for each workload that both Catena and another measured."""
    found = []
    for name in dict.fromkeys(line["workload"] for line in lines):
        here = {str(line["peer"]): line for line in lines if line["workload"] == name}
        ours = [f"catena-{variant}" for variant in VARIANTS if f"catena-{variant}" in here]
        peers = [line for peer, line in here.items() if not peer.startswith("catena-")]
        if not peers or ours[:3] != [f"catena-{variant}" for variant in VARIANTS[:3]]:
            raise ValueError(f"{name}: wants eager, compiled, step and a peer, has {list(here)}")
        best = min(peers, key=lambda line: line["ms"])
        row = {"table": table["table"], "workload": name}
        row |= {"peer": best["peer"], "peer_ms": best["ms"]}
        row |= {f"{peer.removeprefix('catena-')}_ms": here[peer]["ms"] for peer in ours}
        found.append(row | {"rss_mb": [here[peer]["rss_mb"] for peer in ours[:3]]})
    return found


def take(path: Path, name: str, lines: list[Row], facts: Row) -> None:
    rows = results.read(path)
    if missing := [fact for fact in FACTS if not facts.get(fact)]:
        raise ValueError(f"take: say also {', '.join(f'{fact}=...' for fact in missing)}")
    (place,) = [i for i, row in enumerate(rows) if row.get("table") == name and "kind" in row]
    table = {key: value for key, value in rows[place].items() if key != "source"} | facts
    if table["kind"] != "beside":
        raise ValueError(f"{name}: is of kind {table['kind']}; take is for tables beside others")
    kept = [row for row in rows[:place] if row.get("table") != name]
    after = [row for row in rows[place + 1 :] if row.get("table") != name]
    every = [*kept, table, *taken(table, lines), *after]
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in every))


# ---- the program


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    paging = commands.add_parser("page", help="write the tables into the page")
    paging.add_argument(
        "--check", action="store_true", help="only compare: status 1 if they differ"
    )
    paging.add_argument("--page", type=Path, default=PAGE, help="default: docs/laboratory.md")
    taking = commands.add_parser(
        "take", help="take a table's numbers from lines of `catena bench --json`"
    )
    taking.add_argument("table", help="its name in the page")
    taking.add_argument("file", type=Path, help="the lines in JSON")
    taking.add_argument(
        "facts", nargs="*", help="NAME=VALUE, said with the table, such as machine=..."
    )
    for command in (paging, taking):
        command.add_argument("--results", type=Path, default=RESULTS, help="default: results.jsonl")
    options = parser.parse_args(words)
    if options.command == "take":
        facts = dict(fact.split("=", 1) for fact in options.facts)
        take(options.results, options.table, results.read(options.file), facts)
        return 0
    text = options.page.read_text()
    made = results.with_tables(text, tables_of(results.read(options.results)))
    if options.check and made != text:
        print(f"{options.page} is not what {options.results} says: run {__file__} page")
        return 1
    if not options.check:
        options.page.write_text(made)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
