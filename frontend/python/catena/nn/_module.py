"""Modules: objects with parameters, found by their attributes."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from catena._catena import (
    DtypeError,
    Parameter,
    ShapeError,
    State,
    Variable,
    _members_below,
    _own_members,
)
from numpy.typing import NDArray

Self = TypeVar("Self", bound="Module")
_Kind = TypeVar("_Kind")


class Module:
    """A part of a network: its attributes that are Parameters, States or other Modules, also in
    lists, tuples and dicts, belong to it.

        class MLP(nn.Module):
            def __init__(self):
                self.l1 = nn.Linear(None, 100)
                self.l2 = nn.Linear(100, 10)

            def forward(self, x):
                return self.l2(ct.relu(self.l1(x)))

    Its call is `forward`. Parameters are learned, States are saved with them; other attributes are
    neither. Paths are attributes joined by "/": "l1/W". Training and test mode are
    `catena.config.train`.
    """

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        # Without names the shorter way: a step makes this call for every layer.
        return self.forward(*args, **kwargs) if kwargs else self.forward(*args)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the module computes; subclasses define it."""
        raise NotImplementedError(f"{type(self).__name__} has no method forward")

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, State) and value.name is None:
            value.name = name
        object.__setattr__(self, name, value)

    def _attributes(self) -> Iterable[tuple[Any, Any]]:
        """Where its members are looked for, and their names."""
        return vars(self).items()

    def named_members(self) -> Iterator[tuple[str, State | Module]]:
        """Its own Parameters, States and Modules with their paths, in the order in which the
        attributes were set."""
        return iter(_own_members(self, Module))

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """Its own Modules."""
        for name, member in self.named_members():
            if isinstance(member, Module):
                yield name, member

    def children(self) -> Iterator[Module]:
        """Its own Modules."""
        return (child for _, child in self.named_children())

    def _found(self, kind: type[_Kind]) -> Iterator[tuple[str, _Kind]]:
        """All of a class at or below it with their paths, each once."""
        return iter(_members_below(self, Module, kind, True))

    def named_modules(self) -> Iterator[tuple[str, Module]]:
        """Itself, of path "", and all modules below it, each once."""
        return self._found(Module)

    def modules(self) -> Iterator[Module]:
        """Itself and all modules below it, each once."""
        return (module for _, module in self.named_modules())

    def named_states(self) -> Iterator[tuple[str, State]]:
        """All that is saved, Parameters and other States, each once, by its first path."""
        return self._found(State)

    def named_parameters(self) -> Iterator[tuple[str, Parameter]]:
        """What is learned, each once: ("l1/W", Parameter), ..."""
        return self._found(Parameter)

    def parameters(self) -> Iterator[Parameter]:
        """What is learned, each once."""
        return (parameter for _, parameter in self.named_parameters())

    def apply(self: Self, f: Callable[[Module], Any]) -> Self:
        """Calls f(module) for all modules below it and itself; returns itself."""
        for module in reversed(list(self.modules())):
            f(module)
        return self

    def count_parameters(self) -> int:
        """Elements of all parameters that have a shape."""
        return sum(p.size for p in self.parameters() if p.is_initialized)

    def cleargrads(self) -> None:
        """Removes all gradients."""
        for parameter in _members_below(self, Module, Parameter, False):
            parameter.cleargrad()

    def freeze(self: Self) -> Self:
        """Optimizers leave its parameters as they are; unfreeze() ends it."""
        for parameter in self.parameters():
            parameter.update_enabled = False
        return self

    def unfreeze(self: Self) -> Self:
        """Optimizers change its parameters again."""
        for parameter in self.parameters():
            parameter.update_enabled = True
        return self

    def to(self: Self, device: str) -> Self:
        """Moves all Parameters and States, "cuda:0"; those without a shape get theirs there."""
        for _, state in self.named_states():
            state.to_device(device)
        return self

    def copy(self: Self) -> Self:
        """A module of its own: equal parameters, shared with nothing."""
        return copy.deepcopy(self)

    def state_dict(self) -> dict[str, NDArray[Any] | None]:
        """Copies of the elements by path; None for what has no shape yet."""
        return {
            path: np.array(state.array) if state.is_initialized else None
            for path, state in self.named_states()
        }

    def load_state_dict(self, values: Mapping[str, Any], strict: bool = True) -> None:
        """Takes the elements of state_dict(), or of arrays or Variables by path.

        What has no shape yet gets that of the array; None changes nothing; dtypes are converted,
        but not floats to integers. Nothing changes unless all fit: ValueError (ShapeError,
        DtypeError) names the keys that are missing or unknown, unless `strict` is false, and those
        that do not fit.
        """
        states = dict(self.named_states())
        _check_keys(type(self).__name__, states, values, strict)
        arrays = {
            path: _fitting(path, state, values[path])
            for path, state in states.items()
            if values.get(path) is not None
        }
        for path, array in arrays.items():
            states[path]._set_content(array)

    def extra(self) -> str:
        """What its line of repr() has between the brackets."""
        return ""

    def __repr__(self) -> str:
        lines = [f"  {name}: {_indented(repr(child))}" for name, child in self.named_children()]
        head = f"{type(self).__name__}({self.extra()}"
        return "\n".join([head, *lines, ")"]) if lines else f"{head})"


class Layer(Module):
    """A Module whose call gives one Variable: nothing but the type that this has."""

    if TYPE_CHECKING:

        def __call__(self, *args: Any, **kwargs: Any) -> Variable: ...


def _indented(text: str) -> str:
    return text.replace("\n", "\n  ")


def _check_keys(
    owner: str, states: Mapping[str, State], values: Mapping[str, Any], strict: bool
) -> None:
    missing = [path for path in states if path not in values]
    unknown = [path for path in values if path not in states]
    if not strict or not (missing or unknown):
        return
    problems = []
    if missing:
        problems.append(f"there is nothing for {', '.join(missing)}")
    if unknown:
        problems.append(f"it has no {', '.join(map(str, unknown))}")
    raise ValueError(f"{owner}: {'; '.join(problems)} (strict=False takes what fits)")


def _fitting(path: str, state: State, value: Any) -> NDArray[Any]:
    """The array that becomes the content of the state."""
    array = np.asarray(value.array if isinstance(value, Variable) else value)
    if not state.is_initialized:
        return array
    if array.shape != state.shape:
        raise ShapeError(f"'{path}' has shape {array.shape}, it should have {state.shape}")
    if array.dtype == state.dtype:
        return array
    if array.dtype.kind in "fc" and np.dtype(state.dtype).kind in "iub":
        raise DtypeError(f"'{path}' is {array.dtype}, it should be {state.dtype}")
    try:
        return array.astype(state.dtype)
    except (TypeError, ValueError) as error:
        raise DtypeError(f"'{path}' is {array.dtype}, it should be {state.dtype}") from error


class Sequential(Module):
    """Calls modules, and functions such as `catena.relu`, one after the other.

    Paths are positions: "0/W". Indexing, len() and iteration are those of a list.
    """

    def __init__(self, *layers: Any) -> None:
        self.layers = list(layers)

    def _attributes(self) -> Iterable[tuple[Any, Any]]:
        return enumerate(self.layers)

    def forward(self, *args: Any) -> Any:
        for layer in self.layers:
            result = layer(*args)
            args = result if isinstance(result, tuple) else (result,)
        return args[0] if len(args) == 1 else args

    def append(self, layer: Any) -> None:
        """One more at the end."""
        self.layers.append(layer)

    def __getitem__(self, index: int | slice) -> Any:
        return Sequential(*self.layers[index]) if isinstance(index, slice) else self.layers[index]

    def __len__(self) -> int:
        return len(self.layers)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.layers)

    def __repr__(self) -> str:
        def text(layer: Any) -> str:
            name = getattr(layer, "__name__", None)
            return _indented(repr(layer) if isinstance(layer, Module) or not name else name)

        lines = [f"  {i}: {text(layer)}" for i, layer in enumerate(self.layers)]
        return "\n".join(["Sequential(", *lines, ")"]) if lines else "Sequential()"
