#!/usr/bin/env python3
"""summary.py BUILD...: what the tests of these build folders did. Of each it reads what ctest wrote into tests.xml
(--output-junit), and the tests there are from tests.json (--show-only=json-v1): a ctest that runs GoogleTest has its
report of single cases in the file CATENA_TEST_REPORT (tests/support/case_report.cpp).

Prints what failed with the end of its output, the slowest folders and cases, and at last "N passed, N failed[, N
skipped]". The exit status is 0 if something passed and nothing failed."""
import collections
import dataclasses
import json
import pathlib
import sys
import xml.etree.ElementTree

LINES = 60  # Of the output of each failure.
FAILURES_SHOWN = 20
SLOWEST = 20
NOT_REACHED = "It was not reached: the process had ended."


@dataclasses.dataclass
class Case:
    name: str
    result: str  # passed, failed or skipped
    seconds: float = 0
    output: str = ""


def read_report(text):
    """The cases of a report, in order. A process that died leaves one running and others that it never reached: they have
    failed."""
    cases = {}
    for line in text.splitlines():
        kind, _, rest = line.partition(" ")
        if kind == "planned":
            cases[rest] = Case(rest, "failed", output=NOT_REACHED)
        elif kind == "running":
            cases[rest] = Case(rest, "failed", output="The process ended while this ran: a crash, or its time was over.")
        elif kind in ("passed", "failed", "skipped"):
            name, seconds = rest.split(" ")
            cases[name] = Case(name, kind, float(seconds))
    return list(cases.values())


def output_of(case, output):
    """What a case printed, out of the output of its process."""
    begin = output.find(f"[ RUN      ] {case.name}\n")
    end = output.find(f"[  FAILED  ] {case.name}", begin)
    return "" if begin < 0 else output[begin:] if end < 0 else output[begin:end]


def entry_result(entry):
    """Of one <testcase> of ctest's: passed, failed, skipped. What could not be started has failed."""
    status = entry.get("status")
    if status == "run":
        return "passed"
    if status == "disabled":
        return "skipped"
    skipped = entry.find("skipped")
    if status == "notrun" and skipped is not None and skipped.get("message", "").startswith("SKIP_"):
        return "skipped"
    return "failed"


def cases_of(entry, report):
    """The cases of one <testcase> of ctest's; report is the file of its GoogleTest cases, or None."""
    name, result = entry.get("name"), entry_result(entry)
    output = entry.findtext("system-out") or ""
    whole = Case(name, result, float(entry.get("time", 0)), output)
    if report is None or result == "skipped":
        return [whole]
    cases = read_report(report.read_text()) if report.exists() else []
    for case in cases:
        if case.result == "failed" and case.output != NOT_REACHED:
            case.output = f"{output_of(case, output)}\n{case.output}".strip()
        case.name = name if name.endswith(case.name) else f"{name}: {case.name}"
    if not cases:
        return [dataclasses.replace(whole, result="failed", output=output + "\nNo case has run.")]
    if result == "failed" and all(case.result != "failed" for case in cases):
        cases.append(dataclasses.replace(whole, name=f"{name}, after its last case"))
    return cases


def report_files(listing):
    """Name of a ctest -> the file of its report, of those that run GoogleTest."""
    files = {}
    for test in listing["tests"]:
        for prop in test.get("properties", []):
            if prop["name"] == "ENVIRONMENT":
                for setting in prop["value"]:
                    key, _, value = setting.partition("=")
                    if key == "CATENA_TEST_REPORT":
                        files[test["name"]] = pathlib.Path(value)
    return files


def folder_of(name):
    parts = name.split(".")
    return " ".join(parts[:2]) if len(parts) > 2 and parts[1].startswith(("with", "in_")) else parts[0]


def read_build(build):
    """All cases of a build, and the seconds of its folders."""
    try:
        entries = xml.etree.ElementTree.parse(build / "tests.xml").getroot().findall("testcase")
        reports = report_files(json.loads((build / "tests.json").read_text()))
    except (OSError, ValueError, xml.etree.ElementTree.ParseError) as error:
        return [Case(str(build), "failed", output=f"There is no report of its tests: {error}")], {}
    cases, seconds = [], collections.Counter()
    for entry in entries:
        cases += cases_of(entry, reports.get(entry.get("name")))
        seconds[folder_of(entry.get("name"))] += float(entry.get("time", 0))
    return cases, seconds


def main(builds):
    cases, seconds = [], collections.Counter()
    for build in builds:
        more, times = read_build(build)
        cases += more
        seconds.update(times)
    print("slowest folders: " + ", ".join(f"{folder} {s:.0f} s" for folder, s in seconds.most_common(SLOWEST)))
    print("slowest cases:")
    for case in sorted(cases, key=lambda case: -case.seconds)[:SLOWEST]:
        print(f"{case.seconds:8.2f} s  {case.name}")
    failed = [case for case in cases if case.result == "failed"]
    for case in failed[:FAILURES_SHOWN]:
        print(f"\nFAILED: {case.name}")
        print("\n".join(line[:300] for line in case.output.splitlines()[-LINES:]))
    for case in failed[FAILURES_SHOWN:]:
        print(f"FAILED: {case.name}")
    count = collections.Counter(case.result for case in cases)
    skipped = f", {count['skipped']} skipped" if count["skipped"] else ""
    print(f"{count['passed']} passed, {count['failed']} failed{skipped}")
    return 0 if count["passed"] and not count["failed"] else 1


if __name__ == "__main__":
    sys.exit(main([pathlib.Path(build) for build in sys.argv[1:]]))
