"""Hooks of optimizers and of single parameters, eagerly and in static regions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import catena as ct
import numpy as np
import pytest
from catena import nn, optim
from eager_and_compiled import compare, things_of, values


def model_with(value: float = 1.0) -> nn.Linear:
    return nn.Linear(2, 2, initial_W=value, initial_bias=value)


def set_grads(model: nn.Module, value: float) -> None:
    for parameter in model.parameters():
        parameter.grad = np.full(parameter.shape, value, np.float32)


def test_a_hook_of_catena_is_called_at_the_time_that_is_asked_for() -> None:
    model = model_with()
    optimizer = optim.SGD(1.0).setup(model)
    optimizer.add_hook(optim.WeightDecay(1.0), timing="post")
    set_grads(model, 1.0)
    optimizer.update()
    np.testing.assert_array_equal(model.b.array, [0, 0])  # Not decayed: that comes afterwards.
    optimizer.update_rule(model.b).add_hook(optim.Lasso(4.0), timing="post")
    optimizer.update()
    np.testing.assert_array_equal(model.b.array, [-1, -1])
    np.testing.assert_array_equal(model.b.grad, [-4, -4])
    assert optim.WeightDecay(1.0).timing == "pre"


def test_a_parameter_has_functions_as_hooks() -> None:
    model = model_with()
    optimizer = optim.SGD(1.0).setup(model)
    rule = optimizer.update_rule(model.b)
    seen: list[Any] = []

    def halve(rule: Any, parameter: Any) -> None:
        assert parameter is model.b
        assert (rule.path, rule["lr"], rule.optimizer) == ("b", 1.0, optimizer)
        parameter.grad = parameter.grad / 2

    assert rule.add_hook(halve) is rule
    rule.add_hook(lambda rule, p: seen.append(p.array.copy()), name="after", timing="post")
    set_grads(model, 1.0)
    optimizer.update()
    np.testing.assert_array_equal(model.b.array, [0.5, 0.5])
    np.testing.assert_array_equal(model.W.array, np.zeros((2, 2)))
    np.testing.assert_array_equal(seen, [[0.5, 0.5]])
    assert list(rule.hooks) == ["halve", "after"]
    rule.remove_hook("halve")
    set_grads(model, 1.0)
    optimizer.update()
    np.testing.assert_array_equal(model.b.array, [-0.5, -0.5])
    with pytest.raises(ValueError, match="no hook of /b is named 'halve'; it has "):
        rule.remove_hook("halve")
    with pytest.raises(
        ValueError, match="a hook of /b is named 'after' already; give another name"
    ):
        rule.add_hook(halve, name="after")


def test_hooks_of_a_parameter_come_after_those_of_the_optimizer() -> None:
    model = model_with()
    optimizer = optim.SGD(1.0).setup(model)
    order: list[str] = []
    optimizer.update_rule(model.b).add_hook(lambda r, p: order.append("parameter"), "mine")
    optimizer.add_hook(lambda o: order.append("optimizer"), "all")
    set_grads(model, 1.0)
    optimizer.update()
    assert order == ["optimizer", "parameter"]


def test_gradients_may_be_changed_in_place() -> None:
    model = model_with()
    optimizer = optim.SGD(1.0).setup(model)

    def zero_first_row(optimizer: Any) -> None:
        for _, parameter in optimizer.named_parameters():
            parameter.grad[:1] = 0

    optimizer.add_hook(zero_first_row)
    set_grads(model, 1.0)
    optimizer.update()
    np.testing.assert_array_equal(model.W.array, [[1, 1], [0, 0]])


def test_a_hook_may_be_called_for_each_parameter_with_a_gradient() -> None:
    class Scale:
        name = "Scale"
        call_for_each_param = True
        timing = "pre"

        def __call__(self, rule: Any, parameter: Any) -> None:
            seen.append(rule.path)
            parameter.grad *= 0.5

    seen: list[str] = []
    model = model_with()
    optimizer = optim.SGD(1.0).setup(model).add_hook(Scale())
    assert list(optimizer.hooks) == ["Scale"]
    set_grads(model, 1.0)
    model.W.cleargrad()
    optimizer.update()
    assert seen == ["b"]
    np.testing.assert_array_equal(model.b.array, [0.5, 0.5])


def test_named_parameters_are_the_models_own() -> None:
    model = model_with()
    optimizer = optim.SGD().setup(model)
    assert [p for _, p in optimizer.named_parameters()] == [model.W, model.b]
    assert dict(optimizer.named_parameters())["W"] is model.W


def test_rules_are_found_by_a_condition() -> None:
    model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    optimizer = optim.Adam(weight_decay_rate=0.5).setup(model)
    for rule in optimizer.update_rules(lambda path, parameter: parameter.ndim == 1):
        rule["weight_decay_rate"] = 0.0
    assert [(r.path, r["weight_decay_rate"]) for r in optimizer.update_rules()] == [
        ("0/W", 0.5),
        ("0/b", 0.0),
        ("1/W", 0.5),
        ("1/b", 0.0),
    ]
    assert "weight_decay_rate=0)" in repr(optimizer.update_rule(model[0].b))


def test_a_rule_of_a_parameter_gives_the_numbers_that_it_is_updated_by() -> None:
    model = model_with()
    optimizer = optim.SGD(1.0).setup(model)
    rule = optimizer.update_rule(model.b).use(optim.MomentumSGD(0.5, 0.25))
    assert (rule["lr"], rule["momentum"]) == (0.5, 0.25)
    rule["lr"] = 0.125
    assert (rule["lr"], rule.own_numbers) == (0.125, {"lr": 0.125})
    rule.follow_optimizer()
    assert rule["lr"] == 1.0


@pytest.mark.parametrize("audit", ["always", "sampled", "never"])
@pytest.mark.parametrize("kind", ["bound", "python", "read", "of the parameter", "of a hook"])
def test_a_number_that_code_reads_holds_from_the_next_call_on(audit: str, kind: str) -> None:
    """Also where the region skips its code."""

    class Plain(optim.UpdateRule):
        def update_core(self, parameter: Any) -> None:
            parameter.assign(parameter - self.lr * parameter.grad_var)

    W = ct.Parameter(np.zeros(2, np.float32))
    optimizer = (Plain(lr=1.0) if kind == "python" else optim.SGD(1.0)).setup([W])
    rule = optimizer.update_rule(W)
    hook = optim.WeightDecay(1.0)

    @ct.jit(audit=audit)
    def step(x: Any) -> None:
        W.cleargrad()
        ct.sum(W * x).backward()
        if kind == "read":
            W.assign(W - optimizer.lr * W.grad_var)
        elif kind == "of the parameter":
            W.assign(W - rule["lr"] * W.grad_var)
        elif kind == "of a hook":
            W.assign(W - hook.rate * W.grad_var)
        else:
            optimizer.update()

    seen = []
    for i in range(7):
        if i in (4, 6):
            rate = 10.0 * i
            if kind == "of the parameter":
                rule["lr"] = rate
            elif kind == "of a hook":
                hook.rate = rate
            else:
                optimizer.lr = rate
        step(ct.Variable(np.ones(2, np.float32)))
        seen.append(W.array[0].item())
    assert seen == [-1, -2, -3, -4, -44, -84, -144]


def test_wrong_hooks_say_what_is_right() -> None:
    model = model_with()
    optimizer = optim.SGD().setup(model)
    with pytest.raises(TypeError, match=r"a hook is one of catena.optim or a function"):
        optimizer.add_hook(3)
    with pytest.raises(TypeError, match=r"a hook is an object: WeightDecay\(...\)"):
        optimizer.add_hook(optim.WeightDecay)
    with pytest.raises(ValueError, match="timing should be 'pre' or 'post', not 'after'"):
        optimizer.add_hook(lambda o: None, timing="after")
    with pytest.raises(TypeError, match=r"GradientClipping looks at all gradients together"):
        optimizer.update_rule(model.b).add_hook(optim.GradientClipping(1.0))
    with pytest.raises(ValueError, match=r"'b' is not a parameter of what setup.* given: W, b"):
        optimizer.update_rule(model_with().b)
    with pytest.raises(TypeError, match=r"takes one of the optimizer's Parameters"):
        optimizer.update_rule("W")
    with pytest.raises(TypeError, match=r"use.. takes an optimizer, not float"):
        optimizer.update_rule(model.b).use(0.1)


def test_setup_removes_hooks() -> None:
    model = model_with()
    optimizer = optim.SGD(1.0).setup(model).add_hook(lambda o: None, "one")
    optimizer.update_rule(model.b).add_hook(lambda r, p: None, "two")
    optimizer.setup(model)
    assert not optimizer.hooks
    assert not optimizer.update_rule(model.b).hooks


def test_a_hook_of_half_precision_sees_float32() -> None:
    W = ct.Parameter(np.ones(2, np.float16))
    optimizer = optim.SGD(1.0).setup([W])
    optimizer.use_fp32_update()
    dtypes: list[Any] = []
    optimizer.add_hook(lambda o: dtypes.extend(p.grad_var.dtype for _, p in o.named_parameters()))
    optimizer.update_rule(W).add_hook(lambda r, p: dtypes.append(p.grad_var.dtype), "own")
    W.grad = np.ones(2, np.float16)
    optimizer.update()
    assert dtypes == [np.float32, np.float32]


# Eagerly and compiled.


def a_step(region: Any, optimizer: Any, model: Any) -> Callable[..., Any]:
    @region
    def step(x: Any) -> Any:
        loss = ct.mean(ct.tanh(model(x)) ** 2)
        model.cleargrads()
        loss.backward()
        optimizer.update()
        return loss

    return step


def thing_that_has_all_kinds_of_hooks(region: Any, log: Any) -> None:
    model = nn.Linear(3, 2, initial_W=0.5)
    optimizer = optim.MomentumSGD(0.1).setup(model)
    calls: list[str] = []

    def clip(optimizer: Any) -> None:
        calls.append("clip")
        for _, p in optimizer.named_parameters():
            p.grad_var = ct.clip(p.grad_var, -0.05, 0.05)

    def noise(optimizer: Any) -> None:
        calls.append("noise")
        for _, p in optimizer.named_parameters():
            p.grad = p.grad + np.float32(0.01)

    def in_place(rule: Any, parameter: Any) -> None:
        calls.append(rule.path)
        parameter.grad[...] *= 2

    step = a_step(region, optimizer, model)
    for i in range(12):
        if i == 2:
            optimizer.add_hook(clip)
        if i == 4:
            optimizer.add_hook(noise)
        if i == 6:
            optimizer.update_rule(model.b).add_hook(in_place)
        if i == 8:
            optimizer.remove_hook("noise")
        if i == 10:
            optimizer.update_rule(model.b).remove_hook("in_place")
        log(step(values(4, 3, seed=i)), model.W.array, model.b.array)
    log(calls)


def thing_whose_hook_changes_parameters_afterwards(region: Any, log: Any) -> None:
    model = nn.Linear(3, 2, initial_W=0.5)
    optimizer = optim.Adam(0.1).setup(model)

    def project(optimizer: Any) -> None:
        norm = ct.sqrt(ct.sum(model.W**2))
        model.W.assign(model.W / ct.maximum(norm, 1.0))

    def clamp(rule: Any, parameter: Any) -> None:
        parameter.array[...] = np.clip(parameter.array, -0.1, 0.1)

    optimizer.add_hook(project, timing="post")
    optimizer.update_rule(model.b).add_hook(clamp, timing="post")
    step = a_step(region, optimizer, model)
    for i in range(6):
        log(step(values(4, 3, seed=i)), model.W.array, model.b.array)


def thing_whose_hook_depends_on_a_value(region: Any, log: Any) -> None:
    model = nn.Linear(3, 2, initial_W=0.5)
    optimizer = optim.SGD(0.5).setup(model)

    def skip_large(optimizer: Any) -> None:
        for _, p in optimizer.named_parameters():
            if float(ct.sum(p.grad_var**2)) > 0.01:
                p.cleargrad()

    optimizer.add_hook(skip_large)
    step = a_step(region, optimizer, model)
    for i in range(8):
        log(step(values(4, 3, seed=i) * (0.2 if i % 2 else 2.0)), model.W.array, model.b.array)


@pytest.mark.parametrize("thing", things_of(globals()))
def test_compiled_hooks_do_what_eager_ones_do(thing: Any) -> None:
    compare(thing)
