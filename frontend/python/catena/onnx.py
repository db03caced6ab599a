"""ONNX models: from a file to a function, and from a function to a file."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from catena import _onnx
from catena._catena import Variable
from catena._foreign_model import (
    WithParameters,
    as_inputs,
    as_variable,
    function_of_lists,
    one_or_all,
)
from catena._onnx import Port

__all__ = ["Model", "Port", "export", "load", "load_tensor"]


class Model(WithParameters):
    """A model from an ONNX file as a function.

    Every node is a call of Catena's functions: the model runs eagerly, can be differentiated, and
    compiles in a static region as any function does.
    """

    def __init__(self, path: str | os.PathLike[str], trainable: bool = False) -> None:
        self._model = _onnx.load(os.fspath(path), trainable)
        self._path = os.fspath(path)

    @property
    def inputs(self) -> list[Port]:
        """The inputs without a default, with name, dtype_name and shape."""
        return list(self._model.inputs)

    @property
    def outputs(self) -> list[Port]:
        """The outputs, with name, dtype_name and shape."""
        return list(self._model.outputs)

    @property
    def initializers(self) -> dict[str, Variable]:
        """The weights and constants of the file, by name; trainable ones are the parameters."""
        return dict(self._model.initializers())

    def __call__(self, *inputs: Any, **named: Any) -> Any:
        """Run the model on arrays, by position or by the names of its inputs.

        Returns:
            The output as a Variable; several as a tuple.

        Raises:
            TypeError: for an input that is missing, unknown or given twice.
            ArgumentError, ShapeError, DtypeError: for an array that does not match its input.
        """
        return one_or_all(self._model.run(self._in_order(inputs, named)))

    def _in_order(self, inputs: Sequence[Any], named: dict[str, Any]) -> list[Variable]:
        given = [as_variable(value) for value in inputs]
        names = [port.name for port in self.inputs[len(given) :]]
        for name in named:
            if name not in names:
                what = "twice" if name in [port.name for port in self.inputs] else "and has none"
                raise TypeError(f"{self!r} was given an input '{name}' {what}")
        missing = [name for name in names if name not in named]
        if missing and named:
            raise TypeError(f"{self!r} misses its inputs {missing}")
        return given + [as_variable(named[name]) for name in names if name in named]

    def __repr__(self) -> str:
        names = ", ".join(port.name for port in self.inputs)
        return f"<catena.onnx.Model {self._path}({names})>"


def load(path: str | os.PathLike[str], trainable: bool = False) -> Model:
    """Read a model from an ONNX file.

    Args:
        path: The .onnx file.
        trainable: Its weights become parameters, for fine-tuning.

    Raises:
        FileError: where the file is no ONNX model or is inconsistent.
        Error: naming operator, node and opset that Catena lacks.
    """
    return Model(path, trainable)


def load_tensor(path: str | os.PathLike[str]) -> np.ndarray[Any, Any]:
    """Read an array from a file of one TensorProto (.pb), as ONNX's test data are kept."""
    return np.asarray(_onnx.load_tensor(os.fspath(path)).array)


def export(
    f: Callable[..., Any],
    inputs: Any,
    path: str | os.PathLike[str],
    *,
    opset: int = 18,
    graph_name: str = "catena",
    input_names: Sequence[str] = (),
    output_names: Sequence[str] = (),
    open_sizes: Sequence[tuple[int, int, str]] = (),
    train: bool = False,
) -> None:
    """Write what a function computes on arrays like `inputs` as an ONNX model.

    The function is run on shapes only, once, and twice more for open sizes. Parameters become
    initializers, states that it changes further inputs and outputs.

    Args:
        f: A function, link, region or model of Variables; returns Variables in any nesting.
        inputs: An array, or a list of them: their shapes and dtypes are those of the model.
        path: The .onnx file; weights of more than 1 GiB go beside it.
        open_sizes: [(0, 0, "batch")] leaves the first axis of the first input open.
        train: Record in training mode.

    Raises:
        ArgumentError: naming the operation and its line where ONNX cannot express it.
    """
    _onnx.export(
        function_of_lists(f),
        as_inputs(inputs),
        os.fspath(path),
        opset,
        graph_name,
        list(input_names),
        list(output_names),
        list(open_sizes),
        train,
    )
