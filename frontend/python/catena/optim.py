"""Optimizers: update rules of one formula each, computed for all parameters in one sweep.

    optimizer = ct.optim.Adam(alpha=1e-3).setup(model)
    optimizer.add_hook(ct.optim.WeightDecay(1e-4))

    loss = loss_of(model, x, t)
    model.cleargrads()
    loss.backward()
    optimizer.update()

The numbers of a rule are its arguments and its attributes; setting one affects the next update, in
compiled code, too: `optimizer.alpha = 1e-4`. The names are Chainer's: Adam's step is `alpha`.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from catena import _hints, _hooks, _optimizer_copies, schedules
from catena._catena import Parameter, Variable, optim as _bound
from catena._catena.optim import (
    MSVAG,
    SGD,
    SMORMS3,
    AdaBound,
    AdaDelta,
    AdaGrad,
    Adam,
    AdamW,
    AMSBound,
    AMSGrad,
    CorrectedMomentumSGD,
    GradientClipping,
    GradientHardClipping,
    GradientLARS,
    GradientNoise,
    Hook,
    Lasso,
    LossScaling,
    MomentumSGD,
    NesterovAG,
    Optimizer,
    ParameterHook,
    ParameterRule,
    RMSprop,
    RMSpropGraves,
    UpdatedVariable,
    WeightDecay,
)
from catena._own_rules import UpdateRule, formula_rule
from numpy.typing import NDArray

__all__ = [
    "MSVAG",
    "SGD",
    "SMORMS3",
    "AMSBound",
    "AMSGrad",
    "AdaBound",
    "AdaDelta",
    "AdaGrad",
    "Adam",
    "AdamW",
    "CorrectedMomentumSGD",
    "GradientClipping",
    "GradientHardClipping",
    "GradientLARS",
    "GradientNoise",
    "Hook",
    "Lasso",
    "LossScaling",
    "MomentumSGD",
    "NesterovAG",
    "Optimizer",
    "ParameterHook",
    "ParameterRule",
    "RMSprop",
    "RMSpropGraves",
    "UpdateRule",
    "UpdatedVariable",
    "WeightDecay",
    "formula_rule",
    "schedules",
]

Target = Any
"""A Module or link; or Parameters and Modules in a dict by path or in a list."""


def named_parameters_of(target: Target) -> list[tuple[str, Parameter]]:
    """The paths and Parameters that an optimizer is to update; TypeError naming what is none."""
    if isinstance(target, type):
        raise TypeError(
            f"setup() takes an object, not the class {target.__name__}: {target.__name__}(...)"
        )
    if hasattr(target, "named_parameters"):
        pairs = list(target.named_parameters())
    elif hasattr(target, "namedparams"):
        pairs = [(path.removeprefix("/"), parameter) for path, parameter in target.namedparams()]
    elif isinstance(target, Mapping):
        pairs = list(target.items())
    elif isinstance(target, Parameter):
        pairs = [(target.name or "0", target)]
    elif isinstance(target, Iterable):
        pairs = [(str(i), parameter) for i, parameter in enumerate(target)]
    else:
        raise TypeError(f"setup() takes a Module or Parameters, not {type(target).__name__}")
    found: list[tuple[str, Parameter]] = []
    for path, part in pairs:
        if isinstance(part, Parameter):
            found.append((path, part))
        elif hasattr(part, "named_parameters") and not isinstance(part, type):
            found += [(f"{path}/{inner}", p) for inner, p in part.named_parameters()]
        else:
            raise TypeError(
                f"'{path}' should be a Parameter or a Module, it is {type(part).__name__}"
            )
    return found


def _warn_of_variables(target: Target) -> None:
    """Variables that look as if they were to be trained."""
    for path, module in target.named_modules() if hasattr(target, "named_modules") else ():
        for name, value in vars(module).items():
            if type(value) is Variable and value.requires_grad and value.creator is None:
                place = f"{path}/{name}" if path else name
                warnings.warn(
                    f"{type(target).__name__}: {place} is a Variable, which is neither trained nor "
                    f"saved: self.{name} = ct.Parameter(array), or "
                    "ct.Variable(array, requires_grad=False) for a constant",
                    stacklevel=3,
                )


def _setup(self: Any, target: Target) -> Any:
    """Begins anew with the parameters of a Module, or of Parameters and Modules in a dict by path
    or in a list; hooks are removed. They may have no shape yet. ValueError where there are none; a
    warning for a Variable in a Module. Returns the optimizer.
    """
    pairs = named_parameters_of(target)
    _warn_of_variables(target)
    self._setup(pairs)
    vars(self).update(_hooks={}, _own={}, _targets=[_kept(target, pairs)], _given=dict(pairs))
    return self


def _kept(target: Target, pairs: list[tuple[str, Parameter]]) -> Target:
    """What `target` is: an iterator has ended by now."""
    return dict(pairs) if isinstance(target, Iterator) else target


def _add_params(self: Any, target: Target) -> Any:
    """Further parameters, after setup(); nothing else begins anew. Returns the optimizer."""
    pairs = named_parameters_of(target)
    self._add_params(pairs)
    vars(self)["_targets"].append(_kept(target, pairs))
    vars(self)["_given"].update(pairs)
    return self


def _named_parameters(self: Any) -> list[tuple[str, Any]]:
    """The paths and Parameters that it updates, [("l1/W", Parameter), ...]. In a hook, a parameter
    that is updated in float32 is represented by its copy."""
    given = vars(self).get("_given", {})
    return [(path, given[path] if master is None else master) for path, master in self._paths()]


def _update(self: Any, lossfun: Any = None, *args: Any, **kwargs: Any) -> None:
    """One step.

    update(): with the present gradients. update(lossfun, *args): calls it, clears the gradients,
    runs backward from its value, and does the step. update(grads) with a dict by path, as
    catena.value_and_grad() gives it for a Module: with these gradients.
    """
    if lossfun is None:
        self._update()
    elif isinstance(lossfun, Mapping):
        _set_gradients(self, lossfun)
        self._update()
    else:
        self._update_with(lossfun, *args, **kwargs)


def _set_gradients(self: Any, grads: Mapping[str, Any]) -> None:
    parameters = dict(self.named_parameters())
    unknown = [path for path in grads if path not in parameters]
    if unknown:
        raise ValueError(f"update(grads): there is no parameter {', '.join(map(str, unknown))}")
    for path, parameter in parameters.items():
        grad = grads.get(path)
        if isinstance(grad, Variable):
            parameter.grad_var = grad.detach()
        else:
            parameter.grad = grad


def _state_dict(self: Any) -> dict[str, NDArray[Any] | None]:
    """Step count, epoch and moments by key: "t", "epoch", "l1/W/m"."""
    state: dict[str, NDArray[Any] | None] = self._state()
    return state


def _load_state_dict(self: Any, values: Mapping[str, Any], strict: bool = True) -> None:
    """Goes on where an optimizer of the same rule and parameters was; FileError names the key that
    is missing or does not fit, and then nothing has changed.
    """
    self._load_state(dict(values), strict)


def _has_numbers_only(self: Any) -> bool:
    """Whether its class is one of Catena's or of formula_rule(), to which users add nothing."""
    return type(self).__module__.startswith("catena.") or hasattr(type(self), "_has_numbers_only")


def _is_attribute(self: Any, name: str) -> bool:
    return name.startswith("_") or name in vars(self) or hasattr(type(self), name)


def _set_attribute(self: Any, name: str, value: Any) -> None:
    """A misspelled number would change nothing: AttributeError that lists the existing ones."""
    if _has_numbers_only(self) and not _is_attribute(self, name):
        numbers = ", ".join(self.hyperparameters)
        raise AttributeError(f"{type(self).__name__} has no number '{name}'; it has: {numbers}")
    object.__setattr__(self, name, value)


def _representation(self: Any) -> str:
    numbers = ", ".join(f"{name}={value:g}" for name, value in self.hyperparameters.items())
    return f"{type(self).__name__}({numbers})"


def _target(self: Any) -> Any:
    """What setup() was given."""
    targets = vars(self).get("_targets")
    return targets[0] if targets else None


def _signature(parameters: Mapping[str, Any]) -> inspect.Signature:
    """Numbers by position or name, flags by name."""
    made = []
    for name, default in parameters.items():
        by_name = isinstance(default, bool)
        kind = (
            inspect.Parameter.KEYWORD_ONLY if by_name else inspect.Parameter.POSITIONAL_OR_KEYWORD
        )
        annotation = "bool" if by_name else "float"
        made.append(inspect.Parameter(name, kind, default=default, annotation=annotation))
    return inspect.Signature(made)


if not TYPE_CHECKING:  # They are to find names that are not there.

    def __getattr__(name: str) -> object:
        raise _hints.missing(__name__, name, _hints.OPTIM)


def _attach() -> None:
    """Gives the bound class what is written in Python."""
    methods = {
        "setup": _setup,
        "add_params": _add_params,
        "named_parameters": _named_parameters,
        "update": _update,
        "state_dict": _state_dict,
        "load_state_dict": _load_state_dict,
        "target": property(_target),
        "__setattr__": _set_attribute,
        "__repr__": _representation,
    }
    for name, method in methods.items():
        setattr(Optimizer, name, method)
    for kind in vars(_bound).values():
        if hasattr(kind, "_parameters"):
            kind.__signature__ = _signature(kind._parameters)
    _hints.attach(Optimizer, _hints.OPTIMIZER)
    _hooks.attach(Optimizer, _bound.ParameterRule)
    _optimizer_copies.attach(Optimizer, _bound.Hook)


_attach()
