"""Copies and pickles of optimizers and hooks.

An optimizer is copied with the parameters that it updates: copy or pickle it together with its
model, `copy.deepcopy((model, optimizer))`, and the copy updates the copied model.
"""

from __future__ import annotations

import functools
from typing import Any

from catena._own_rules import FormulaOptimizer, UpdateRule

#: What a copy is told again, by the name of the method.
_REPEATED = ("use_fp32_update", "use_cleargrads", "loss_scaling")
#: Of an optimizer's attributes those that are kept otherwise.
_OWN_ATTRIBUTES = ("_hooks", "_own", "_targets", "_given", "_flags", "_told")


def _content(self: Any) -> dict[str, Any]:
    attributes = vars(self)
    content: dict[str, Any] = {
        "numbers": self.hyperparameters,
        "flags": attributes.get("_flags", {}),
        "told": attributes.get("_told", {}),
        "loss_scale": self.loss_scale,
        "use_auto_new_epoch": self.use_auto_new_epoch,
        "attributes": {n: v for n, v in attributes.items() if n not in _OWN_ATTRIBUTES},
    }
    if "_targets" in attributes:
        content["targets"] = attributes["_targets"]
        content["hooks"] = dict(attributes["_hooks"])
        content["own"] = {
            rule.path: {**attributes["_own"].get(rule.path, {}), "numbers": rule.own_numbers}
            for rule in self.update_rules()
        }
        content["state"] = self.state_dict()
    return content


def _empty(kind: Any) -> Any:
    return kind.__new__(kind)


def _reduce(self: Any) -> tuple[Any, ...]:
    if "_communicator" in vars(self):
        raise TypeError(
            f"{type(self).__name__}: an optimizer of create_multi_node_optimizer() belongs to the "
            "ranks of its communicator; copy or save its state_dict()"
        )
    return _empty, (type(self),), _content(self)


def _begin(self: Any, content: dict[str, Any]) -> None:
    if isinstance(self, (FormulaOptimizer, UpdateRule)):
        self._begin(content["numbers"])
        return
    base: Any = next(kind for kind in type(self).__mro__ if "_parameters" in vars(kind))
    base.__init__(self, **content["numbers"], **content["flags"])


def _set_content(self: Any, content: dict[str, Any]) -> None:
    _begin(self, content)
    vars(self).update(content["attributes"])
    targets = content.get("targets", [])
    for i, target in enumerate(targets):
        if i:
            self.add_params(target)
        else:
            self.setup(target)
    for name, (given, by_name) in content["told"].items():
        getattr(self, name)(*given, **by_name)
    if content["loss_scale"] != 1.0:
        self.loss_scale = content["loss_scale"]
    self.use_auto_new_epoch = content["use_auto_new_epoch"]
    if targets:
        _set_up_parts(self, content)


def _set_up_parts(self: Any, content: dict[str, Any]) -> None:
    for name, (hook, timing) in content["hooks"].items():
        self.add_hook(hook, name, timing)
    for rule in self.update_rules():
        own = content["own"][rule.path]
        if "rule" in own:
            rule.use(own["rule"])
        if "use_fp32" in own:
            rule.use_fp32_update(own["use_fp32"])
        for name, value in own["numbers"].items():
            rule[name] = value
        for name, (hook, timing) in own.get("hooks", {}).items():
            rule.add_hook(hook, name, timing)
    self.load_state_dict(content["state"])


def _reduce_hook(self: Any) -> tuple[Any, ...]:
    numbers = [n for n, member in vars(type(self)).items() if isinstance(member, property)]
    return type(self), tuple(getattr(self, name) for name in numbers)


def _remembered(bound: Any) -> Any:
    """The method, whose arguments a copy is told again."""

    @functools.wraps(bound)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        result = bound(self, *args, **kwargs)
        vars(self).setdefault("_told", {})[bound.__name__] = (args, kwargs)
        return result

    return method


def attach(optimizer: Any, hook: Any) -> None:
    """Gives the classes their methods."""
    optimizer.__reduce__ = _reduce
    optimizer.__setstate__ = _set_content
    for name in _REPEATED:
        setattr(optimizer, name, _remembered(getattr(optimizer, name)))
    hook.__reduce__ = _reduce_hook
