"""Random numbers of the present thread."""

from collections.abc import Sequence

def seed(seed: int) -> None:
    """Seeds this thread's random numbers, including those of initial parameters."""

def get_state() -> list[int]:
    """All of this thread's random state."""

def set_state(state: Sequence[int]) -> None:
    """What get_state() returned is the state again."""
