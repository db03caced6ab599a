"""Catena: define-by-run deep learning with a compiler under it.

    import catena as ct

    x = ct.Variable([[1.0, 2.0], [3.0, 4.0]])
    y = ct.sum(ct.exp(x))
    y.backward()
    print(x.grad)

Functions of arrays are named as Chainer's and NumPy's are; docs/python.md begins at the beginning.
"""

import importlib as _importlib
import os as _os
from typing import Any as _Any

from catena import (
    _array_methods,
    _functions,
    _hints,
    _numpy_protocol,
    _parameters,
    data,
    datasets,
    initializers,
    nn,
    optim,
)
from catena._catena import (
    ArgumentError,
    CompileError,
    DeviceError,
    DtypeError,
    Error,
    FileError,
    Function,
    OutOfMemoryError,
    Parameter,
    Program,
    ShapeError,
    State,
    StaticGraph,
    TraceError,
    Variable,
    __version__,
    backward,
    config,
    current_device,
    functions,
    has_device,
    memory_in_use,
    profile_scope,
    random,
    release_cached_memory,
    set_own_folder,
    using_device,
)
from catena._elementwise import elementwise
from catena._forget import forget
from catena._functions import *  # noqa: F403
from catena._io import load, save
from catena._jit import jit, static_graph
from catena._settings import (
    debug_mode,
    force_backprop_mode,
    no_backprop_mode,
    test_mode,
    train_mode,
    using_config,
)
from catena._transforms import grad, value_and_grad
from catena._user_function import UserFunction

# Read when they are asked for: they load libraries that most programs do not need.
_FORMATS = ("caffe", "onnx")


def __getattr__(name: str) -> _Any:
    if name in _FORMATS:
        return _importlib.import_module(f"catena.{name}")
    raise _hints.missing("catena", name, _hints.PACKAGE)


set_own_folder(_os.path.dirname(__file__) + _os.sep)
_array_methods.attach(Variable)
_numpy_protocol.attach(Variable)
_parameters.attach()
_hints.attach(Variable, _hints.VARIABLE)

__all__ = [
    "ArgumentError",
    "CompileError",
    "DeviceError",
    "DtypeError",
    "Error",
    "FileError",
    "Function",
    "OutOfMemoryError",
    "Parameter",
    "Program",
    "ShapeError",
    "State",
    "StaticGraph",
    "TraceError",
    "UserFunction",
    "Variable",
    "__version__",
    "backward",
    "config",
    "current_device",
    "data",
    "datasets",
    "debug_mode",
    "elementwise",
    "force_backprop_mode",
    "forget",
    "functions",
    "grad",
    "has_device",
    "initializers",
    "jit",
    "load",
    "memory_in_use",
    "nn",
    "no_backprop_mode",
    "optim",
    "profile_scope",
    "random",
    "release_cached_memory",
    "save",
    "static_graph",
    "test_mode",
    "train_mode",
    "using_config",
    "using_device",
    "value_and_grad",
    *_functions.__all__,
]
