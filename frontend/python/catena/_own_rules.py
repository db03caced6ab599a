"""Update rules that are written in Python: formulas, and classes with a method."""

from __future__ import annotations

import inspect
import sys
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from catena._catena import Variable
from catena._catena.optim import Optimizer, UpdatedVariable, _define_rule, _FormulaRule, _PythonRule


def check_number_names(rule: str, names: list[str]) -> None:
    """ValueError for a number that could not be an attribute."""
    for name in names:
        if hasattr(Optimizer, name) or hasattr(UpdateRule, name):
            raise ValueError(f"{rule}: '{name}' is an attribute of every optimizer, not a number")


def formula_rule(
    name: str, formula: Callable[..., Any], states: Mapping[str, float] | None = None
) -> type[FormulaOptimizer]:
    """A class of optimizers whose update is one formula, computed for all parameters in one pass.

        Lion = optim.formula_rule(
            "Lion",
            lambda p, g, m, *, lr=1e-4, beta1=0.9, beta2=0.99: (
                p - lr * ct.sign(beta1 * m + (1 - beta1) * g),
                beta2 * m + (1 - beta2) * g,
            ),
        )
        optimizer = Lion(lr=3e-4).setup(model)

    `formula` is called once, with symbols, as that of `catena.elementwise`. Its first two arguments
    are an element of the parameter and of its gradient; the others by position are states, which
    the optimizer keeps for each parameter, and `t`, the number of the update from 1, where there is
    an argument of that name. Its arguments by name, with defaults, are the numbers of the rule:
    arguments of the class and attributes, which may be changed at any time and may differ for
    single parameters. It gives the new parameter and the new states, in the order of the arguments.

    `states` are those that do not begin as zeros: `{"h": 1.0}`. What is computed of `t` and numbers
    alone, such as `1 - beta**t`, is computed once for all parameters, in float64.

    Every call makes operations that live as long as the process: make each class once.
    TypeError and ValueError for what no formula can have.
    """
    arguments, numbers = _arguments(name, formula)
    first = {argument: 0.0 for argument in arguments[2:] if argument != "t"}
    for state, value in (states or {}).items():
        if state not in first:
            raise ValueError(f"{name}: the formula has no state '{state}'; it has {list(first)}")
        first[state] = float(value)
    check_number_names(name, list(numbers))
    rule = _define_rule(name, formula, arguments, list(first.items()), list(numbers.items()))
    members: dict[str, Any] = {number: _number(number) for number in numbers}
    members |= {
        "_rule": rule,
        "_parameters": numbers,
        "_has_numbers_only": True,
        "__module__": sys._getframe(1).f_globals.get("__name__", "__main__"),
        "__doc__": formula.__doc__ or rule.formula,
        "__signature__": inspect.Signature(
            [
                inspect.Parameter(n, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=value)
                for n, value in numbers.items()
            ]
        ),
    }
    return type(name, (FormulaOptimizer,), members)


class FormulaOptimizer(_FormulaRule):
    """What the classes of formula_rule() have in common."""

    _rule: Any
    _parameters: ClassVar[dict[str, float]]

    if TYPE_CHECKING:
        # The numbers, which the class of each formula has as properties.
        def __getattr__(self, name: str) -> float: ...
        def __setattr__(self, name: str, value: float) -> None: ...

    def __init__(self, *given: float, **by_name: float) -> None:
        kind = type(self)
        try:
            numbers = inspect.signature(kind).bind(*given, **by_name).arguments
        except TypeError as error:
            names = ", ".join(self._parameters)
            raise TypeError(f"{kind.__name__}(): {error}; its arguments are: {names}") from None
        self._begin(numbers)

    def _begin(self, numbers: Mapping[str, Any]) -> None:
        checked = [(n, as_number(type(self).__name__, n, value)) for n, value in numbers.items()]
        _FormulaRule.__init__(self, self._rule, checked)


def as_number(rule: str, name: str, value: Any) -> float:
    """The value of a rule's number; TypeError naming it."""
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(
            f"{rule}: {name} should be a number, it is {type(value).__name__} "
            "(parameters are for setup())"
        ) from None


def _number(name: str) -> property:
    def get(self: Any) -> float:
        value: float = self._number(name)
        return value

    def set(self: Any, value: float) -> None:
        self._set_number(name, value)

    return property(get, set)


def _arguments(name: str, formula: Callable[..., Any]) -> tuple[list[str], dict[str, float]]:
    """The arguments of a formula by position, and its numbers with their defaults."""
    arguments: list[str] = []
    numbers: dict[str, float] = {}
    for parameter in inspect.signature(formula).parameters.values():
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            arguments.append(parameter.name)
        elif parameter.kind != parameter.KEYWORD_ONLY:
            raise TypeError(f"{name}: a formula has a fixed number of arguments, not {parameter}")
        elif parameter.default is parameter.empty:
            raise TypeError(f"{name}: the number '{parameter.name}' needs a default")
        else:
            numbers[parameter.name] = as_number(name, parameter.name, parameter.default)
    if len(arguments) < 2 or "t" in arguments[:2]:
        raise TypeError(f"{name}: a formula takes the parameter, its gradient, and its states")
    return arguments, numbers


class _Updating(threading.local):
    """What update_core() of this thread changes: a rule may serve several optimizers at a time."""

    now: dict[str, Any] | None = None


_updating = _Updating()


class UpdateRule(_PythonRule):
    """An optimizer whose update of one parameter is a method: derive from it.

        class SignMomentum(optim.UpdateRule):
            states = {"m": 0.0}

            def __init__(self, lr=0.01, momentum=0.9):
                super().__init__(lr=lr, momentum=momentum)

            def update_core(self, parameter):
                m = self.state["m"]
                m.assign(self.momentum * m + parameter.grad_var)
                parameter.assign(parameter - self.lr * ct.sign(m))

    Numbers, by name, become attributes, which may be changed at any time and may differ for single
    parameters: in update_core they are those of the parameter. `states` names the arrays that are
    kept for each parameter, with what they begin; init_state() may begin them otherwise.

    Written with functions of catena and assign(), an update is a part of the program in a static
    region. `parameter.array[...] -= ...` and `self.state["m"].array[...] = ...` change the elements
    with NumPy, which cuts a region there. A rule that is one formula is faster as formula_rule().
    """

    states: ClassVar[Mapping[str, float]] = {}

    def __init__(self, **numbers: float) -> None:
        check_number_names(type(self).__name__, list(numbers))
        self._begin(numbers)

    def update_core(self, parameter: UpdatedVariable) -> None:
        """Changes one parameter, which has a gradient: `parameter.grad_var`, or `grad`, an ndarray.
        No graph is recorded."""
        raise NotImplementedError(f"{type(self).__name__} has no method update_core")

    def init_state(self, parameter: UpdatedVariable) -> Mapping[str, Any]:
        """With what states of a parameter begin, by name, of any shape; those that are left out
        have the parameter's shape and the number of `states`. Called before its first update."""
        return {}

    @property
    def state(self) -> dict[str, UpdatedVariable]:
        """In update_core: the states of the parameter, which assign() changes."""
        states: dict[str, UpdatedVariable] = self._of_update("state")
        return states

    @property
    def t_var(self) -> Variable:
        """In update_core: the number of this update, from 1, a Variable (int64, 0-d)."""
        number: Variable = self._of_update("t_var")
        return number

    def _begin(self, numbers: Mapping[str, Any]) -> None:
        name = type(self).__name__
        checked = [(n, as_number(name, n, value)) for n, value in numbers.items()]
        _PythonRule.__init__(self, name, checked, list(self.states))
        self.__dict__["_number_names"] = tuple(numbers)

    def __getattr__(self, name: str) -> float:
        if name in vars(self).get("_number_names", ()):
            return self._number(name)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __setattr__(self, name: str, value: Any) -> None:
        if name in vars(self).get("_number_names", ()):
            self._set_number(name, as_number(type(self).__name__, name, value))
        else:
            object.__setattr__(self, name, value)

    def _of_update(self, what: str) -> Any:
        now = _updating.now
        if now is None or now["rule"] is not self:
            raise ValueError(f"{type(self).__name__}: {what} is there while update_core runs")
        return now[what]

    def _first_states(self, path: str, parameter: UpdatedVariable) -> list[Any]:
        """What the C++ side calls before the first update of a parameter."""
        given = dict(self.init_state(parameter) or {})
        unknown = [name for name in given if name not in self.states]
        if unknown:
            raise ValueError(
                f"{type(self).__name__}: init_state gives '{unknown[0]}' for {path}; the class's "
                f"`states` should name it, they are {list(self.states)}"
            )
        return [
            given[name] if name in given else np.full(parameter.shape, value, parameter.dtype)
            for name, value in self.states.items()
        ]

    def _update_slot(
        self, path: str, parameter: UpdatedVariable, states: list[UpdatedVariable], t: Any
    ) -> None:
        """What the C++ side calls for each parameter of an update."""
        before = _updating.now
        _updating.now = {
            "rule": self,
            "state": dict(zip(self.states, states, strict=True)),
            "t_var": t,
        }
        try:
            self.update_core(parameter)
        except Exception as error:
            error.add_note(f"while {type(self).__name__} updated {path} {parameter.shape}")
            raise
        finally:
            _updating.now = before
