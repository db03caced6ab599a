"""Random host programs in Python: random_host.py.

CATENA_PYTHON_HOST_PROGRAMS asks for more of them, CATENA_PYTHON_HOST_SEED for others.
"""

from __future__ import annotations

import os

import pytest
from random_host import check

PROGRAMS = int(os.environ.get("CATENA_PYTHON_HOST_PROGRAMS", "240"))
FIRST = int(os.environ.get("CATENA_PYTHON_HOST_SEED", "1"))
GROUP = 20


@pytest.mark.parametrize("first", range(FIRST, FIRST + PROGRAMS, GROUP))
def test_random_programs_do_the_same_compiled(first):
    followed = cuts = 0
    for seed in range(first, first + GROUP):
        regions = check(seed)
        followed += regions.total("followed_calls")
        cuts += regions.total("cuts")
    assert followed > GROUP, "programs were not recorded"
    assert cuts > 0, "no program read a value"
