"""New elementwise operations from one formula."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import catena._catena as _catena
from catena._catena import Variable

Formula = Callable[..., Any]


class ElementwiseFunction:
    """What elementwise() gives: called with arrays, and its numbers by name."""

    def __init__(
        self, op: Any, name: str, formula: Formula, count: int, scalars: dict[str, float]
    ) -> None:
        self._op = op
        self._count = count
        self._scalars = scalars
        self.__name__ = name
        self.__doc__ = formula.__doc__
        self.__signature__ = inspect.signature(formula)

    @property
    def formula(self) -> str:
        """The formula that was found, as a text."""
        text: str = self._op.formula
        return text

    def __call__(self, *xs: Any, **numbers: float) -> Variable:
        if len(xs) != self._count:
            raise TypeError(f"{self.__name__}() takes {self._count} arrays, {len(xs)} were given")
        unknown = [name for name in numbers if name not in self._scalars]
        if unknown:
            raise TypeError(f"{self.__name__}() has no argument '{unknown[0]}'")
        values = tuple(numbers.get(name, default) for name, default in self._scalars.items())
        result: Variable = self._op(xs, values)
        return result

    def __repr__(self) -> str:
        return f"<elementwise function {self.__name__}{self.__signature__}: {self.formula}>"


def elementwise(
    name: str, formula: Formula, gradient: Formula | Sequence[Formula | None] | None = None
) -> ElementwiseFunction:
    """A new operation, one pass over its elements, eagerly and compiled, on every device.

        soft_sign = ct.elementwise(
            "soft_sign",
            lambda x: x / (1 + abs(x)),
            lambda x, y, gy: gy / (1 + abs(x)) ** 2,
        )

    `formula` is called once with symbols, and tells with operators, elementwise functions of catena
    and `ct.where(condition, a, b)` what one element of the result is. Its arguments by position are
    arrays, which broadcast; those by name, with defaults, are numbers, which compiled code reads at
    every call: `lambda x, *, slope=0.2: ct.where(x > 0, x, slope * x)`.

    `gradient` takes the arrays, then the result y and its gradient gy, and the numbers by name; a
    list has one for each array, None where no gradient flows. Without it there is none. It is a
    formula, too; differentiated twice, it is called with Variables.

    Integers are computed as `catena.config.dtype`. Every call makes an operation that lives as long
    as the process: make each once, outside of loops. TypeError for what no formula can have.
    """
    count, scalars = _arguments(name, formula)
    gradients = _listed(gradient, count, name)
    op = _catena._define_elementwise(name, formula, gradients, count, list(scalars))
    return ElementwiseFunction(op, name, formula, count, scalars)


def _listed(
    gradient: Formula | Sequence[Formula | None] | None, count: int, name: str
) -> list[Formula | None]:
    if gradient is None:
        return [None] * count
    gradients: list[Formula | None] = [gradient] if callable(gradient) else list(gradient)
    if len(gradients) != count:
        raise ValueError(f"{name}: {len(gradients)} gradients for {count} arrays")
    return gradients


def _arguments(name: str, formula: Formula) -> tuple[int, dict[str, float]]:
    """How many arrays a formula takes, and its numbers with their defaults."""
    count = 0
    scalars: dict[str, float] = {}
    for parameter in inspect.signature(formula).parameters.values():
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            count += 1
        elif parameter.kind != parameter.KEYWORD_ONLY:
            raise TypeError(f"{name}: a formula has a fixed number of arguments, not {parameter}")
        elif parameter.default is parameter.empty:
            raise TypeError(f"{name}: the number '{parameter.name}' needs a default")
        else:
            scalars[parameter.name] = float(parameter.default)
    if not count:
        raise TypeError(f"{name}: a formula takes at least one array")
    return count, scalars
