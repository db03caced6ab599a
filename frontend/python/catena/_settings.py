"""Settings for a block of code: `with ct.no_backprop_mode(): ...`, or as decorators."""

from __future__ import annotations

from contextlib import ContextDecorator
from types import TracebackType
from typing import Any

from catena._catena import config


class using_config(ContextDecorator):
    """`with using_config("train", False):` sets `catena.config.train` until the block ends.

    Settings belong to a thread. AttributeError for a name that is none of `catena.config`'s,
    TypeError for a value of the wrong type.
    """

    def __init__(self, name: str, value: Any) -> None:
        getattr(config, name)
        self._name = name
        self._value = value
        self._before: list[Any] = []

    def __enter__(self) -> None:
        self._before.append(getattr(config, self._name))
        try:
            setattr(config, self._name, self._value)
        except BaseException:
            self._before.pop()
            raise

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        setattr(config, self._name, self._before.pop())


def no_backprop_mode() -> using_config:
    """No graph is recorded: for prediction, and for computations without a gradient."""
    return using_config("enable_backprop", False)


def force_backprop_mode() -> using_config:
    """The graph is recorded, also within no_backprop_mode()."""
    return using_config("enable_backprop", True)


def train_mode() -> using_config:
    """Dropout drops, batch normalization normalizes by the batch."""
    return using_config("train", True)


def test_mode() -> using_config:
    """Dropout does nothing, batch normalization uses its running statistics."""
    return using_config("train", False)


def debug_mode() -> using_config:
    """A NaN in a result or a gradient, and an index out of range, is an error (ArgumentError)."""
    return using_config("debug", True)
