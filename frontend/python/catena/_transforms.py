"""Gradients of functions: value_and_grad(f), and grad() in both of its forms."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from typing import Any, Literal, ParamSpec, TypeVar, overload

import catena._catena as _catena
import numpy as np
from catena._catena import Variable

Argnums = int | Sequence[int]
P = ParamSpec("P")
R = TypeVar("R")


class _Running(threading.local):
    """How many transformed functions this thread is in: gradients inside of another are
    differentiated again, so they need a graph."""

    depth = 0


_running = _Running()


def _is_module(value: Any) -> bool:
    return hasattr(value, "named_parameters")


def _leaf(value: Any) -> Any:
    """What the function is called with: a Variable, where the value is of floats."""
    if isinstance(value, Variable):
        return value
    if isinstance(value, (bool, int, str, bytes)) or value is None:
        return value
    if isinstance(value, (float, np.ndarray, np.generic)):
        array = np.asarray(value)
        # ml_dtypes' floats are of kind "V".
        is_float = array.dtype.kind == "f" or "float" in array.dtype.name
        return Variable(value if isinstance(value, float) else array) if is_float else value
    return value


def _with_leaves(tree: Any) -> Any:
    """The same tree, with Variables for arrays and floats; Modules stay as they are."""
    if _is_module(tree):
        return tree
    if isinstance(tree, dict):
        return {key: _with_leaves(part) for key, part in tree.items()}
    if isinstance(tree, (list, tuple)):
        parts = [_with_leaves(part) for part in tree]
        if isinstance(tree, tuple) and hasattr(tree, "_fields"):
            return type(tree)(*parts)
        return tuple(parts) if isinstance(tree, tuple) else parts
    return _leaf(tree)


def _differentiated(tree: Any) -> Iterator[Variable]:
    """The Variables of a tree that require a gradient, in order."""
    if _is_module(tree):
        for _, parameter in tree.named_parameters():
            if parameter.is_initialized and parameter.requires_grad:
                yield parameter
    elif isinstance(tree, dict):
        for part in tree.values():
            yield from _differentiated(part)
    elif isinstance(tree, (list, tuple)):
        for part in tree:
            yield from _differentiated(part)
    elif isinstance(tree, Variable) and tree.requires_grad:
        yield tree


def _gradients(tree: Any, found: dict[int, Any]) -> Any:
    """The gradients in the form of the tree; None where there is none. A Module's are a dict by
    path."""
    if _is_module(tree):
        return {path: found.get(id(parameter)) for path, parameter in tree.named_parameters()}
    if isinstance(tree, dict):
        return {key: _gradients(part, found) for key, part in tree.items()}
    if isinstance(tree, (list, tuple)):
        parts = [_gradients(part, found) for part in tree]
        if isinstance(tree, tuple) and hasattr(tree, "_fields"):
            return type(tree)(*parts)
        return tuple(parts) if isinstance(tree, tuple) else parts
    return found.get(id(tree))


def _numbers(argnums: Argnums, count: int, name: str) -> tuple[int, ...]:
    numbers = (argnums,) if isinstance(argnums, int) else tuple(argnums)
    for number in numbers:
        if not -count <= number < count:
            raise ValueError(
                f"{name}: argnums is {argnums}, but {count} arguments were given by position"
            )
    return tuple(number % count for number in numbers)


def _checked_loss(result: Any, has_aux: bool, name: str) -> Variable:
    if has_aux:
        if not (isinstance(result, tuple) and len(result) == 2):
            raise TypeError(f"{name}: with has_aux the function gives (value, aux)")
        result = result[0]
    if not isinstance(result, Variable):
        raise TypeError(f"{name}: the function gives a {type(result).__name__}, not a Variable")
    if result.size != 1:
        raise ValueError(f"{name}: the function gives {result.shape}, not a single element")
    return result


def value_and_grad(
    function: Callable[P, R], argnums: Argnums = 0, has_aux: bool = False
) -> Callable[P, tuple[R, Any]]:
    """A function of the same arguments that gives `(value, gradients)`.

    The gradients are those with respect to argument number `argnums`, or a tuple for several. They
    have the form of the argument: of a Module, a dict of Variables by path; of an array, a
    Variable; of dicts, lists and tuples, the same with gradients in the places; None where nothing
    flows.
    `function` gives one element, or with `has_aux` a pair of it and anything.

        def loss(model, x, t):
            return ct.softmax_cross_entropy(model(x), t)

        value, grads = ct.value_and_grad(loss)(model, x, t)
        optimizer.update(grads)

    No Variable's `grad` changes. Applied twice it gives second derivatives.
    """
    name = f"value_and_grad({getattr(function, '__name__', type(function).__name__)})"

    call: Callable[..., R] = function

    @wraps(function, updated=())
    def run(*args: P.args, **kwargs: P.kwargs) -> tuple[R, Any]:
        numbers = _numbers(argnums, len(args), name)
        given: list[Any] = list(args)
        for number in numbers:
            given[number] = _with_leaves(args[number])
        trees = [given[number] for number in numbers]
        _running.depth += 1
        try:
            result = call(*given, **kwargs)
        finally:
            _running.depth -= 1
        loss = _checked_loss(result, has_aux, name)
        inputs = list({id(x): x for tree in trees for x in _differentiated(tree)}.values())
        grads = _grads_of(loss, inputs)
        found = {id(x): g for x, g in zip(inputs, grads, strict=True)}
        made = tuple(_gradients(tree, found) for tree in trees)
        return result, made[0] if isinstance(argnums, int) else made

    return run


def _grads_of(loss: Variable, inputs: list[Variable]) -> list[Variable | None]:
    if not inputs or not loss.requires_grad:
        return [None] * len(inputs)
    found: list[Variable | None] = _catena.grad(
        [loss], inputs, enable_double_backprop=_running.depth > 0
    )
    return found


@overload
def grad(
    outputs: Variable | Sequence[Variable],
    inputs: Variable | Sequence[Variable],
    grad_outputs: Any = None,
    grad_inputs: Any = None,
    set_grad: bool = False,
    retain_grad: bool = False,
    enable_double_backprop: bool = False,
    loss_scale: float | None = None,
) -> list[Variable | Any]: ...
@overload
def grad(
    f: Callable[P, Any], /, argnums: Argnums = 0, has_aux: Literal[False] = False
) -> Callable[P, Any]: ...
@overload
def grad(
    f: Callable[P, Any], /, argnums: Argnums = 0, *, has_aux: Literal[True]
) -> Callable[P, tuple[Any, Any]]: ...
def grad(  # type: ignore[misc]  # Its second argument has two names.
    outputs: Any, inputs: Any = None, *args: Any, **kwargs: Any
) -> Any:
    """Gradients, in one of two forms.

    `grad(outputs, inputs, grad_outputs=None, ...)` of Variables that were computed: a list of the
    gradients of `outputs` with respect to `inputs`, as chainer.grad and torch.autograd.grad; no
    Variable's `grad` changes; missing grad_outputs are ones.

    `grad(f, argnums=0, has_aux=False)` of a function: a function that gives the gradients, as
    value_and_grad(f) does without the value (with has_aux: `(gradients, aux)`).
    """
    if isinstance(outputs, Variable) or not callable(outputs):
        return _catena.grad(outputs, inputs, *args, **kwargs)
    return _grad_function(outputs, *(() if inputs is None else (inputs,)), *args, **kwargs)


def _grad_function(
    function: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False
) -> Callable[..., Any]:
    both = value_and_grad(function, argnums, has_aux)

    @wraps(function, updated=())
    def run(*args: Any, **kwargs: Any) -> Any:
        value, gradients = both(*args, **kwargs)
        return (gradients, value[1]) if has_aux else gradients

    return run
