"""The benchmarks' steps compute what they say, and their script runs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks" / "python"


@pytest.fixture(autouse=True)
def _modules_beside_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))


@pytest.mark.parametrize("name", ["mushroom", "lenet", "char_rnn"])
def test_a_step_is_learned_from_eagerly_and_compiled_alike(name: str) -> None:
    import catena_steps

    losses = []
    for compiled in (False, True):
        np.random.seed(0)
        step = catena_steps.prepare(name, compiled)
        losses.append([step.run().item() for _ in range(3)])
    np.testing.assert_allclose(losses[0], losses[1], rtol=1e-4)
    assert len(set(losses[0])) == 3


def test_gradients_of_small_ops_are_the_same_eagerly_and_compiled() -> None:
    import catena as ct
    import catena_steps

    x, y = (ct.Variable(np.random.default_rng(i).random(16, np.float32)) for i in (0, 1))
    catena_steps.chain(x, y).backward()
    gx, gy = ct.jit(lambda x, y: ct.grad([catena_steps.chain(x, y)], [x, y]))(x, y)
    np.testing.assert_allclose(gx.array, x.grad, rtol=1e-5)
    np.testing.assert_allclose(gy.array, y.grad, rtol=1e-5)


def test_the_script_prints_times_and_ratios() -> None:
    command = [str(BENCHMARKS / "workloads.py"), "--turns", "1", "--seconds", "0.01", "mushroom"]
    done = subprocess.run(
        [sys.executable, *command], capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert "| `mushroom` | " in done.stdout


def test_a_goal_is_missed_where_more_was_measured() -> None:
    from workloads import Check

    assert str(Check("steps", 2, 3, " us")) == "| steps | 2 us | 3 us | met |"
    assert str(Check("steps", 4, 3, " us")) == "| steps | 4 us | 3 us | **missed** |"


def test_the_script_about_watched_memory_prints_each_way_to_run_a_step() -> None:
    command = [str(BENCHMARKS / "watched_memory.py"), "--turns", "1", "--seconds", "0.01", "small"]
    done = subprocess.run(
        [sys.executable, *command], capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert "\n| 313,600 | " in done.stdout
    (row,) = [line for line in done.stdout.splitlines() if line.startswith("| 784-100-100-10")]
    assert all(float(cell.replace(",", "")) > 0 for cell in row.split("|")[2:5])
