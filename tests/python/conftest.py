"""Reports for tests/support/summary.py: what the tests of this process did, one by one."""

from __future__ import annotations

import os
from pathlib import Path

import catena as ct
import pytest


class CaseReport:
    """Writes the lines that tests/support/case_report.cpp writes of GoogleTest's cases."""

    def __init__(self, path: str) -> None:
        self._path = Path(path)

    def _write(self, *lines: str) -> None:
        with self._path.open("a") as file:
            file.writelines(f"{line}\n" for line in lines)

    @staticmethod
    def _name(nodeid: str) -> str:
        """One word: the report is divided at blanks."""
        return nodeid.rsplit("/", 1)[-1].replace(" ", "_")

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._write(*(f"planned {self._name(item.nodeid)}" for item in session.items))

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._write(f"running {self._name(nodeid)}")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" or (report.when == "setup" and not report.passed):
            self._write(f"{report.outcome} {self._name(report.nodeid)} {report.duration:.3f}")
        elif report.failed:
            self._write(f"failed {self._name(report.nodeid)} {report.duration:.3f}")


def pytest_configure(config: pytest.Config) -> None:
    path = os.environ.pop("CATENA_TEST_REPORT", None)  # Not for a program that a test starts.
    if path:
        config.pluginmanager.register(CaseReport(path))


@pytest.fixture(autouse=True)
def _same_numbers_every_time() -> None:
    ct.random.seed(1)
