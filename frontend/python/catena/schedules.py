"""Schedules: numbers that follow the count of updates.

    schedule = ct.optim.schedules.warmup(500, ct.optim.schedules.cosine(1e-3, 10_000))

    for i, (x, t) in enumerate(batches):
        optimizer.alpha = schedule(i)
        step(x, t)

A schedule is a function of the number of updates so far, from 0, that gives a number. Setting a
number of an optimizer does not compile a static region again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

Schedule = Callable[[float], float]

__all__ = ["cosine", "exponential", "inverse_sqrt", "linear", "pieces", "polynomial", "warmup"]


def _checked(name: str, what: str, value: float) -> float:
    if not value > 0:
        raise ValueError(f"{name}: {what} should be positive, it is {value}")
    return value


def _share(i: float, updates: float) -> float:
    """How much of `updates` is over, from 0 to 1."""
    return min(max(i / updates, 0.0), 1.0)


def polynomial(first: float, updates: float, last: float = 0.0, power: float = 1.0) -> Schedule:
    """From `first` to `last` in so many updates, and then `last`:
    last + (first - last) (1 - i / updates)^power."""
    _checked("polynomial", "updates", updates)
    return lambda i: last + (first - last) * (1 - _share(i, updates)) ** power


def linear(first: float, updates: float, last: float = 0.0) -> Schedule:
    """A straight line from `first` to `last` in so many updates, and then `last`."""
    _checked("linear", "updates", updates)
    return polynomial(first, updates, last)


def cosine(first: float, updates: float, last: float = 0.0) -> Schedule:
    """Half a cosine from `first` to `last` in so many updates, and then `last`:
    https://arxiv.org/abs/1608.03983 without restarts."""
    _checked("cosine", "updates", updates)
    return lambda i: last + (first - last) * (1 + math.cos(math.pi * _share(i, updates))) / 2


def exponential(first: float, rate: float, every: float = 1, in_steps: bool = False) -> Schedule:
    """first rate^(i / every): multiplied by `rate` in so many updates; `in_steps`: at once when
    they are over."""
    _checked("exponential", "every", every)
    return lambda i: first * rate ** (i // every if in_steps else i / every)


def inverse_sqrt(first: float, updates: float) -> Schedule:
    """`first` for so many updates, and then first sqrt(updates / i):
    https://arxiv.org/abs/1706.03762."""
    _checked("inverse_sqrt", "updates", updates)
    return lambda i: first * math.sqrt(updates / max(i, updates))


def pieces(numbers: Mapping[float, float]) -> Schedule:
    """The number of the last key that is not above i: {0: 0.1, 1000: 0.01, 5000: 0.001}. ValueError
    without a number for 0."""
    if 0 not in numbers:
        raise ValueError(f"pieces: there is no number for update 0, only for {list(numbers)}")
    steps = sorted(numbers.items())
    return lambda i: [number for begin, number in steps if begin <= i or begin == 0][-1]


def warmup(updates: float, schedule: Schedule) -> Schedule:
    """For so many updates a straight line from 0 to where `schedule` begins, which begins then. The
    first update has (1 / updates) of it, so that it does something."""
    _checked("warmup", "updates", updates)

    def number(i: float) -> float:
        return schedule(0) * (i + 1) / updates if i < updates else schedule(i - updates)

    return number
