"""Hooks of optimizers and of single parameters, and what a single parameter has of its own.

An optimizer's attributes `_hooks` and `_own` hold them, where Python's collector finds them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from catena._catena.optim import Hook, Optimizer, ParameterHook, ParameterRule

Timing = Literal["pre", "post"]


def _checked_hook(hook: Any, name: str | None, timing: Timing | None) -> tuple[str, Timing]:
    """Its name and timing, where they are not given."""
    if not isinstance(hook, Hook) and not callable(hook):
        raise TypeError(
            f"a hook is one of catena.optim or a function of the optimizer, not "
            f"{type(hook).__name__}"
        )
    if isinstance(hook, type):
        raise TypeError(f"a hook is an object: {hook.__name__}(...), not the class")
    own_name = getattr(hook, "name", None) or getattr(hook, "__name__", type(hook).__name__)
    asked: Any = timing or getattr(hook, "timing", "pre")
    if asked not in ("pre", "post"):
        raise ValueError(f"timing should be 'pre' or 'post', not {asked!r}")
    return name or str(own_name), asked


def add_hook(self: Any, hook: Any, name: str | None = None, timing: Timing | None = None) -> Any:
    """Calls a hook of this module, or a function `hook(optimizer)`, at every update: before it
    ("pre") or after it ("post"; by default what the hook's attribute `timing` says, else "pre").
    One whose attribute `call_for_each_param` is true is called as `hook(rule, parameter)` for every
    parameter of the update. ValueError where the name is taken. Returns the optimizer.
    """
    name, timing = _checked_hook(hook, name, timing)
    self._add_hook(hook, name, timing == "post")
    vars(self).setdefault("_hooks", {})[name] = (hook, timing)
    return self


def remove_hook(self: Any, name: str) -> None:
    """ValueError where no hook has the name."""
    self._remove_hook(name)
    vars(self)["_hooks"].pop(name, None)


def hooks(self: Any) -> dict[str, Any]:
    """The hooks by name, in the order in which they are called."""
    return {name: hook for name, (hook, _) in vars(self).get("_hooks", {}).items()}


def call_hook(self: Any, name: str) -> None:
    """What the C++ side calls."""
    hook = vars(self)["_hooks"][name][0]
    if not getattr(hook, "call_for_each_param", False):
        hook(self)
        return
    for _, parameter in self.named_parameters():
        rule = self.update_rule(parameter)
        if rule.enabled and parameter.grad_var is not None:
            hook(rule, parameter)


def call_parameter_hook(self: Any, path: str, name: str, parameter: Any) -> None:
    """What the C++ side calls; while it runs, a float32 copy may stand for the parameter."""
    rule = self.update_rule(parameter)
    vars(self)["_own"][path]["hooks"][name][0](rule, own_parameter(self, path, parameter))


def own_parameter(optimizer: Any, path: str, variable: Any) -> Any:
    """The Parameter that setup() was given, or the float32 copy that stands for it."""
    masters = dict(optimizer._paths())
    return vars(optimizer)["_given"].get(path, variable) if masters[path] is None else variable


def own_of(rule: Any) -> dict[str, Any]:
    """What its optimizer keeps of a parameter."""
    own = vars(rule.optimizer).setdefault("_own", {})
    found: dict[str, Any] = own.setdefault(rule.path, {"hooks": {}})
    return found


def _add_parameter_hook(
    self: Any, hook: Any, name: str | None = None, timing: Timing | None = None
) -> Any:
    """A hook for this parameter alone, after the optimizer's of the same timing: one that changes
    each gradient by itself, or a function `hook(rule, parameter)`, which may change
    `parameter.grad`. ValueError where the name is taken. Returns the rule.
    """
    name, timing = _checked_hook(hook, name, timing)
    if isinstance(hook, Hook) and not isinstance(hook, ParameterHook):
        raise TypeError(
            f"{type(hook).__name__} looks at all gradients together: it is a hook of the "
            "optimizer, not of a parameter"
        )
    self._add_hook(hook, name, timing == "post")
    own_of(self)["hooks"][name] = (hook, timing)
    return self


def _remove_parameter_hook(self: Any, name: str) -> None:
    """ValueError where the parameter has no hook of the name."""
    self._remove_hook(name)
    own_of(self)["hooks"].pop(name, None)


def _parameter_hooks(self: Any) -> dict[str, Any]:
    """The hooks of this parameter by name."""
    return {name: hook for name, (hook, _) in own_of(self)["hooks"].items()}


def _use(self: Any, optimizer: Optimizer) -> Any:
    """The parameter is updated by the rule and the numbers of another optimizer, which needs no
    setup() and may be given to several parameters; its states begin anew. Returns the rule."""
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"use() takes an optimizer, not {type(optimizer).__name__}")
    self._use(optimizer)
    own_of(self)["rule"] = optimizer
    return self


def _follow_optimizer(self: Any) -> None:
    """It has no numbers and no rule of its own any more."""
    self._follow_optimizer()
    own_of(self).pop("rule", None)


def _use_fp32_update(self: Any, use: bool = True) -> None:
    """For this parameter alone what Optimizer.use_fp32_update() does for all."""
    self._use_fp32_update(use)
    own_of(self)["use_fp32"] = use


def _rule_text(self: Any) -> str:
    rule = own_of(self).get("rule", self.optimizer)
    numbers = rule.hyperparameters | self.own_numbers
    listed = ", ".join(f"{name}={value:g}" for name, value in numbers.items())
    return f"<ParameterRule {self.path}: {type(rule).__name__}({listed})>"


def update_rules(self: Any, where: Callable[[str, Any], bool] | None = None) -> list[ParameterRule]:
    """How each parameter is updated, of those for which `where(path, parameter)` is true:

    for rule in optimizer.update_rules(lambda path, p: path.endswith("/b")):
        rule["weight_decay_rate"] = 0.0
    """
    return [
        self.update_rule(parameter)
        for path, parameter in self.named_parameters()
        if where is None or where(path, parameter)
    ]


def attach(optimizer: Any, rule: Any) -> None:
    """Gives the classes their methods."""
    optimizer.add_hook = add_hook
    optimizer.remove_hook = remove_hook
    optimizer.hooks = property(hooks)
    optimizer.update_rules = update_rules
    optimizer._call_hook = call_hook
    optimizer._call_parameter_hook = call_parameter_hook
    rule.add_hook = _add_parameter_hook
    rule.remove_hook = _remove_parameter_hook
    rule.hooks = property(_parameter_hooks)
    rule.use = _use
    rule.follow_optimizer = _follow_optimizer
    rule.use_fp32_update = _use_fp32_update
    rule.__repr__ = _rule_text
