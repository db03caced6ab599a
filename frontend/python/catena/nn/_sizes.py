"""Checks of the sizes that layers are given."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index


def positive(name: str, size: int) -> int:
    """A size, or ValueError naming it."""
    if index(size) <= 0:
        raise ValueError(f"{name} should be positive, it is {size}")
    return index(size)


def positive_or_none(name: str, size: int | None) -> int | None:
    """The same of one that the first input tells."""
    return None if size is None else positive(name, size)


def per_axis(name: str, sizes: int | Sequence[int], axes: int) -> tuple[int, ...]:
    """One size for all axes, or one for each."""
    if isinstance(sizes, Sequence):
        if len(sizes) != axes:
            raise ValueError(f"{name} should be a number or {axes} of them, it is {sizes}")
        return tuple(positive(name, size) for size in sizes)
    return (positive(name, sizes),) * axes
