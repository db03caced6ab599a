"""Limits for what files may declare."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import catena as ct
import numpy as np
import pytest


@pytest.fixture(autouse=True)
def limits_as_before() -> Iterator[None]:
    before = ct.file_limits()
    yield
    ct.set_file_limits(**before)


def test_a_limit_is_set_by_name_and_the_others_stay() -> None:
    before = ct.file_limits()
    assert before["bytes"] == 1 << 30
    ct.set_file_limits(bytes=1000, depth=7)
    assert ct.file_limits() == {**before, "bytes": 1000, "depth": 7}


def test_files_are_read_within_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "zeros.npz"
    np.savez_compressed(path, x=np.zeros(1_000_000, np.float32))
    ct.set_file_limits(bytes=1000, ratio=2)
    with pytest.raises(ct.FileError, match=r"zeros\.npz.*set_file_limits\(\)"):
        ct.load(path)
    ct.set_file_limits(bytes=1 << 30)
    assert ct.load(path)["x"].shape == (1_000_000,)


def test_a_limit_of_nothing_is_refused() -> None:
    before = ct.file_limits()
    with pytest.raises(ct.ArgumentError, match="set_file_limits: depth 0"):
        ct.set_file_limits(depth=0)
    assert ct.file_limits() == before
