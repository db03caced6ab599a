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
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from catena._catena import Parameter, Variable, optim as _bound
from catena._catena.optim import *  # noqa: F403
from catena._catena.optim import Hook, Optimizer
from numpy.typing import NDArray

Target = Any
"""A Module or link; a dict of Parameters by path; or a list of them."""


def named_parameters_of(target: Target) -> list[tuple[str, Parameter]]:
    """The paths and Parameters that an optimizer is to update; TypeError naming what is none."""
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
    for path, parameter in pairs:
        if not isinstance(parameter, Parameter):
            raise TypeError(f"'{path}' should be a Parameter, it is {type(parameter).__name__}")
    return pairs


def _setup(self: Any, target: Target) -> Any:
    """Begins anew with the parameters of a Module, of a dict by path, or of a list; hooks are
    removed. They may have no shape yet. ValueError where there are none. Returns the optimizer.
    """
    pairs = named_parameters_of(target)
    self._setup(pairs)
    vars(self)["_hooks"] = {}
    vars(self)["_target"] = target
    return self


def _add_params(self: Any, target: Target) -> Any:
    """Further parameters, after setup(); nothing else begins anew. Returns the optimizer."""
    self._add_params(named_parameters_of(target))
    return self


def _add_hook(
    self: Any, hook: Any, name: str | None = None, timing: Literal["pre", "post"] = "pre"
) -> Any:
    """Calls a hook of this module, or a function `hook(optimizer)`, at every update: before it
    ("pre") or after it ("post"). ValueError where the name is taken. Returns the optimizer.
    """
    if timing not in ("pre", "post"):
        raise ValueError(f"timing should be 'pre' or 'post', not {timing!r}")
    if not isinstance(hook, Hook):
        if not callable(hook):
            raise TypeError(f"a hook is a function of the optimizer, not {type(hook).__name__}")
        name = name or getattr(hook, "__name__", type(hook).__name__)
    self._add_hook(hook, name or "", timing == "post")
    return self


def _remove_hook(self: Any, name: str) -> None:
    """ValueError where no hook has the name."""
    self._remove_hook(name)
    vars(self)["_hooks"].pop(name, None)


_bound_update = Optimizer.update


def _update(self: Any, lossfun: Any = None, *args: Any, **kwargs: Any) -> None:
    """One step.

    update(): with the present gradients. update(lossfun, *args): calls it, clears the gradients,
    runs backward from its value, and does the step. update(grads) with a dict by path, as
    catena.value_and_grad() gives it for a Module: with these gradients.
    """
    if isinstance(lossfun, Mapping):
        _set_gradients(self, lossfun)
        lossfun = None
    _bound_update(self, lossfun, *args, **kwargs)


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


def _is_attribute(self: Any, name: str) -> bool:
    return name.startswith("_") or name in vars(self) or hasattr(type(self), name)


def _set_attribute(self: Any, name: str, value: Any) -> None:
    """A misspelled number would change nothing: AttributeError that lists the existing ones."""
    if type(self).__module__.startswith("catena.") and not _is_attribute(self, name):
        numbers = ", ".join(self.hyperparameters)
        raise AttributeError(f"{type(self).__name__} has no number '{name}'; it has: {numbers}")
    object.__setattr__(self, name, value)


def _representation(self: Any) -> str:
    numbers = ", ".join(f"{name}={value:g}" for name, value in self.hyperparameters.items())
    return f"{type(self).__name__}({numbers})"


def _target(self: Any) -> Any:
    """What setup() was given."""
    return vars(self).get("_target")


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


def _attach() -> None:
    """Gives the bound class what is written in Python."""
    methods = {
        "setup": _setup,
        "add_params": _add_params,
        "add_hook": _add_hook,
        "remove_hook": _remove_hook,
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


_attach()
