"""What models from ONNX and Caffe files have in common: arguments, parameters, export."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from catena._catena import Parameter, Variable


def as_variable(value: Any) -> Variable:
    """A Variable as it is; of anything else one without gradient."""
    return value if isinstance(value, Variable) else Variable(value, requires_grad=False)


def flattened(result: Any) -> list[Variable]:
    """The Variables in a result, in order; other arrays are constants of the model."""
    if isinstance(result, Variable):
        return [result]
    if isinstance(result, dict):
        return [part for value in result.values() for part in flattened(value)]
    if isinstance(result, (list, tuple)):
        return [part for value in result for part in flattened(value)]
    if dataclasses.is_dataclass(result):
        return [
            part
            for field in dataclasses.fields(result)
            for part in flattened(getattr(result, field.name))
        ]
    return [as_variable(result)]


def function_of_lists(f: Callable[..., Any]) -> Callable[[list[Variable]], list[Variable]]:
    """As exports call a model: a list of Variables, and a list of its results."""
    return lambda inputs: flattened(f(*inputs))


def as_inputs(inputs: Any) -> list[Variable]:
    """The examples that a model is recorded with: one array, or a sequence of them."""
    if isinstance(inputs, Sequence) and not isinstance(inputs, str):
        return [as_variable(value) for value in inputs]
    return [as_variable(inputs)]


def one_or_all(results: list[Variable]) -> Any:
    """A single result alone, several as a tuple."""
    return results[0] if len(results) == 1 else tuple(results)


class WithParameters:
    """Parameters of a model that C++ holds: for optimizers, and to read and write."""

    _model: Any

    def namedparams(self) -> Iterator[tuple[str, Parameter]]:
        """All parameters with their paths, ("/conv1/W", parameter)."""
        yield from self._model.namedparams()

    def params(self) -> Iterator[Parameter]:
        """All parameters, in the order of the file."""
        for _, parameter in self.namedparams():
            yield parameter

    def cleargrads(self) -> None:
        """Remove the gradients of all parameters."""
        for parameter in self.params():
            parameter.cleargrad()
