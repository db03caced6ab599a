"""What GitHub runs (.github/workflows) is right in the containers that its jobs run in."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

WORKFLOWS = sorted((Path(__file__).parents[2] / ".github" / "workflows").glob("*.yml"))

#: Expressions that are paths outside of a job's container, whose processes see others.
OUTSIDE = re.compile(r"\$\{\{\s*(github\.workspace|runner\.(?:workspace|temp|tool_cache))\s*\}\}")
#: Actions that use one of them.
ACTIONS_OUTSIDE = ("actions/upload-pages-artifact",)


def jobs(workflow: str) -> dict[str, str]:
    """The text of each job, by name."""
    text = workflow.split("\njobs:\n", 1)[1]
    parts = re.split(r"^  ([\w-]+):\n", text, flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_jobs_in_containers_name_no_paths_outside_of_them(path: Path) -> None:
    for name, job in jobs(path.read_text()).items():
        if re.search(r"^    container:", job, re.MULTILINE):
            assert not OUTSIDE.search(job), f"{path.name}: {name}: use $GITHUB_WORKSPACE"
            for action in ACTIONS_OUTSIDE:
                used = re.search(rf"uses: {action}@", job)
                assert not used, f"{path.name}: {name}: {action} looks outside of the container"


def test_a_job_in_a_container_is_found() -> None:
    text = "on: push\njobs:\n  a:\n    container: x\n    b: 1\n  c-d:\n    e: 2\n"
    assert jobs(text) == {"a": "    container: x\n    b: 1\n", "c-d": "    e: 2\n"}
    assert OUTSIDE.search("${{ github.workspace }}/x") and not OUTSIDE.search("${{ github.sha }}")
    assert any("    container:" in job for p in WORKFLOWS for job in jobs(p.read_text()).values())


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_programs_of_the_tree_that_steps_call_are_there(path: Path) -> None:
    root = path.parents[2]
    called = re.findall(r"(?<![\w/.])(?:\./|scripts/)[\w/]+\.sh", path.read_text())
    assert called
    for name in called:
        program = root / name
        assert program.exists(), f"{path.name} calls {name}"
        assert subprocess.run(["bash", "-n", str(program)], check=False).returncode == 0
