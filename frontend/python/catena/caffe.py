"""Caffe's models: from .caffemodel files to functions, and back."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from catena import _caffe
from catena._caffe import Layer
from catena._catena import Variable
from catena._foreign_model import (
    WithParameters,
    as_inputs,
    as_variable,
    function_of_lists,
    one_or_all,
)

__all__ = ["CaffeFunction", "Layer", "export", "load"]


class CaffeFunction(WithParameters):
    """A network from a .caffemodel file as a function, like Chainer's CaffeFunction.

    Every layer with parameters has them under its name, /conv1/W. Dropout and batch normalization
    behave as ``config.train`` says.
    """

    def __init__(
        self, path: str | os.PathLike[str], prototxt: str | os.PathLike[str] | None = None
    ) -> None:
        text = None if prototxt is None else os.fspath(prototxt)
        self._model = _caffe.CaffeFunction(os.fspath(path), text)

    @property
    def layers(self) -> list[Layer]:
        """The layers, with name, type, bottom and top."""
        return list(self._model.layers)

    @property
    def skipped(self) -> list[Layer]:
        """Layers of unknown types, and those of data, which are left out."""
        return list(self._model.skipped)

    @property
    def inputs(self) -> list[str]:
        """The blobs that layers read and none writes before."""
        return list(self._model.inputs)

    @property
    def name(self) -> str:
        """The network's name in the file."""
        return str(self._model.net_name)

    def __call__(
        self,
        inputs: Any,
        outputs: Sequence[str] | None = None,
        disable: Sequence[str] = (),
    ) -> Any:
        """Compute blobs from blobs.

        Args:
            inputs: {"data": x}; an array alone is the only input.
            outputs: The names of the blobs wanted; by default those that no layer reads.
            disable: Names of layers to leave out.

        Returns:
            A list of Variables where outputs are named, as in Chainer; else the only blob that no
            layer reads, or a tuple of them.

        Raises:
            ArgumentError: for an output that is then not computed.
        """
        if not isinstance(inputs, Mapping):
            names = self.inputs
            if len(names) != 1:
                raise TypeError(f"the network has the inputs {names}: give them by name, in a dict")
            inputs = {names[0]: inputs}
        blobs = {name: as_variable(value) for name, value in inputs.items()}
        if outputs is None:
            wanted = self._model.results(list(blobs))
            return one_or_all(self._model.run(blobs, wanted, list(disable)))
        return self._model.run(blobs, list(outputs), list(disable))

    def blobs(self, inputs: Mapping[str, Any], disable: Sequence[str] = ()) -> dict[str, Variable]:
        """All blobs by name: those given and those computed."""
        given = {name: as_variable(value) for name, value in inputs.items()}
        return dict(self._model.blobs(given, list(disable)))

    def forward(self, layer: str, bottom: Sequence[Any]) -> list[Variable]:
        """Call one layer with its bottoms."""
        return list(self._model.forward(layer, [as_variable(value) for value in bottom]))


def load(
    path: str | os.PathLike[str], prototxt: str | os.PathLike[str] | None = None
) -> CaffeFunction:
    """Read a network from a .caffemodel file, with the layers of a .prototxt file if one is given.

    Raises:
        FileError: where a file is none of Caffe's, or contradicts itself.
        Error: for an option of a layer that Catena lacks.
    """
    return CaffeFunction(path, prototxt)


def export(
    f: Callable[..., Any],
    inputs: Any,
    directory: str | os.PathLike[str],
    *,
    export_params: bool = True,
    graph_name: str = "Graph",
    file_name: str = "catena_model",
    input_names: Sequence[str] = (),
    output_names: Sequence[str] = (),
) -> None:
    """Write what a function computes on arrays like `inputs` as a Caffe network.

    Makes directory/file_name.prototxt and, with export_params, .caffemodel. The function is
    recorded on shapes only, in test mode.

    Raises:
        Error: naming the operation and its line where Caffe has no layer for it.
    """
    _caffe.export(
        function_of_lists(f),
        as_inputs(inputs),
        os.fspath(directory),
        export_params,
        graph_name,
        file_name,
        list(input_names),
        list(output_names),
    )
