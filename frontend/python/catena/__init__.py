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
import typing as _typing

# All names without an underscore are public; `X as X` says so to type checkers.
from catena import (
    _array_methods,
    _hints,
    _numpy_protocol,
    _parameters,
    data as data,
    datasets as datasets,
    distributed as distributed,
    initializers as initializers,
    nn as nn,
    optim as optim,
)
from catena._catena import (
    ArgumentError as ArgumentError,
    CommunicationError as CommunicationError,
    CompileError as CompileError,
    DeviceError as DeviceError,
    DtypeError as DtypeError,
    Error as Error,
    FileError as FileError,
    Function as Function,
    OutOfMemoryError as OutOfMemoryError,
    Parameter as Parameter,
    Program as Program,
    ShapeError as ShapeError,
    State as State,
    StaticGraph as StaticGraph,
    TraceError as TraceError,
    Variable as Variable,
    __version__ as __version__,
    backward as backward,
    config as config,
    current_device as current_device,
    file_limits as file_limits,
    from_dlpack as from_dlpack,
    functions as functions,
    has_device as has_device,
    memory_in_use as memory_in_use,
    profile_scope as profile_scope,
    random as random,
    release_cached_memory as release_cached_memory,
    set_file_limits as set_file_limits,
    set_own_folder as _set_own_folder,
    using_device as using_device,
)
from catena._elementwise import elementwise as elementwise
from catena._forget import forget as forget
from catena._functions import *  # noqa: F403
from catena._io import load as load, save as save
from catena._jit import jit as jit, static_graph as static_graph
from catena._settings import (
    debug_mode as debug_mode,
    force_backprop_mode as force_backprop_mode,
    no_backprop_mode as no_backprop_mode,
    test_mode as test_mode,
    train_mode as train_mode,
    using_config as using_config,
)
from catena._transforms import grad as grad, value_and_grad as value_and_grad
from catena._user_function import UserFunction as UserFunction

if _typing.TYPE_CHECKING:
    from catena import caffe as caffe, onnx as onnx, shards as shards
else:
    # Read when they are asked for: they load libraries that most programs do not need.
    _FORMATS = ("caffe", "onnx", "shards")

    def __getattr__(name: str) -> object:
        if name in _FORMATS:
            return _importlib.import_module(f"catena.{name}")
        raise _hints.missing("catena", name, _hints.PACKAGE)


_set_own_folder(_os.path.dirname(__file__) + _os.sep)
_array_methods.attach(Variable)
_numpy_protocol.attach(Variable)
_parameters.attach()
_hints.attach(Variable, _hints.VARIABLE)
