"""Copies, pickles and texts of Parameters and States."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from catena._array_methods import present_grad
from catena._catena import Parameter, State

_Content = tuple[Any, str | None, Any, bool, Any]


def _content(self: State) -> _Content:
    """Elements, name, gradient, whether it is updated, and what fills it."""
    array = None if self.array is None else np.array(self.array)
    grad = None if array is None else present_grad(self)
    initializer = vars(self).get("initializer")
    if grad is not None:
        grad = np.array(grad)
    return array, self.name, grad, getattr(self, "update_enabled", True), initializer


def _rebuilt(kind: type[Any], content: _Content) -> Any:
    array, name, grad, update_enabled, initializer = content
    if initializer is None:
        made = kind(array, name=name)
    else:
        made = kind(initializer, name=name)
        if array is not None:
            made._set_content(array)
    if grad is not None:
        made.grad = grad
    if not update_enabled:
        made.update_enabled = False
    return made


def _reduce(self: State) -> tuple[Any, ...]:
    return _rebuilt, (type(self), _content(self))


def _deepcopy(self: State, memo: dict[int, Any]) -> Any:
    content = copy.deepcopy(_content(self)[:4], memo)
    made = _rebuilt(type(self), (*content, vars(self).get("initializer")))
    memo[id(self)] = made
    return made


def _representation(self: State) -> str:
    kind = type(self).__name__
    name = f" {self.name}" if self.name else ""
    if not self.is_initialized:
        return f"<{kind}{name} without a shape yet>"
    return f"<{kind}{name} {self.shape} {self.dtype}>\n{self.array}"


def attach() -> None:
    """Gives the classes their methods."""
    kinds: tuple[Any, ...] = (State, Parameter)
    for kind in kinds:
        kind.__reduce__ = _reduce
        kind.__deepcopy__ = _deepcopy
        kind.__copy__ = lambda self: copy.deepcopy(self)
        kind.__repr__ = _representation
