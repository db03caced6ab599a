"""Optimizers, rules and hooks that change while they are used, plainly and in static regions."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, ClassVar

import catena as ct
import numpy as np
import pytest
from catena import optim
from eager_and_compiled import compare, things_of, values
from test_region_programs import batches, network, plain_step, weights

Lion = optim.formula_rule(
    "LionOfRegions",
    lambda p, g, m, *, lr=0.01, beta1=0.9, beta2=0.99: (
        p - lr * ct.sign(beta1 * m + (1 - beta1) * g),
        beta2 * m + (1 - beta2) * g,
    ),
)


class Plain(optim.UpdateRule):
    """What the others change."""

    def __init__(self, lr: float = 0.1) -> None:
        super().__init__(lr=lr)

    def update_core(self, parameter: Any) -> None:
        parameter.assign(parameter - self.lr * parameter.grad_var)


def trained(
    region: Any, log: Any, optimizer: Any, before: Callable[[int, Any, Any], None] | None = None
) -> None:
    """Twelve steps, before each of which before(i, model, optimizer) is called."""
    model = network()
    optimizer.setup(model)
    step = plain_step(region, model, optimizer)
    for i, (x, t) in enumerate(batches(6, 3)):
        if before:
            before(i, model, optimizer)
        log(step(x, t).item(), optimizer.t)
    log(weights(model), list(optimizer.state_dict().items()))


def thing_with_states_of_all_shapes(region: Any, log: Any) -> None:
    class Rule(Plain):
        states: ClassVar = {"count": 0.0, "slow": 0.0}

        def init_state(self, parameter: Any) -> dict[str, Any]:
            return {"count": np.zeros((), np.float32), "slow": parameter}

        def update_core(self, parameter: Any) -> None:
            count, slow = self.state["count"], self.state["slow"]
            count.assign(count + 1)
            slow.assign(0.9 * slow + 0.1 * parameter)
            rate = self.lr / ct.sqrt(ct.cast(self.t_var, "float32")) / count
            parameter.assign(parameter - rate * parameter.grad_var)

    def before(i: int, model: Any, optimizer: Any) -> None:
        if i == 4:
            optimizer.update_rule(model[0].W)["lr"] = 0.5

    trained(region, log, Rule(), before)


def thing_whose_rule_has_a_state_of_python(region: Any, log: Any) -> None:
    class Rule(Plain):
        calls = 0

        def update_core(self, parameter: Any) -> None:
            self.calls += 1
            rate = self.lr if self.calls % 2 else self.lr * 0.5
            parameter.assign(parameter - rate * parameter.grad_var)

    rule = Rule()
    trained(region, log, rule)
    log(rule.calls)


def thing_whose_rule_changes_its_number(region: Any, log: Any) -> None:
    class Rule(Plain):
        def update_core(self, parameter: Any) -> None:
            super().update_core(parameter)
            self.lr *= 0.9

    rule = Rule()
    trained(region, log, rule)
    log(rule.lr)


def thing_whose_rule_depends_on_values(region: Any, log: Any) -> None:
    class Rule(Plain):
        def update_core(self, parameter: Any) -> None:
            if float(ct.sum(parameter.grad_var**2)) > 0.05:
                super().update_core(parameter)

    trained(region, log, Rule())


def thing_whose_rule_fails_midway(region: Any, log: Any) -> None:
    class Rule(Plain):
        fails = False

        def update_core(self, parameter: Any) -> None:
            if self.fails and parameter.ndim == 1:
                raise RuntimeError("no")
            super().update_core(parameter)

    model, rule = network(), Rule()
    rule.setup(model)
    step = plain_step(region, model, rule)
    for i, (x, t) in enumerate(batches(6, 2)):
        rule.fails = i in (2, 5)
        try:
            log(step(x, t).item())
        except RuntimeError as error:
            log(str(error))
        log(rule.t, weights(model))


def thing_whose_rules_change_midway(region: Any, log: Any) -> None:
    def before(i: int, model: Any, optimizer: Any) -> None:
        if i == 3:
            optimizer.update_rule(model[0].W).use(Lion())
        if i == 6:
            optimizer.update_rule(model[0].W).follow_optimizer()
        if i == 8:
            optimizer.update_rule(model[2].W).use(Lion(0.05))
        if i == 10:
            optimizer.update_rule(model[2].b).use(Plain(0.5))

    trained(region, log, optim.SGD(0.1), before)


def thing_whose_hook_changes_the_hooks(region: Any, log: Any) -> None:
    def first(optimizer: Any) -> None:
        optimizer.remove_hook("first")
        optimizer.add_hook(optim.WeightDecay(0.1))

    def before(i: int, model: Any, optimizer: Any) -> None:
        if i == 2:
            optimizer.add_hook(first)
        log(list(optimizer.hooks))

    trained(region, log, optim.SGD(0.1), before)


def thing_that_looks_ahead(region: Any, log: Any) -> None:
    model = network()
    optimizer = optim.MomentumSGD(0.1).setup(model)
    slow = [p.array.copy() for p in model.parameters()]
    count = 0

    def look(optimizer: Any) -> None:
        nonlocal count
        count += 1
        if count % 3 == 0:
            for kept, p in zip(slow, model.parameters(), strict=True):
                kept += 0.5 * (p.array - kept)
                p.array[...] = kept

    optimizer.add_hook(look, timing="post")
    step = plain_step(region, model, optimizer)
    for x, t in batches(6, 3):
        log(step(x, t).item())
    log(weights(model), slow)


def thing_that_looks_for_flat_minima(region: Any, log: Any) -> None:
    """Sharpness-aware minimization: the gradient at weights that are moved and put back."""
    model = network()
    optimizer = optim.SGD(0.1).setup(model)

    @region
    def step(x: Any, t: Any) -> Any:
        loss = ct.softmax_cross_entropy(model(x), t)
        model.cleargrads()
        loss.backward()
        parameters = list(model.parameters())
        norm = ct.sqrt(sum(ct.sum(p.grad_var**2) for p in parameters))
        kept = [p.detach() for p in parameters]
        for p in parameters:
            p.assign(p + 0.05 * p.grad_var / norm)
        moved = ct.softmax_cross_entropy(model(x), t)
        model.cleargrads()
        moved.backward()
        for p, before in zip(parameters, kept, strict=True):
            p.assign(before)
        optimizer.update()
        return loss, moved

    for x, t in batches(6, 2):
        log([loss.item() for loss in step(x, t)])
    log(weights(model))


def thing_that_counts_otherwise(region: Any, log: Any) -> None:
    model = network()
    optimizer = optim.Adam(0.05).setup(model)

    @region
    def step(x: Any, t: Any, again: bool) -> Any:
        if again:
            optimizer.setup(model)
        loss = ct.softmax_cross_entropy(model(x), t)
        model.cleargrads()
        loss.backward()
        before = optimizer.t
        optimizer.update()
        optimizer.new_epoch()
        if optimizer.t == 4:
            optimizer.t = 1
        return loss, before, optimizer.t, optimizer.epoch

    for i, (x, t) in enumerate(batches(6, 3)):
        loss, *counts = step(x, t, i == 7)
        log(loss.item(), counts)
    log(weights(model))


def thing_that_gets_parameters_midway(region: Any, log: Any) -> None:
    model, scale = network(), ct.Parameter(np.ones(3, np.float32), name="scale")
    optimizer = optim.Adam(0.05).setup({**dict(model.named_parameters())})

    @region
    def step(x: Any, t: Any) -> Any:
        loss = ct.softmax_cross_entropy(model(x) * scale, t)
        model.cleargrads()
        scale.cleargrad()
        loss.backward()
        optimizer.update()
        return loss

    for i, (x, t) in enumerate(batches(6, 2)):
        if i == 4:
            optimizer.add_params({"scale": scale})
        log(step(x, t).item(), scale.array.copy())
    log(weights(model))


def thing_with_gradients_from_numpy(region: Any, log: Any) -> None:
    p = ct.Parameter(values(3))
    optimizer = optim.Adam(0.1).setup([p])

    @region
    def step(g: Any) -> Any:
        p.grad = g
        optimizer.update()
        p.grad[...] = 0
        return p.grad_var * 1

    for i in range(4):
        log(step(values(3, seed=i)).array, p.array.copy())


def thing_that_trains_in_threads(region: Any, log: Any) -> None:
    class Rule(Plain):
        states: ClassVar = {"m": 0.0}

        def update_core(self, parameter: Any) -> None:
            m = self.state["m"]
            m.assign(0.5 * m + parameter.grad_var)
            parameter.assign(parameter - self.lr * m)

    models = []
    for seed in range(3):
        np.random.seed(seed)
        models.append(network())
    rules = [Rule().setup(model) for model in models]
    steps = [plain_step(region, m, rule) for m, rule in zip(models, rules, strict=True)]
    losses: list[Any] = [None] * 3

    def work(i: int) -> None:
        losses[i] = [steps[i](x, t).item() for x, t in batches(6, 2)]

    threads = [threading.Thread(target=work, args=(i,)) for i in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    log(losses, weights(*models))


@pytest.mark.parametrize("thing", things_of(globals()))
def test_compiled_rules_do_what_plain_ones_do(thing: Any) -> None:
    compare(thing)
