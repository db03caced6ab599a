"""Recomputation in backward."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, overload

import catena._catena as _catena
import numpy as np
from catena._catena import Variable
from numpy.typing import NDArray

P = ParamSpec("P")
R = TypeVar("R", bound=Variable | tuple[Variable, ...])
_Array = Variable | NDArray[Any]


@overload
def forget(
    function: Callable[P, list[Variable]], *xs: P.args, **keywords: P.kwargs
) -> tuple[Variable, ...]: ...
@overload
def forget(function: Callable[P, R], *xs: P.args, **keywords: P.kwargs) -> R: ...


# An ndarray reaches the function as a Variable, which no ParamSpec can say.
@overload
def forget(function: Callable[[Variable], R], x: _Array, /) -> R: ...
@overload
def forget(function: Callable[[Variable, Variable], R], x: _Array, y: _Array, /) -> R: ...
@overload
def forget(
    function: Callable[[Variable, Variable, Variable], R], x: _Array, y: _Array, z: _Array, /
) -> R: ...
def forget(function: Callable[..., Any], *xs: Any, **keywords: Any) -> Any:
    """`function(*xs, **keywords)`, whose intermediate results are not kept for backward: it is
    called again there. Less memory for more time.

        h = ct.forget(block, x)
        h = ct.forget(lambda a, b: ct.tanh(a @ b), a, b)

    `function` is a function or module that takes and gives Variables, one or a tuple. Gradients
    flow to Variables and arrays among `xs`, to the parameters that it uses and to Variables that it
    captures; other arguments are passed as they are. The second call has the settings and random
    numbers of the first, and States that the first has changed, such as running statistics, hold
    what they held then. It must give results of the same types: ValueError in backward. The
    gradient can be differentiated. In a static region the compiler decides what is kept, and the
    function is just called.

    TypeError for what cannot be called, for a call without an array, and for a result that is no
    Variable.
    """
    if not callable(function):
        raise TypeError(f"forget() takes a function or a module, not {type(function).__name__}")
    name = getattr(function, "__name__", type(function).__name__)
    places = [i for i, x in enumerate(xs) if isinstance(x, (Variable, np.ndarray))]
    if not places:
        given = ", ".join(type(x).__name__ for x in xs) or "none"
        raise TypeError(
            f"forget({name}): no argument is a Variable or an array (they are: {given})"
        )
    # The inputs are the graph's to keep.
    others = [None if i in places else x for i, x in enumerate(xs)]
    gives_one = True

    def call(*variables: Variable) -> list[Variable]:
        nonlocal gives_one
        arguments = list(others)
        for place, variable in zip(places, variables, strict=True):
            arguments[place] = variable
        result = function(*arguments, **keywords)
        gives_one = not isinstance(result, (tuple, list))
        ys = [result] if gives_one else list(result)
        for y in ys:
            if not isinstance(y, Variable):
                raise TypeError(f"forget({name}): it gives {_described(y)}, not a Variable")
        return ys

    ys = _catena._forget(call, *(xs[i] for i in places))
    return ys[0] if gives_one else tuple(ys)


def _described(value: Any) -> str:
    return "None" if value is None else f"a {type(value).__name__}"
