"""Ordinary training programs, each plainly and with its steps as static regions.

All losses and the final weights must be the same.
"""

from __future__ import annotations

import copy
import tempfile
import threading
from collections.abc import Callable, Iterator
from typing import Any

import catena as ct
import numpy as np
import pytest
from catena import nn, optim
from eager_and_compiled import compare, things_of, values

X = values(24, 6, seed=10)
T = np.random.default_rng(11).integers(0, 3, 24).astype(np.int32)


def network(units: int = 8, classes: int = 3) -> nn.Sequential:
    return nn.Sequential(nn.Linear(6, units), ct.tanh, nn.Linear(units, classes))


def weights(*modules: nn.Module) -> list[Any]:
    """The elements of all that modules save."""
    return [
        None if state.array is None else state.array.copy()
        for module in modules
        for _, state in module.named_states()
    ]


def batches(size: int = 8, epochs: int = 2) -> Iterator[tuple[Any, Any]]:
    for _ in range(epochs):
        for i in range(0, len(X), size):
            yield X[i : i + size], T[i : i + size]


def plain_step(region: Any, model: Any, optimizer: Any) -> Callable[..., Any]:
    @region
    def step(x: Any, t: Any) -> Any:
        loss = ct.softmax_cross_entropy(model(x), t)
        model.cleargrads()
        loss.backward()
        optimizer.update()
        return loss

    return step


# Gradients


def thing_that_accumulates_gradients(region: Any, log: Any) -> None:
    model = network()
    optimizer = optim.Adam(0.05).setup(model)

    @region
    def add(x: Any, t: Any) -> Any:
        loss = ct.softmax_cross_entropy(model(x), t) / 3
        loss.backward()
        return loss

    @region
    def finish() -> None:
        optimizer.update()
        model.cleargrads()

    model.cleargrads()
    for i, (x, t) in enumerate(batches(4)):
        log(add(x, t).item())
        if i % 3 == 2:
            finish()
    log(weights(model))


def thing_that_accumulates_in_one_region(region: Any, log: Any) -> None:
    model = network()
    optimizer = optim.MomentumSGD(0.1).setup(model)
    count = 0

    @region
    def step(x: Any, t: Any) -> Any:
        nonlocal count
        if count % 4 == 0:
            model.cleargrads()
        loss = ct.softmax_cross_entropy(model(x), t)
        (loss / 4).backward()
        count += 1
        if count % 4 == 0:
            optimizer.update()
        return loss

    for x, t in batches(4, 3):
        log(step(x, t).item())
    log(weights(model))


def thing_that_clips_by_a_norm_of_its_own(region: Any, log: Any) -> None:
    model = network()
    optimizer = optim.SGD(0.5).setup(model)

    @region
    def step(x: Any, t: Any) -> Any:
        loss = ct.softmax_cross_entropy(model(x), t)
        model.cleargrads()
        loss.backward()
        norm = ct.sqrt(sum(ct.sum(p.grad_var**2) for p in model.parameters()))
        rate = ct.minimum(0.1 / (norm + 1e-6), 1.0)
        for p in model.parameters():
            p.grad_var = p.grad_var * rate
        optimizer.update()
        return loss, norm

    for x, t in batches():
        log([y.item() for y in step(x, t)])
    log(weights(model))


def thing_that_skips_bad_steps(region: Any, log: Any) -> None:
    model = network()
    optimizer = optim.Adam(0.05).setup(model)

    @region
    def step(x: Any, t: Any) -> Any:
        loss = ct.softmax_cross_entropy(model(x), t)
        model.cleargrads()
        loss.backward()
        if not np.isfinite(loss.array).all():
            return "skipped"
        optimizer.update()
        return loss.item()

    for i, (x, t) in enumerate(batches()):
        log(step(x * np.float32(np.nan) if i in (2, 3) else x, t))
    log(weights(model), optimizer.t)


def thing_with_a_gradient_penalty(region: Any, log: Any) -> None:
    model = network(classes=1)
    optimizer = optim.Adam(0.02).setup(model)

    @region
    def step(x: Any) -> Any:
        x = ct.Variable(x)
        y = ct.sum(model(x))
        (gx,) = ct.grad([y], [x], enable_double_backprop=True)
        norm = ct.sqrt(ct.sum(gx * gx, axis=1) + 1e-8)
        loss = ct.mean((norm - 1) ** 2) - 0.1 * y
        model.cleargrads()
        loss.backward()
        optimizer.update()
        return loss

    for x, _ in batches():
        log(step(x).item())
    log(weights(model))


def thing_with_adversarial_examples(region: Any, log: Any) -> None:
    model = network()
    optimizer = optim.SGD(0.2).setup(model)

    @region
    def attack(x: Any, t: Any) -> Any:
        x = ct.Variable(x)
        loss = ct.softmax_cross_entropy(model(x), t)
        loss.backward()
        return x.detach() + 0.1 * ct.sign(x.grad_var)

    step = plain_step(region, model, optimizer)
    for x, t in batches():
        log(step(attack(x, t), t).item())
        log(step(attack(x, t).array, t).item())
    log(weights(model))


def thing_that_learns_to_learn(region: Any, log: Any) -> None:
    """The gradient goes through an update of the weights."""
    model = {"W": ct.Parameter(values(3, 6, seed=3)), "b": ct.Parameter(np.zeros(3, np.float32))}
    optimizer = optim.SGD(0.1).setup(model)

    def loss_of(W: Any, b: Any, x: Any, t: Any) -> Any:
        return ct.softmax_cross_entropy(ct.linear(x, W, b), t)

    @region
    def step(x: Any, t: Any) -> Any:
        W, b = model["W"], model["b"]
        inner = loss_of(W, b, x[:4], t[:4])
        gW, gb = ct.grad([inner], [W, b], enable_double_backprop=True)
        outer = loss_of(W - 0.5 * gW, b - 0.5 * gb, x[4:], t[4:])
        for p in model.values():
            p.cleargrad()
        outer.backward()
        optimizer.update()
        return inner, outer

    for x, t in batches():
        log([y.item() for y in step(x, t)])
    log(model["W"].array, model["b"].array)


def thing_with_gradients_as_functions(region: Any, log: Any) -> None:
    model = network()
    optimizer = optim.Adam(0.05).setup(model)
    gradients = ct.value_and_grad(lambda m, x, t: ct.softmax_cross_entropy(m(x), t))

    @region
    def step(x: Any, t: Any) -> Any:
        loss, grads = gradients(model, x, t)
        optimizer.update(grads)
        return loss

    for x, t in batches():
        log(step(x, t).item())
    log(weights(model))


def thing_that_estimates_by_its_own_samples(region: Any, log: Any) -> None:
    """REINFORCE with an environment in NumPy, inside the region."""
    policy = nn.Linear(2, 2)
    optimizer = optim.Adam(0.05).setup(policy)
    rng = np.random.default_rng(5)

    @region
    def episode() -> Any:
        state = np.zeros(2, np.float32)
        terms, reward = [], 0.0
        for _ in range(int(rng.integers(2, 5))):
            log_p = ct.log_softmax(policy(state[None]))
            action = int(rng.random() < np.exp(log_p.array[0, 1]))
            state = state + np.float32([0.1, -0.1] if action else [-0.1, 0.2])
            reward += float(state[0])
            terms.append(log_p[0, action])
        loss = -reward * sum(terms[1:], terms[0])
        policy.cleargrads()
        loss.backward()
        optimizer.update()
        return loss.item(), reward

    for _ in range(8):
        log(episode())
    log(weights(policy))


# Several models


def thing_that_trains_two_against_each_other(region: Any, log: Any) -> None:
    generator, critic = nn.Linear(4, 6), network(classes=1)
    of_generator = optim.Adam(0.02, beta1=0.5).setup(generator)
    of_critic = optim.Adam(0.05, beta1=0.5).setup(critic)

    @region
    def step(real: Any, z: Any) -> Any:
        fake = ct.tanh(generator(z))
        loss = ct.mean(ct.softplus(-critic(real))) + ct.mean(ct.softplus(critic(fake.detach())))
        critic.cleargrads()
        loss.backward()
        of_critic.update()
        loss_of_generator = ct.mean(ct.softplus(-critic(fake)))
        generator.cleargrads()
        loss_of_generator.backward()
        of_generator.update()
        return loss, loss_of_generator

    for i, (x, _) in enumerate(batches()):
        log([y.item() for y in step(x, values(8, 4, seed=i))])
    log(weights(generator, critic))


def thing_with_tied_weights(region: Any, log: Any) -> None:
    encoder = nn.Linear(6, 4)
    decoder = {"b": ct.Parameter(np.zeros(6, np.float32))}
    optimizer = optim.Adam(0.05).setup({"W": encoder.W, "b": encoder.b, "c": decoder["b"]})

    @region
    def step(x: Any) -> Any:
        h = ct.tanh(encoder(x))
        loss = ct.mean((h @ encoder.W + decoder["b"] - x) ** 2)
        encoder.cleargrads()
        decoder["b"].cleargrad()
        loss.backward()
        optimizer.update()
        return loss

    for x, _ in batches():
        log(step(x).item())
    log(weights(encoder), decoder["b"].array)


def thing_with_one_module_at_two_places(region: Any, log: Any) -> None:
    shared = nn.Linear(6, 6)
    model = nn.Sequential(shared, ct.relu, shared, nn.Linear(6, 3))
    optimizer = optim.MomentumSGD(0.1).setup(model)
    step = plain_step(region, model, optimizer)
    for x, t in batches():
        log(step(x, t).item())
    log(weights(model), len(list(model.parameters())))


def thing_that_averages_weights(region: Any, log: Any) -> None:
    model = network()
    average = model.copy()
    optimizer = optim.SGD(0.3).setup(model)

    @region
    def step(x: Any, t: Any) -> Any:
        loss = ct.softmax_cross_entropy(model(x), t)
        model.cleargrads()
        loss.backward()
        optimizer.update()
        for old, new in zip(average.parameters(), model.parameters(), strict=True):
            old.assign(0.9 * old + 0.1 * new)
        return loss

    @region
    def validate() -> Any:
        with ct.no_backprop_mode():
            return ct.softmax_cross_entropy(average(X), T)

    for x, t in batches():
        log(step(x, t).item(), validate().item())
    log(weights(model, average))


def thing_that_averages_outside_with_numpy(region: Any, log: Any) -> None:
    model = network()
    average = [p.array.copy() for p in model.parameters()]
    optimizer = optim.SGD(0.3).setup(model)
    step = plain_step(region, model, optimizer)
    for x, t in batches():
        log(step(x, t).item())
        for kept, p in zip(average, model.parameters(), strict=True):
            kept *= 0.9
            kept += 0.1 * p.array
    log(average)


def thing_that_distils(region: Any, log: Any) -> None:
    teacher, student = network(16), network(4)
    optimizer = optim.Adam(0.05).setup(student)

    @region
    def step(x: Any) -> Any:
        with ct.no_backprop_mode():
            target = ct.softmax(teacher(x) / 2)
        loss = -ct.mean(ct.sum(target * ct.log_softmax(student(x) / 2), axis=1))
        student.cleargrads()
        loss.backward()
        optimizer.update()
        return loss

    for x, _ in batches():
        log(step(x).item())
    log(weights(teacher, student))


def thing_with_an_ensemble(region: Any, log: Any) -> None:
    models = [network(4 + i) for i in range(3)]
    optimizers = [optim.SGD(0.2).setup(m) for m in models]
    steps = [plain_step(region, m, o) for m, o in zip(models, optimizers, strict=True)]

    @region
    def predict(x: Any) -> Any:
        with ct.no_backprop_mode():
            return sum(ct.softmax(m(x)) for m in models) / len(models)

    for x, t in batches():
        for step in steps:
            log(step(x, t).item())
        log(predict(x).array)
    log(weights(*models))


# What changes while it is trained


def thing_that_stops_early_and_restores(region: Any, log: Any) -> None:
    model = network()
    optimizer = optim.SGD(2.0).setup(model)
    step = plain_step(region, model, optimizer)
    best, kept, waited = np.inf, model.state_dict(), 0
    for x, t in batches(8, 5):
        loss = step(x, t).item()
        log(loss)
        if loss < best:
            best, kept, waited = loss, model.state_dict(), 0
        else:
            waited += 1
            if waited >= 3:
                break
    model.load_state_dict(kept)
    log(weights(model))
    for x, t in batches():
        log(step(x, t).item())
    log(weights(model))


def thing_with_schedules(region: Any, log: Any) -> None:
    model = network()
    optimizer = optim.Adam().setup(model)
    schedule = optim.schedules.warmup(3, optim.schedules.cosine(0.1, 8))
    step = plain_step(region, model, optimizer)
    for i, (x, t) in enumerate(batches(6, 3)):
        optimizer.alpha = schedule(i)
        if i == 6:
            optimizer.beta1 = 0.5
        log(step(x, t).item())
    log(weights(model))


def thing_with_a_schedule_inside(region: Any, log: Any) -> None:
    model = network()
    optimizer = optim.MomentumSGD(0.5).setup(model)
    step_number = 0

    @region
    def step(x: Any, t: Any) -> Any:
        nonlocal step_number
        optimizer.lr = 0.5 * 0.8**step_number
        step_number += 1
        loss = ct.softmax_cross_entropy(model(x), t)
        optimizer.update(lambda: loss)
        return loss

    for x, t in batches():
        log(step(x, t).item(), optimizer.lr)
    log(weights(model))


def thing_with_larger_and_larger_batches(region: Any, log: Any) -> None:
    model = network()
    optimizer = optim.Adam(0.05).setup(model)
    step = plain_step(region, model, optimizer)
    for size in (1, 2, 3, 5, 8, 13, 24, 7, 1, 24):
        log(step(X[:size], T[:size]).item())
    log(weights(model))


def thing_that_freezes_layers_midway(region: Any, log: Any) -> None:
    model = network()
    optimizer = optim.Adam(0.05).setup(model)
    step = plain_step(region, model, optimizer)
    for i, (x, t) in enumerate(batches(6, 3)):
        if i == 3:
            model[0].freeze()
        if i == 6:
            model[0].unfreeze()
            optimizer.update_rule(model[2].W)["alpha"] = 0.001
        if i == 9:
            optimizer.update_rule(model[2].b).enabled = False
        log(step(x, t).item(), model[0].b.array.copy())
    log(weights(model))


def thing_that_grows_midway(region: Any, log: Any) -> None:
    model = network()
    optimizer = optim.SGD(0.3).setup(model)
    step = plain_step(region, model, optimizer)
    for i, (x, t) in enumerate(batches(6, 2)):
        if i in (3, 5):
            layer = nn.Linear(8, 8)
            model.layers[2:2] = [layer, ct.relu]
            optimizer.setup(model)
        log(step(x, t).item())
    log(weights(model))


def thing_whose_head_is_replaced(region: Any, log: Any) -> None:
    model = network()
    optimizer = optim.Adam(0.05).setup(model)
    step = plain_step(region, model, optimizer)
    for i, (x, t) in enumerate(batches(6, 2)):
        if i == 4:
            model.layers[2] = nn.Linear(8, 5)
            optimizer = optim.Adam(0.05).setup(model)
            step = plain_step(region, model, optimizer)
        log(step(x, t).item())
    log(weights(model))


def thing_that_assigns_arrays(region: Any, log: Any) -> None:
    model = network()
    optimizer = optim.MomentumSGD(0.1).setup(model)
    step = plain_step(region, model, optimizer)
    for i, (x, t) in enumerate(batches(6, 3)):
        if i == 2:
            model[0].W.array = values(8, 6, seed=40)
        if i == 4:
            model[0].W.array[...] = values(8, 6, seed=41)
        if i == 6:
            model[2].b.array[1] += 0.5
        if i == 8:
            model[2].W.assign(model[2].W * 0.5)
        if i == 10:
            model[0].b.array = model[0].b.array * 2
        log(step(x, t).item())
    log(weights(model))


def thing_that_writes_into_arrays_inside(region: Any, log: Any) -> None:
    model = network()
    optimizer = optim.SGD(0.2).setup(model)
    number = 0

    @region
    def step(x: Any, t: Any) -> Any:
        nonlocal number
        number += 1
        loss = ct.softmax_cross_entropy(model(x), t)
        model.cleargrads()
        loss.backward()
        optimizer.update()
        if number % 2:
            W = model[0].W.array
            np.clip(W, -0.3, 0.3, out=W)
        if number % 3 == 0:
            model[2].b.array[...] = 0
        after = ct.softmax_cross_entropy(model(x), t)
        return loss, after

    for x, t in batches():
        log([y.item() for y in step(x, t)])
    log(weights(model))


def thing_that_prunes(region: Any, log: Any) -> None:
    model = network()
    optimizer = optim.SGD(0.2).setup(model)
    mask: Any = None

    @region
    def step(x: Any, t: Any) -> Any:
        loss = ct.softmax_cross_entropy(model(x), t)
        model.cleargrads()
        loss.backward()
        optimizer.update()
        if mask is not None:
            model[0].W.assign(model[0].W * mask)
        return loss

    for i, (x, t) in enumerate(batches(6, 2)):
        if i in (2, 5):
            W = np.abs(model[0].W.array)
            mask = (np.quantile(W, 0.1 * i) < W).astype(np.float32)
        log(step(x, t).item())
    log(weights(model))


def thing_that_goes_on_from_a_checkpoint(region: Any, log: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = f"{folder}/checkpoint.npz"
        model = network()
        optimizer = optim.Adam(0.05).setup(model)
        step = plain_step(region, model, optimizer)
        for i, (x, t) in enumerate(batches(6, 2)):
            if i == 3:
                ct.save(file, {"model": model, "optimizer": optimizer, "i": i})
            log(step(x, t).item())
        log(weights(model))
        ct.load(file, {"model": model, "optimizer": optimizer})  # Into what was trained.
        fresh = network()
        other = optim.Adam(0.05).setup(fresh)
        ct.load(file, {"model": fresh, "optimizer": other})
        step_of_fresh = plain_step(region, fresh, other)
        for i, (x, t) in enumerate(batches(6, 2)):
            if i >= 3:
                log(step(x, t).item(), step_of_fresh(x, t).item())
        log(weights(model, fresh))


def thing_that_is_copied_midway(region: Any, log: Any) -> None:
    model = network()
    optimizer = optim.Adam(0.05).setup(model)
    step = plain_step(region, model, optimizer)
    for x, t in batches(8, 1):
        log(step(x, t).item())
    other, other_optimizer = copy.deepcopy((model, optimizer))
    other_step = plain_step(region, other, other_optimizer)
    for x, t in batches(8, 1):
        log(step(x, t).item(), other_step(x * 2, t).item())
    log(weights(model, other))


# Modes and chance


def thing_with_dropout_and_seeds(region: Any, log: Any) -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            self.l1, self.l2 = nn.Linear(6, 8), nn.Linear(8, 3)

        def forward(self, x: Any) -> Any:
            return self.l2(ct.dropout(ct.relu(self.l1(x)), 0.5))

    model = Net()
    optimizer = optim.SGD(0.2).setup(model)
    step = plain_step(region, model, optimizer)

    @region
    def predict(x: Any) -> Any:
        return ct.softmax(model(x))

    for i, (x, t) in enumerate(batches()):
        if i == 2:
            ct.random.seed(7)
        log(step(x, t).item())
        with ct.test_mode():
            log(predict(x).array)
        log(predict(x).array)
    log(weights(model))


def thing_with_batch_norm_in_both_modes(region: Any, log: Any) -> None:
    model = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm(8), ct.relu, nn.Linear(8, 3))
    # Not Adam: the gradient of a bias before a normalization is rounding alone.
    optimizer = optim.MomentumSGD(0.1).setup(model)

    @region
    def step(x: Any, t: Any, train: bool) -> Any:
        with ct.using_config("train", train):
            loss = ct.softmax_cross_entropy(model(x), t)
        if train:
            model.cleargrads()
            loss.backward()
            optimizer.update()
        return loss

    for x, t in batches():
        log(step(x, t, True).item(), step(X, T, False).item())
    log(weights(model))


def thing_that_augments_in_numpy(region: Any, log: Any) -> None:
    model = network()
    optimizer = optim.SGD(0.2).setup(model)
    rng = np.random.default_rng(3)

    @region
    def step(x: Any, t: Any) -> Any:
        noisy = x + rng.normal(size=x.shape).astype(np.float32) * 0.1
        if rng.random() < 0.5:
            noisy = noisy[:, ::-1].copy()
        keep = rng.permutation(len(x))[: len(x) // 2]
        noisy[keep] *= 0.5
        loss = ct.softmax_cross_entropy(model(noisy), t)
        model.cleargrads()
        loss.backward()
        optimizer.update()
        return loss

    for x, t in batches():
        log(step(x, t).item())
    log(weights(model))


def thing_that_mixes_examples(region: Any, log: Any) -> None:
    model = network()
    optimizer = optim.SGD(0.2).setup(model)
    rng = np.random.default_rng(4)

    @region
    def step(x: Any, t: Any) -> Any:
        share = float(rng.beta(0.5, 0.5))
        order = rng.permutation(len(x))
        mixed = share * x + (1 - share) * x[order]
        y = model(mixed.astype(np.float32))
        loss = share * ct.softmax_cross_entropy(y, t) + (1 - share) * ct.softmax_cross_entropy(
            y, t[order]
        )
        model.cleargrads()
        loss.backward()
        optimizer.update()
        return loss

    for x, t in batches():
        log(step(x, t).item())
    log(weights(model))


def thing_whose_loss_is_chosen(region: Any, log: Any) -> None:
    model = network()
    optimizer = optim.SGD(0.2).setup(model)

    @region
    def step(x: Any, t: Any, kind: str) -> Any:
        y = model(x)
        if kind == "both":
            loss = ct.softmax_cross_entropy(y, t) + 0.1 * ct.mean(y**2)
        elif kind == "hinge":
            loss = ct.hinge(y, t)
        else:
            loss = ct.softmax_cross_entropy(y, t)
            if loss.item() > 1.0:
                loss = loss * 2
        model.cleargrads()
        loss.backward()
        optimizer.update()
        return loss

    for i, (x, t) in enumerate(batches(6, 3)):
        log(step(x, t, ("both", "hinge", "plain")[i % 3]).item())
    log(weights(model))


def thing_with_layers_left_out_at_random(region: Any, log: Any) -> None:
    layers = [nn.Linear(6, 6) for _ in range(4)]
    head = nn.Linear(6, 3)
    model = nn.Sequential(*layers, head)
    optimizer = optim.SGD(0.2).setup(model)
    rng = np.random.default_rng(6)

    @region
    def step(x: Any, t: Any) -> Any:
        h = x
        for layer in layers:
            if rng.random() < 0.7:
                h = h + ct.tanh(layer(h))
        loss = ct.softmax_cross_entropy(head(h), t)
        model.cleargrads()
        loss.backward()
        optimizer.update()
        return loss

    for x, t in batches(6, 3):
        log(step(x, t).item())
    log(weights(model))


# Sequences and structures


def thing_with_truncated_backpropagation(region: Any, log: Any) -> None:
    cell, head = nn.LSTMCell(6, 5), nn.Linear(5, 3)
    model = nn.Sequential(cell, head)
    optimizer = optim.Adam(0.02).setup(model)
    state: Any = None

    @region
    def step(xs: Any, ts: Any, state: Any) -> Any:
        loss = 0.0
        for x, t in zip(xs, ts, strict=True):
            h, state = cell(x, state)
            loss = loss + ct.softmax_cross_entropy(head(h), t)
        model.cleargrads()
        loss.backward()
        optimizer.update()
        return loss, [s.detach() for s in state]

    xs = X.reshape(6, 4, 6)
    ts = T.reshape(6, 4)
    for _ in range(3):
        state = None
        for i in (0, 2, 4):
            loss, state = step(list(xs[i : i + 2]), list(ts[i : i + 2]), state)
            log(loss.item(), [s.array for s in state])
    log(weights(model))


def thing_with_sequences_of_all_lengths(region: Any, log: Any) -> None:
    model = nn.Sequential(nn.Linear(6, 6))
    optimizer = optim.SGD(0.1).setup(model)

    @region
    def step(x: Any, length: int) -> Any:
        h = x
        for _ in range(length):
            h = ct.tanh(model(h))
        loss = ct.mean(h**2)
        model.cleargrads()
        loss.backward()
        optimizer.update()
        return loss

    for length in (1, 3, 2, 5, 3, 1, 4, 6):
        log(step(X[:4], length).item())
    log(weights(model))


def thing_that_walks_over_trees(region: Any, log: Any) -> None:
    join = nn.Linear(8, 4)
    leaves = nn.Embedding(5, 4)
    model = nn.Sequential(join, leaves)
    optimizer = optim.Adam(0.05).setup(model)

    def encode(tree: Any) -> Any:
        if isinstance(tree, int):
            return leaves(np.int32([tree]))
        left, right = tree
        return ct.tanh(join(ct.concat([encode(left), encode(right)], axis=1)))

    @region
    def step(tree: Any) -> Any:
        loss = ct.sum((encode(tree) - 0.5) ** 2)
        model.cleargrads()
        loss.backward()
        optimizer.update()
        return loss

    trees = [(0, 1), ((0, 1), 2), (3, (4, 0)), ((1, 2), (3, 4)), (((0, 1), 2), 3), (0, 1)]
    for tree in trees * 2:
        log(step(tree).item())
    log(weights(model))


def thing_that_searches_with_a_beam(region: Any, log: Any) -> None:
    cell = nn.Linear(7, 4)

    @region
    def scores(last: Any, h: Any) -> Any:
        with ct.no_backprop_mode():
            onehot = np.eye(3, dtype=np.float32)[last]
            h = ct.tanh(cell(ct.concat([h, onehot], axis=1)))
            return ct.log_softmax(h[:, :3]), h

    beams = [(0.0, [0], np.zeros(4, np.float32))]
    for _ in range(5):
        last = np.array([words[-1] for _, words, _ in beams])
        given, states = scores(last, np.stack([h for _, _, h in beams]))
        found = [
            (score + float(given[i, k]), [*words, k], states.array[i].copy())
            for i, (score, words, _) in enumerate(beams)
            for k in range(3)
        ]
        beams = sorted(found, key=lambda beam: -beam[0])[:3]
        log([(score, words) for score, words, _ in beams])


def thing_that_generates(region: Any, log: Any) -> None:
    """A region that is called on its own results."""
    layer = nn.Linear(6, 6)

    @region
    def following(x: Any) -> Any:
        with ct.no_backprop_mode():
            return ct.tanh(layer(x))

    x: Any = X[:2]
    for _ in range(6):
        x = following(x)
    log(x.array)


# Data, exceptions, threads


def thing_with_a_generator_of_data(region: Any, log: Any) -> None:
    model = network()
    optimizer = optim.SGD(0.2).setup(model)
    step = plain_step(region, model, optimizer)
    buffer = np.empty((4, 6), np.float32)

    def data() -> Iterator[Any]:
        rng = np.random.default_rng(8)
        for _ in range(6):
            buffer[...] = rng.normal(size=buffer.shape)  # The same memory each time.
            yield buffer, rng.integers(0, 3, 4)

    for x, t in data():
        log(step(x, t).item())
    log(weights(model))


def thing_that_fails_and_is_tried_again(region: Any, log: Any) -> None:
    model = network()
    optimizer = optim.Adam(0.05).setup(model)
    failures = iter([0, 1, 2, 0, 3, 0, 2, 0])
    fails_at = 0

    def may_fail(place: int) -> None:
        if fails_at == place:
            raise RuntimeError(f"at {place}")

    @region
    def step(x: Any, t: Any) -> Any:
        loss = ct.softmax_cross_entropy(model(x), t)
        may_fail(1)
        model.cleargrads()
        loss.backward()
        may_fail(2)
        optimizer.update()
        may_fail(3)
        return loss

    for fails_at in failures:
        try:
            log(step(X[:6], T[:6]).item())
        except RuntimeError as error:
            log(str(error))
            fails_at = 0
            log(step(X[:6], T[:6]).item())
        log(optimizer.t, weights(model))


def thing_with_labels_out_of_range(region: Any, log: Any) -> None:
    model = network()
    optimizer = optim.SGD(0.2).setup(model)
    step = plain_step(region, model, optimizer)
    for i, (x, t) in enumerate(batches()):
        try:
            log(step(x, t + (5 if i == 3 else 0)).item())
        except ct.ArgumentError as error:
            log("label 5" in str(error) or "label 6" in str(error) or "label 7" in str(error))
    log(optimizer.t)


def thing_that_hooks_count(region: Any, log: Any) -> None:
    model = network()
    optimizer = optim.SGD(0.2).setup(model)
    seen: dict[str, int] = {"pre": 0, "post": 0}

    def before(optimizer: Any) -> None:
        seen["pre"] += 1
        if seen["pre"] % 2:
            for _, p in optimizer.named_parameters():
                p.grad_var = p.grad_var * 0.5

    def after(optimizer: Any) -> None:
        seen["post"] += 1

    optimizer.add_hook(before).add_hook(after, timing="post").add_hook(optim.WeightDecay(0.1))
    step = plain_step(region, model, optimizer)
    for x, t in batches():
        log(step(x, t).item(), dict(seen))
    log(weights(model))


def thing_with_own_update_rules(region: Any, log: Any) -> None:
    class Signs(optim.UpdateRule):
        def __init__(self, lr: float = 0.01) -> None:
            super().__init__(lr=lr)

        def update_core(self, parameter: Any) -> None:
            parameter.assign(parameter - self.lr * ct.sign(parameter.grad_var))

    class InNumPy(Signs):
        def update_core(self, parameter: Any) -> None:
            parameter.array[...] -= np.float32(self.lr) * np.sign(parameter.grad)

    for kind in (Signs, InNumPy):
        model = network()
        optimizer = kind().setup(model)
        optimizer.update_rule(model[0].b)["lr"] = 0.05
        step = plain_step(region, model, optimizer)
        for i, (x, t) in enumerate(batches()):
            if i == 3:
                optimizer.lr = 0.001
            log(step(x, t).item())
        log(weights(model))


def thing_that_predicts_in_threads(region: Any, log: Any) -> None:
    model = network()
    optimizer = optim.SGD(0.2).setup(model)
    step = plain_step(region, model, optimizer)

    @region
    def predict(x: Any) -> Any:
        with ct.no_backprop_mode(), ct.test_mode():
            return ct.softmax(model(x))

    for x, t in batches():
        log(step(x, t).item())
        results: list[Any] = [None] * 4

        def work(i: int, results: list[Any] = results) -> None:
            for _ in range(3):
                results[i] = predict(X[i * 4 : i * 4 + 2 + i]).array

        threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        log(results)
    log(weights(model))


def thing_that_logs_from_inside(region: Any, log: Any) -> None:
    model = network()
    optimizer = optim.SGD(0.2).setup(model)
    history: list[Any] = []

    @region
    def step(x: Any, t: Any) -> Any:
        y = model(x)
        loss = ct.softmax_cross_entropy(y, t)
        model.cleargrads()
        loss.backward()
        optimizer.update()
        history.append((loss, ct.accuracy(y, t), y))
        return loss

    for x, t in batches():
        step(x, t)
    log([(float(a), float(b), c.array) for a, b, c in history])
    log(weights(model))


def thing_whose_losses_are_added_up_on_the_way(region: Any, log: Any) -> None:
    model = network()
    optimizer = optim.SGD(0.2).setup(model)
    total: Any = 0.0

    @region
    def step(x: Any, t: Any) -> None:
        nonlocal total
        loss = ct.softmax_cross_entropy(model(x), t)
        model.cleargrads()
        loss.backward()
        optimizer.update()
        total = total + loss.detach()

    for x, t in batches():
        step(x, t)
    log(total.item(), weights(model))


def thing_whose_gradient_is_outside(region: Any, log: Any) -> None:
    model = network()
    optimizer = optim.Adam(0.05).setup(model)
    features = region(lambda x: ct.tanh(model[0](x)))
    head = region(lambda h: model[2](h))
    for x, t in batches():
        loss = ct.softmax_cross_entropy(head(features(x)), t)
        model.cleargrads()
        loss.backward()
        optimizer.update()
        log(loss.item(), [p.grad.copy() for p in model.parameters()])
    log(weights(model))


def thing_with_regions_in_regions(region: Any, log: Any) -> None:
    model = network()
    optimizer = optim.Adam(0.05).setup(model)
    block = region(lambda x: ct.tanh(model[0](x)))

    @region
    def loss_of(x: Any, t: Any) -> Any:
        return ct.softmax_cross_entropy(model[2](block(x)), t)

    @region
    def step(x: Any, t: Any) -> Any:
        loss = loss_of(x, t)
        model.cleargrads()
        loss.backward()
        optimizer.update()
        return loss

    for i, (x, t) in enumerate(batches(6, 3)):
        log((step if i % 3 else loss_of)(x, t).item())
    log(weights(model))


@pytest.mark.parametrize("thing", things_of(globals()))
def test_compiled_programs_do_what_plain_ones_do(thing: Any) -> None:
    compare(thing)
