"""What lets NumPy's functions take Variables: np.exp(x), np.concatenate([x, y]), np.asarray(x)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import catena._catena as _catena
import numpy as np
from catena._catena import Function, Variable, functions

#: NumPy's functions of what an array is, not of its elements.
_facts: dict[str, Callable[[Any], Any]] = {
    "shape": lambda x: x.shape,
    "ndim": lambda x: x.ndim,
    "size": lambda x: x.size,
}


def _array(self: Variable, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
    """For np.asarray(x): the elements; inside a region this reads them."""
    array = self.array
    if dtype is not None and array.dtype != np.dtype(dtype):
        if copy is False:
            raise ValueError(f"a Variable of {array.dtype} cannot be {dtype} without a copy")
        return array.astype(dtype)
    return array.copy() if copy else array


def _registered(name: str) -> Function | None:
    found = getattr(functions, name, None)
    return found if isinstance(found, Function) else None


def _variables(value: Any) -> Iterable[Variable]:
    if isinstance(value, Variable):
        yield value
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _variables(part)
    elif isinstance(value, dict):
        yield from _variables(list(value.values()))


def _as_arrays(value: Any) -> Any:
    if isinstance(value, Variable):
        return value.array
    if isinstance(value, list | tuple):
        return type(value)(_as_arrays(part) for part in value)
    if isinstance(value, dict):
        return {key: _as_arrays(part) for key, part in value.items()}
    return value


def _by_numpy(function: Callable[..., Any], args: Any, kwargs: Any, name: str) -> Any:
    """A function that Catena lacks, on the elements; an error where a gradient would be lost."""
    if any(x.requires_grad for x in _variables([args, kwargs])):
        raise TypeError(
            f"numpy.{name}: Catena has no {name}, and NumPy's would lose the gradient; "
            "take x.array or x.detach() where none is wanted"
        )
    return function(*_as_arrays(args), **_as_arrays(kwargs))


def _array_ufunc(self: Variable, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
    function = _registered(ufunc.__name__)
    if method == "__call__" and function is not None and not kwargs:
        return function(*inputs)
    if any(isinstance(x, Variable) for x in kwargs.get("out", ())):
        raise TypeError(f"numpy.{ufunc.__name__}: a Variable cannot be `out`")
    return _by_numpy(getattr(ufunc, method), inputs, kwargs, ufunc.__name__)


def _array_function(
    self: Variable, function: Callable[..., Any], types: Any, args: Any, kwargs: Any
) -> Any:
    name = function.__name__
    if name in _facts and len(args) == 1 and not kwargs:
        return _facts[name](args[0])
    registered = _registered(name) if function.__module__ == "numpy" else None
    if registered is not None:
        return registered(*args, **kwargs)
    return _by_numpy(function, args, kwargs, name)


#: DLPack's kDLCPU and the number of the device.
_host = (1, 0)


def _dlpack(
    self: Variable,
    *,
    stream: Any = None,
    max_version: tuple[int, int] | None = None,
    dl_device: tuple[int, int] | None = None,
    copy: bool | None = None,
) -> Any:
    """A capsule of the elements in memory of the host, for from_dlpack() of other libraries."""
    if stream is not None:
        raise BufferError("x.__dlpack__: memory of the host has no stream, it takes stream=None")
    if dl_device is not None and tuple(dl_device) != _host:
        raise BufferError(
            f"x.__dlpack__: gives memory of the host, dl_device=(1, 0), not {tuple(dl_device)}"
        )
    versioned = max_version is not None and max_version[0] >= 1
    return _catena._to_dlpack(self, versioned, bool(copy))


def _dlpack_device(self: Variable) -> tuple[int, int]:
    return _host


def attach(variable: Any) -> None:
    """Gives the class NumPy's protocols."""
    variable.__array__ = _array
    variable.__array_ufunc__ = _array_ufunc
    variable.__array_function__ = _array_function
    variable.__dlpack__ = _dlpack
    variable.__dlpack_device__ = _dlpack_device
