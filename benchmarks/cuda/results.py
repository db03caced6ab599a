#!/usr/bin/env python3
"""What GPUs told, lines of results.jsonl: kept, compared with the goals, shown in docs/cuda.md.

    results.py keep FILE KEY=VALUE ...  standard input's JSON objects to FILE, with these values
    results.py table FILE               each goal with this time, the best before and the best peer;
                                        every row that became slower
    results.py add FILE                 appends the lines of a sitting to results.jsonl
    results.py page [--check]           the tables of docs/cuda.md; --check: is the page up to date?

A line is a measurement (`workload`, `precision`, `peer`, `ms`), or what became of a part of a
sitting (`part`, `state`). Both say when (`date`), on what (`card`, `driver`) and of which `commit`.
`carried_over` says that a line was on the page before there were such lines, and how it was
measured. Needs nothing but Python 3.9.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results.jsonl"
GOALS = HERE / "goals.tsv"
PAGE = HERE.parents[1] / "docs" / "cuda.md"
SLOWER = 1.05  # Times of two sittings differ by some percent: what is beyond it is told.

Row = dict[str, Any]


def read(path: Path) -> list[Row]:
    """The lines of a file; ValueError that names file and line where one is no JSON object."""
    rows = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        try:
            row = json.loads(line)
        except ValueError:
            row = None
        if not isinstance(row, dict):
            raise ValueError(f"{path}:{number}: this is no JSON object: {line[:80]}")
        rows.append(row)
    return rows


def keep(path: Path, facts: Row, lines: Iterable[str]) -> None:
    """Prints the lines, and appends those that are measurements to the file."""
    with path.open("a") as file:
        for line in lines:
            sys.stdout.write(line)
            sys.stdout.flush()
            try:
                row = json.loads(line) if line.startswith("{") else None
            except ValueError:
                row = None
            if isinstance(row, dict):
                file.write(json.dumps({**facts, **row}) + "\n")
                file.flush()


# ---- what was measured


def time_of(row: Row) -> float | None:
    """As a training waits seldom for its device, the pipelined time counts where it is known."""
    return row.get("pipelined_ms") or row.get("ms")


def is_ours(row: Row) -> bool:
    return str(row.get("peer", "")).startswith("catena")


def is_ceiling(row: Row) -> bool:
    """Of the card itself, by a large product or copy: of PyTorch, or of Catena."""
    return row.get("peer") in ("ceiling", "catena-ceiling")


def is_setting_of(row: Row, workload: str, precision: str) -> bool:
    return (
        row.get("workload") == workload
        and row.get("precision", "float32") == precision
        and not row.get("autotune")
        and not is_ceiling(row)
        and time_of(row) is not None
    )


def best(rows: Iterable[Row]) -> Row | None:
    return min(rows, key=lambda row: time_of(row) or 0, default=None)


class Goal(NamedTuple):
    workload: str
    precision: str
    goal_ms: float
    floor_ms: float
    reason: str


def read_goals(path: Path) -> list[Goal]:
    goals = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        words = line.split("\t")
        if len(words) != 5:
            raise ValueError(f"{path}:{number}: has {len(words)} columns, not 5: {line}")
        goals.append(Goal(words[0], words[1], float(words[2]), float(words[3]), words[4]))
    return goals


def number(value: float | None) -> str:
    """Three digits that count."""
    if value is None:
        return "-"
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


# ---- the table of a sitting


def slowdown(now: Row, before: Row | None) -> float | None:
    """How much more time than before, 0.1 for 10 %; None where it is no more than SLOWER allows.

    A pipelined time is compared with one, and a time that was waited for with another such time.
    """
    if before is None:
        return None
    kind = "pipelined_ms" if now.get("pipelined_ms") and before.get("pipelined_ms") else "ms"
    if not now.get(kind) or not before.get(kind):
        return None
    ratio = now[kind] / before[kind]
    return ratio - 1 if ratio > SLOWER else None


def judgement(goal: Goal, row: Row | None, before: Row | None) -> str:
    """What a reader must not overlook; "" where the goal is reached and nothing became slower."""
    now = time_of(row) if row else None
    if row is None or now is None:
        return "NOT MEASURED"
    words = []
    if now < goal.floor_ms:
        words.append("FASTER THAN POSSIBLE: measured wrongly, or the floor is wrong")
    if now > goal.goal_ms:
        words.append(f"OVER THE GOAL by {100 * (now / goal.goal_ms - 1):.0f} %")
    if (more := slowdown(row, before)) is not None:
        words.append(f"SLOWER than before by {100 * more:.0f} %")
    return ", ".join(words)


def setting(row: Row) -> tuple[object, ...]:
    """What two rows have in common whose times can be compared."""
    keys = ("card", "workload", "peer", "autotune")
    return (*(row.get(key) for key in keys), row.get("precision", "float32"))


def slower_rows(new: list[Row], old: list[Row]) -> str:
    """Our rows that take more time than the last one of their kind that was kept."""
    text = ""
    for row in new:
        if not is_ours(row) or is_ceiling(row) or time_of(row) is None:
            continue
        last = latest(other for other in old if setting(other) == setting(row) and time_of(other))
        if last is not None and (more := slowdown(row, last)) is not None:
            text += (
                f"!! {row['workload']} {row.get('precision', 'float32')} ({row['peer']}): SLOWER "
                f"by {100 * more:.0f} % than on {when(last)}\n"
            )
    return text


def table(new: list[Row], old: list[Row], goals: list[Goal]) -> str:
    """Each goal; times of other cards are not compared. First the parts that were not done."""
    cards = {row["card"] for row in new if row.get("card")}
    known = [row for row in old if row.get("card") in cards]
    text = "".join(
        f"!! {row['part']}: {row['state']}\n"
        for row in new
        if "part" in row and row["state"] != "ok"
    )
    head = ("row", "precision", "now", "best was", "peer", "", "goal", "floor")
    form = "{:<24} {:<9} {:>8} {:>8} {:>8}  {:<16} {:>8} {:>8}  {}"
    text += form.format(*head, "").rstrip() + "\n"
    for goal in goals:

        def fastest(rows: list[Row], ours: bool, goal: Goal = goal) -> Row | None:
            return best(
                row
                for row in rows
                if is_setting_of(row, goal.workload, goal.precision) and is_ours(row) == ours
            )

        now, before, peer = fastest(new, True), fastest(known, True), fastest(new + known, False)
        times = [time_of(row) if row else None for row in (now, before, peer)]
        text += (
            form.format(
                goal.workload,
                goal.precision,
                *map(number, times),
                peer["peer"] if peer else "",
                number(goal.goal_ms),
                number(goal.floor_ms),
                judgement(goal, now, before),
            ).rstrip()
            + "\n"
        )
    return text + slower_rows(new, known)


# ---- the page

PEERS = ("catena-eager", "catena-step", "torch-eager", "torch-compile", "jax-jit")
PRECISIONS = ("float32", "tf32", "bfloat16", "float16")


def latest(rows: Iterable[Row]) -> Row | None:
    """The last one of the latest date."""
    found = None
    for row in rows:
        if found is None or row["date"] >= found["date"]:
            found = row
    return found


def cell(row: Row | None) -> str:
    """The time that was waited for, the pipelined one behind it; * where it was carried over."""
    if row is None:
        return ""
    text = number(row["ms"])
    if row.get("pipelined_ms"):
        text += f" ({number(row['pipelined_ms'])})"
    return text + ("*" if row.get("carried_over") else "")


def when(row: Row) -> str:
    return f"{row['date'][:10]} {row['commit'][:8]}".strip()


def goal_cell(goal: Goal | None, row: Row | None) -> str:
    if goal is None:
        return ""
    time = time_of(row) if row else None
    if time is None or time <= goal.goal_ms:
        return number(goal.goal_ms)
    return f"{number(goal.goal_ms)}, missed: {time / goal.goal_ms:.2f} x"


def markdown(head: Iterable[str], lines: Iterable[Iterable[str]]) -> str:
    head = list(head)
    text = "| " + " | ".join(head) + " |\n|" + "---|" * len(head) + "\n"
    return text + "".join("| " + " | ".join(line) + " |\n" for line in lines)


def cards_of(rows: list[Row]) -> list[str]:
    return list(dict.fromkeys(row["card"] for row in rows if row.get("card")))


def steps_table(rows: list[Row], goals: list[Goal]) -> str:
    """A table for each card: the latest time of every row, precision and peer."""
    text = ""
    wanted = {(goal.workload, goal.precision): goal for goal in goals}
    for card in cards_of(rows):
        here = [row for row in rows if row.get("card") == card and row.get("peer") in PEERS]
        here = [row for row in here if not row.get("autotune") and "ms" in row]
        names = list(dict.fromkeys(row["workload"] for row in here))
        lines = []
        for name in names:
            for precision in PRECISIONS:
                found = [
                    latest(
                        row
                        for row in here
                        if row["peer"] == peer and is_setting_of(row, name, precision)
                    )
                    for peer in PEERS
                ]
                if not any(found):
                    continue
                goal = wanted.get((name, precision))
                dates = sorted({when(row) for row in found if row})
                lines.append(
                    [
                        f"`{name}`",
                        precision,
                        *map(cell, found),
                        goal_cell(goal, found[PEERS.index("catena-step")]),
                        ", ".join(dates),
                    ]
                )
        head = ["row", "precision", "Catena eager", "Catena step", "PyTorch eager"]
        head += ["PyTorch compiled", "JAX", "goal", "measured"]
        text += f"{card}:\n\n" + markdown(head, lines) + "\n"
    return text


def autotune_table(rows: list[Row]) -> str:
    """Steps without and with measured engines, by the lines that were measured in pairs."""
    text = ""
    for card in cards_of(rows):
        pairs: dict[tuple[str, str], dict[bool, Row]] = {}
        for row in rows:
            if row.get("card") == card and row.get("autotune") is not None:
                key = (row["workload"], row.get("precision", "float32"))
                pairs.setdefault(key, {})[bool(row["autotune"])] = row
        if not pairs:
            continue
        names = list(dict.fromkeys(name for name, _ in pairs))
        precisions = [p for p in PRECISIONS if any(precision == p for _, precision in pairs)]
        lines = []
        for name in names:
            line = [f"`{name}`"]
            for precision in precisions:
                pair = pairs.get((name, precision), {})
                line.append(" / ".join(cell(pair.get(on)) or "-" for on in (False, True)))
            lines.append(line)
        head = ["without / with", *precisions]
        text += f"{card}, steps in ms:\n\n" + markdown(head, lines) + "\n"
    return text


def speed_cell(row: Row | None) -> str:
    if row is None:
        return ""
    if "gbytes_per_s" in row:
        return f"{number(row['gbytes_per_s'])} GB/s"
    if "tflops" in row:
        return f"{number(row['tflops'])} TFLOP/s"
    return f"{number(1e3 * row['ms'])} us"


def ceilings_table(rows: list[Row]) -> str:
    lines = []
    for card in cards_of(rows):
        here = [row for row in rows if row.get("card") == card and is_ceiling(row)]
        for what in dict.fromkeys((row["workload"], row.get("precision", "")) for row in here):
            same = [row for row in here if (row["workload"], row.get("precision", "")) == what]
            found = [latest(row for row in same if is_ours(row) == ours) for ours in (True, False)]
            dates = sorted({row["date"][:10] for row in found if row})
            lines.append([card, " ".join(what).strip(), *map(speed_cell, found), ", ".join(dates)])
    if not lines:
        return "No card's ceilings have been measured by these parts yet.\n"
    return markdown(["card", "what", "by Catena", "by PyTorch", "measured"], lines)


def precisions_table(rows: list[Row]) -> str:
    """Catena's steps in all precisions side by side, with how many times as fast as float32."""
    text = ""
    for card in cards_of(rows):
        here = [r for r in rows if r.get("card") == card and r.get("peer") == "catena-step"]
        lines = []
        for name in dict.fromkeys(row["workload"] for row in here):
            found = [latest(r for r in here if is_setting_of(r, name, p)) for p in PRECISIONS]
            if sum(row is not None for row in found) < 2:
                continue
            base = found[0]
            line = [f"`{name}`", cell(base)]
            for row in found[1:]:
                gain = base["ms"] / row["ms"] if base and row else None
                line.append(cell(row) + (f", {gain:.2f} x" if gain else ""))
            lines.append(line)
        if lines:
            text += f"{card}, steps in ms:\n\n" + markdown(["row", *PRECISIONS], lines) + "\n"
    return text or "No row has been measured in two precisions yet.\n"


def parts_table(rows: list[Row]) -> str:
    """What became of each part of the latest sitting of each card."""
    lines = []
    for card in cards_of(rows):
        parts = [row for row in rows if row.get("card") == card and "part" in row]
        last = max((row["date"] for row in parts), default=None)
        lines += [
            [card, row["part"], row["state"], str(row.get("seconds", "")), row["date"][:10]]
            for row in parts
            if row["date"] == last
        ]
    if not lines:
        return "No sitting of all parts has been kept yet.\n"
    return markdown(["card", "part", "became", "seconds", "date"], lines)


def page_with(text: str, rows: list[Row], goals: list[Goal]) -> str:
    made = {
        "steps": steps_table(rows, goals),
        "precisions": precisions_table(rows),
        "autotune": autotune_table(rows),
        "ceilings": ceilings_table(rows),
        "parts": parts_table(rows),
    }
    return with_tables(text, made)


def with_tables(text: str, made: dict[str, str]) -> str:
    """The page with each `<!-- results: NAME -->` followed by that table, until `<!-- end -->`."""
    for name, content in made.items():
        begin, end = f"<!-- results: {name} -->\n", "<!-- end -->\n"
        if text.count(begin) != 1:
            raise ValueError(f"the page has {text.count(begin)} lines '{begin.strip()}', not one")
        before, rest = text.split(begin)
        if end not in rest:
            raise ValueError(f"the page has no '{end.strip()}' after '{begin.strip()}'")
        text = before + begin + "\n" + content.rstrip("\n") + "\n\n" + end + rest.split(end, 1)[1]
    return text


# ---- the program


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    keeping = commands.add_parser("keep")
    keeping.add_argument("file", type=Path)
    keeping.add_argument("facts", nargs="*")
    showing = commands.add_parser("table")
    showing.add_argument("file", type=Path)
    showing.add_argument("--before", type=Path, default=RESULTS)
    adding = commands.add_parser("add")
    adding.add_argument("file", type=Path)
    adding.add_argument("--to", type=Path, default=RESULTS)
    paging = commands.add_parser("page")
    paging.add_argument("--check", action="store_true")
    paging.add_argument("--page", type=Path, default=PAGE)
    paging.add_argument("--results", type=Path, default=RESULTS)
    options = parser.parse_args(words)
    if options.command == "keep":
        facts = dict(fact.split("=", 1) for fact in options.facts)
        truth = {"true": True, "false": False}
        keep(options.file, {key: truth.get(v, v) for key, v in facts.items()}, sys.stdin)
    elif options.command == "table":
        old = read(options.before) if options.before.exists() else []
        print(table(read(options.file), old, read_goals(GOALS)), end="")
    elif options.command == "add":
        rows = read(options.file)
        if any(row.get("quick") for row in rows):
            raise ValueError(f"{options.file} is of a trial (QUICK): its times say nothing")
        with options.to.open("a") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)
    else:
        text = options.page.read_text()
        made = page_with(text, read(options.results), read_goals(GOALS))
        if options.check and made != text:
            print(f"{options.page} is not what {options.results} says: run {__file__} page")
            return 1
        if not options.check:
            options.page.write_text(made)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
