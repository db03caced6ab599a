"""Methods of a Variable that are functions of the registry, named as those of numpy.ndarray."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any, SupportsIndex

import numpy as np
from catena._catena import Function, TraceError, Variable, functions

Shape = tuple[int, ...]


def _list_of(sizes: tuple[Any, ...]) -> Any:
    """x.reshape(2, 3) and x.reshape((2, 3)) are the same."""
    return sizes[0] if len(sizes) == 1 else sizes


def _reshape(self: Variable, *shape: SupportsIndex | Shape) -> Variable:
    """The same elements, row-major, in another shape, as numbers or a tuple; one size may be -1 and
    is what is left. ShapeError where the numbers of elements differ.
    """
    return functions.reshape(self, _list_of(shape))


def _transpose(self: Variable, *axes: SupportsIndex | Shape | None) -> Variable:
    """The axes in another order, as numbers or a tuple; reversed without one. ShapeError unless
    each axis is named once.
    """
    if not axes or axes == (None,):
        return functions.transpose(self)
    return functions.transpose(self, _list_of(axes))


def _tolist(self: Variable) -> Any:
    """The elements as nested lists of Python's numbers."""
    return self.array.tolist()


def _representation(self: Variable) -> str:
    name = f" {self.name}" if self.name else ""
    if self.array is None:
        return f"variable{name}()"
    prefix = f"variable{name}("
    return prefix + np.array2string(self.array, separator=", ", prefix=prefix) + ")"


def _text(self: Variable) -> str:
    return f"variable{f' {self.name}' if self.name else ''}({self.array})"


def _format(self: Variable, specification: str) -> str:
    """`f"{loss:.3f}"` of a single element, as of a float."""
    return format(self.item(), specification) if specification else str(self)


def present_grad(self: Variable) -> np.ndarray | None:
    """The gradient that a copy gets: none where a compiled step has used it up, which reading it
    would be an error of."""
    try:
        return self.grad
    except TraceError:
        return None


def _contains(self: Variable, value: Any) -> bool:
    """Whether an element equals it, as of an ndarray."""
    return bool((self.array == value).any())


def _round(self: Variable, digits: int | None = None) -> Any:
    """`round(loss, 3)` of a single element, as of a float."""
    return round(self.item(), digits)


def _leaf_content(self: Variable, what: str) -> tuple[Any, ...]:
    if self.requires_grad and self.creator is not None:
        raise ValueError(
            f"{what}: this Variable was computed, and its graph cannot be copied; "
            "take x.detach(), or a leaf"
        )
    return (self.array, self.name, present_grad(self), self.requires_grad)


def _rebuild(
    kind: Callable[..., Variable],
    array: np.ndarray | None,
    name: str | None,
    grad: np.ndarray | None,
    requires_grad: bool,
) -> Variable:
    return kind(array, name=name, grad=grad, requires_grad=requires_grad)


def _reduce(self: Variable) -> tuple[Any, ...]:
    return (_rebuild, (type(self), *_leaf_content(self, "pickle")))


def _deepcopy(self: Variable, memo: dict[int, Any]) -> Variable:
    array, name, grad, requires_grad = _leaf_content(self, "deepcopy")
    made = type(self)(
        None if array is None else array.copy(),
        name=name,
        grad=None if grad is None else grad.copy(),
        requires_grad=requires_grad,
    )
    memo[id(self)] = made
    return made


def methods_of_ndarray() -> Iterator[tuple[str, Function]]:
    """The functions whose first argument is an array, where ndarray has a method of that name."""
    for name, function in vars(functions).items():
        if isinstance(function, Function) and callable(getattr(np.ndarray, name, None)):
            first = function.parameters[0] if function.parameters else None
            if first and first[1] == "array":
                yield name, function


def attach(variable: Any) -> None:
    """Gives the class its methods."""
    for name, function in methods_of_ndarray():
        if name not in vars(variable):
            setattr(variable, name, function)
    variable.reshape = _reshape
    variable.transpose = _transpose
    variable.tolist = _tolist
    variable.T = property(_transpose, doc="The axes in reverse order.")
    variable.__repr__ = _representation
    variable.__str__ = _text
    variable.__format__ = _format
    variable.__contains__ = _contains
    variable.__round__ = _round
    variable.__reduce__ = _reduce
    variable.__deepcopy__ = _deepcopy
    variable.__copy__ = lambda self: copy.deepcopy(self)
