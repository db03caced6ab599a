"""Habits of people who write training code, each plainly and with its steps as static regions."""

from __future__ import annotations

import collections
import copy
import gc
import itertools
import pickle
import random
import tempfile
from collections.abc import Callable
from typing import Any

import catena as ct
import numpy as np
import pytest
from catena import nn, optim
from eager_and_compiled import compare, things_of, values
from test_region_programs import T, X, batches, network, plain_step, weights

# Arrays and views


def thing_whose_views_are_kept(region: Any, log: Any) -> None:
    model = network()
    optimizer = optim.MomentumSGD(0.1).setup(model)
    views = [p.array for p in model.parameters()]
    step = plain_step(region, model, optimizer)
    for i, (x, t) in enumerate(batches(6, 2)):
        log(step(x, t).item(), views)
        if i == 3:
            views[0][...] *= 0.5
        if i == 5:
            views = [p.array for p in model.parameters()]
    log(weights(model), views)


def thing_whose_parameters_share_an_array(region: Any, log: Any) -> None:
    a, b = ct.Parameter(values(4)), ct.Parameter(values(4, seed=1))
    optimizer = optim.SGD(0.1).setup([a, b])
    b.array = a.array

    @region
    def step(x: Any) -> Any:
        loss = ct.sum((a * x + b) ** 2)
        a.cleargrad()
        b.cleargrad()
        loss.backward()
        optimizer.update()
        return loss

    for i in range(4):
        log(step(values(4, seed=i)).item(), a.array.copy(), b.array.copy())


def thing_that_exchanges_parameters(region: Any, log: Any) -> None:
    a, b = ct.Parameter(values(4)), ct.Parameter(values(4, seed=1))
    optimizer = optim.SGD(0.1).setup([a, b])

    @region
    def step(x: Any, exchange: bool) -> Any:
        loss = ct.sum((a * x - 2 * b) ** 2)
        a.cleargrad()
        b.cleargrad()
        loss.backward()
        optimizer.update()
        if exchange:
            a.array, b.array = b.array.copy(), a.array.copy()
        return loss

    for i in range(6):
        log(step(values(4, seed=i), i % 3 == 2).item(), a.array.copy(), b.array.copy())


def thing_whose_content_changes_between_forward_and_backward(region: Any, log: Any) -> None:
    model = network()
    optimizer = optim.SGD(0.1).setup(model)

    @region
    def step(x: Any, t: Any, how: int) -> Any:
        loss = ct.softmax_cross_entropy(model(x), t)
        if how == 1:
            model[2].W.assign(model[2].W * 1.25)
        if how == 2:
            model[2].W.array = model[2].W.array * 1.25
        model.cleargrads()
        loss.backward()
        optimizer.update()
        return loss

    for i, (x, t) in enumerate(batches(6, 3)):
        log(step(x, t, i % 3).item())
    log(weights(model))


def thing_whose_arguments_are_overwritten(region: Any, log: Any) -> None:
    layer = nn.Linear(3, 3)
    x = values(2, 3)
    f = region(lambda x: ct.tanh(layer(x)))
    g = region(lambda x: (x, x * 1))
    for i in range(4):
        y = f(x)
        same, other = g(x)
        x[...] = i
        log(y.array, same, other.array)
    v = ct.Variable(values(2, 3))
    for i in range(4):
        y = f(v)
        v.array[...] += i
        log(y.array)
        v.array = values(2, 3, seed=i)
        log(f(v).array)


def thing_that_writes_into_results(region: Any, log: Any) -> None:
    W = ct.Parameter(values(3, 3))
    f = region(lambda x: (x @ W, W[0], W, W.T))
    for i in range(4):
        y, row, same, turned = f(ct.Variable(values(2, 3, seed=i)))
        y.array[...] = 0
        log(y.array, row.array, same is W, turned.array)
        W.array[0, i % 3] += 1
        log(row.array, turned.array)


def thing_that_sets_elements(region: Any, log: Any) -> None:
    layer = nn.Linear(4, 4)
    optimizer = optim.SGD(0.1).setup(layer)

    @region
    def step(x: Any, row: int) -> Any:
        h = layer(x)
        h[row] = h[row] * 2
        h[:, 0] = 1.0
        loss = ct.sum(ct.tanh(h) ** 2)
        layer.cleargrads()
        loss.backward()
        optimizer.update()
        return loss, h

    for i in range(6):
        loss, h = step(values(3, 4, seed=i), i % 3)
        log(loss.item(), h.array)
    log(weights(layer))


def thing_with_masks_of_other_sizes(region: Any, log: Any) -> None:
    model = network()
    optimizer = optim.SGD(0.2).setup(model)

    @region
    def step(x: Any, t: Any) -> Any:
        y = model(x)
        losses = -ct.select_item(ct.log_softmax(y), t)
        hard = losses.array > np.median(losses.array)
        loss = ct.mean(losses[np.flatnonzero(hard)])
        model.cleargrads()
        loss.backward()
        optimizer.update()
        return loss, int(hard.sum())

    for x, t in batches(7, 2):
        loss, count = step(x, t)
        log(loss.item(), count)
    log(weights(model))


# Gradients


def thing_without_any_backward(region: Any, log: Any) -> None:
    """Evolution strategies: gradients from perturbed forward passes, assigned."""
    model = network()
    optimizer = optim.Adam(0.05).setup(model)
    rng = np.random.default_rng(2)

    @region
    def step(x: Any, t: Any) -> Any:
        parameters = list(model.parameters())
        kept = [p.array.copy() for p in parameters]
        grads = [np.zeros_like(k) for k in kept]
        scores = []
        with ct.no_backprop_mode():
            for _ in range(3):
                noise = [rng.normal(size=k.shape).astype(np.float32) for k in kept]
                for p, k, n in zip(parameters, kept, noise, strict=True):
                    p.array[...] = k + np.float32(0.1) * n
                score = ct.softmax_cross_entropy(model(x), t).item()
                scores.append(score)
                for g, n in zip(grads, noise, strict=True):
                    g += np.float32(score) * n
        for p, k, g in zip(parameters, kept, grads, strict=True):
            p.array[...] = k
            p.grad = g
        optimizer.update()
        return scores

    for x, t in batches(8, 2):
        log(step(x, t))
    log(weights(model))


def thing_with_two_optimizers_of_one_model(region: Any, log: Any) -> None:
    model = network()
    of_body = optim.SGD(0.1).setup(model[0])
    of_all = optim.Adam(0.01).setup(model)

    @region
    def step(x: Any, t: Any, both: bool) -> Any:
        loss = ct.softmax_cross_entropy(model(x), t)
        model.cleargrads()
        loss.backward()
        if both:
            of_body.update()
        of_all.update()
        return loss

    for i, (x, t) in enumerate(batches(6, 2)):
        log(step(x, t, i % 3 == 1).item())
    log(weights(model))


def thing_whose_optimizer_is_another_one_midway(region: Any, log: Any) -> None:
    model = network()
    optimizer: Any = optim.SGD(0.1).setup(model)

    @region
    def step(x: Any, t: Any) -> Any:
        loss = ct.softmax_cross_entropy(model(x), t)
        model.cleargrads()
        loss.backward()
        optimizer.update()
        return loss

    for i, (x, t) in enumerate(batches(6, 3)):
        if i == 4:
            optimizer = optim.Adam(0.05).setup(model)
        if i == 8:
            optimizer = optim.SGD(0.1).setup(model)
        log(step(x, t).item())
    log(weights(model))


def thing_whose_model_is_another_one_midway(region: Any, log: Any) -> None:
    model = network()

    @region
    def forward(x: Any) -> Any:
        return ct.softmax(model(x))

    for i in range(9):
        if i % 3 == 2:
            model = network()
            gc.collect()
        log(forward(X[:4]).array)


def thing_that_updates_several_times_in_one_region(region: Any, log: Any) -> None:
    model = network()
    optimizer = optim.Adam(0.05).setup(model)

    @region
    def epoch() -> Any:
        losses = []
        for x, t in batches(8, 1):
            loss = ct.softmax_cross_entropy(model(x), t)
            model.cleargrads()
            loss.backward()
            optimizer.update()
            losses.append(loss)
        return losses

    for _ in range(4):
        log([loss.item() for loss in epoch()])
    log(weights(model), optimizer.t)


def thing_that_calls_forward_twice_before_backward(region: Any, log: Any) -> None:
    layer = nn.Linear(3, 3)
    forward = region(lambda x: ct.tanh(layer(x)))
    for i in range(4):
        layer.cleargrads()
        x1, x2 = ct.Variable(values(2, 3, seed=i)), ct.Variable(values(2, 3, seed=9 + i))
        y1, y2 = forward(x1), forward(x2)
        ct.sum(y2 * 2).backward()
        ct.sum(y1 * y1).backward()
        if i % 2:
            ct.sum(y1 + forward(y1)).backward()
        log(x1.grad, x2.grad, layer.W.grad.copy())


def thing_that_keeps_gradients_of_results(region: Any, log: Any) -> None:
    layer = nn.Linear(3, 3)

    @region
    def step(x: Any) -> Any:
        h = ct.tanh(layer(x))
        y = ct.sum(h * h)
        layer.cleargrads()
        y.backward(retain_grad=True)
        return h.grad_var * 1, layer.W.grad_var * 1

    for i in range(4):
        a, b = step(values(2, 3, seed=i))
        log(a.array, b.array)


def thing_with_products_with_the_hessian(region: Any, log: Any) -> None:
    W = ct.Parameter(values(3))

    @region
    def product(v: Any, x: Any) -> Any:
        y = ct.sum(ct.tanh(W * x) ** 3)
        (g,) = ct.grad([y], [W], enable_double_backprop=True)
        (h,) = ct.grad([ct.sum(g * v)], [W])
        return h

    for i in range(4):
        log(product(values(3, seed=i), values(3, seed=7 + i)).array)
        W.array[...] *= 0.9


def thing_with_gradients_of_each_example(region: Any, log: Any) -> None:
    layer = nn.Linear(3, 1)

    @region
    def norms(x: Any) -> Any:
        found = []
        for row in ct.Variable(x):
            loss = ct.sum(layer(row.reshape(1, -1)) ** 2)
            gW, gb = ct.grad([loss], [layer.W, layer.b])
            found.append(ct.sum(gW**2) + ct.sum(gb**2))
        return ct.stack(found)

    for i in range(4):
        log(norms(values(2 + i % 2, 3, seed=i)).array)


def thing_whose_history_is_cut(region: Any, log: Any) -> None:
    layer = nn.Linear(3, 3)

    @region
    def step(h: Any, cut: bool) -> Any:
        layer.cleargrads()
        h = ct.tanh(layer(h))
        if cut:
            h.unchain_backward()
        h = ct.tanh(layer(h))
        loss = ct.sum(h * h)
        loss.backward()
        return h.detach(), layer.W.grad_var * 1

    h: Any = ct.Variable(values(2, 3))
    for i in range(6):
        h, g = step(h, i % 3 == 1)
        log(h.array, g.array)


# Modules


def thing_whose_sizes_come_from_the_first_call(region: Any, log: Any) -> None:
    model = nn.Sequential(nn.Linear(None, 8), nn.BatchNorm(8), ct.relu, nn.Linear(None, 3))
    optimizer = optim.Adam(0.05).setup(model)
    step = plain_step(region, model, optimizer)
    for x, t in batches(6, 2):
        log(step(x, t).item())
    log(weights(model)[-2:])


def thing_that_makes_modules_in_the_region(region: Any, log: Any) -> None:
    @region
    def f(x: Any) -> Any:
        layer = nn.Linear(3, 2)
        optimizer = optim.SGD(0.1).setup(layer)
        loss = ct.sum(layer(x) ** 2)
        optimizer.update(lambda: loss)
        return loss, layer.W

    for i in range(5):
        loss, W = f(values(2, 3, seed=i))
        log(loss.item(), W.array)


def thing_with_a_state_between_calls(region: Any, log: Any) -> None:
    class Stateful(nn.Module):
        def __init__(self) -> None:
            self.cell = nn.LSTMCell(6, 4)
            self.state: Any = None

        def forward(self, x: Any) -> Any:
            h, self.state = self.cell(x, self.state)
            return h

    model = Stateful()
    head = nn.Linear(4, 3)
    both = nn.Sequential(model, head)
    optimizer = optim.SGD(0.2).setup(both)

    @region
    def step(x: Any, t: Any) -> Any:
        loss = ct.softmax_cross_entropy(both(x), t)
        both.cleargrads()
        loss.backward()
        optimizer.update()
        model.state = tuple(s.detach() for s in model.state)
        return loss

    for i, (x, t) in enumerate(batches(6, 3)):
        if i == 5:
            model.state = None
        log(step(x, t).item())
    log(weights(both))


def thing_whose_statistics_decay_otherwise_midway(region: Any, log: Any) -> None:
    norm = nn.BatchNorm(3)
    counts = ct.State(np.zeros((), np.float32))

    @region
    def step(x: Any) -> Any:
        y = norm(x)
        counts.assign(counts + 1)
        return ct.sum(y**3 * counts)

    for i in range(8):
        if i == 3:
            norm.decay = 0.5
        if i == 5:
            norm.avg_mean.array[...] = 0
        if i == 6:
            counts.array = np.float32(100)
        log(step(values(5, 3, seed=i)).item(), norm.avg_mean.array.copy(), counts.item())


def thing_that_copies_and_saves_inside(region: Any, log: Any) -> None:
    model = network()
    optimizer = optim.Adam(0.05).setup(model)
    kept: list[Any] = []

    with tempfile.TemporaryDirectory() as folder:

        @region
        def step(x: Any, t: Any, what: str) -> Any:
            loss = ct.softmax_cross_entropy(model(x), t)
            model.cleargrads()
            loss.backward()
            optimizer.update()
            if what == "copy":
                kept.append(model.copy())
            if what == "save":
                ct.save(f"{folder}/model.npz", {"model": model, "optimizer": optimizer})
            if what == "load":
                ct.load(f"{folder}/model.npz", {"model": model, "optimizer": optimizer})
            if what == "pickle":
                kept.append(pickle.loads(pickle.dumps(model)))
            if what == "state":
                optimizer.load_state_dict(optimizer.state_dict())
            return loss

        kinds = ["", "copy", "save", "", "pickle", "load", "state", "", "load", "", "copy"]
        for what, (x, t) in zip(kinds, batches(6, 3), strict=False):
            log(step(x, t, what).item(), optimizer.t)
        log(weights(model, *kept))


# Settings and chance


def thing_that_changes_settings_inside(region: Any, log: Any) -> None:
    layer = nn.Linear(3, 3)

    @region
    def f(x: Any, train: bool) -> Any:
        ct.config.train = train
        y = ct.dropout(layer(x), 0.5)
        with ct.using_config("dtype", np.float64):
            z = ct.Variable([1.0, 2.0])
        with ct.no_backprop_mode():
            w = layer(x)
        return y, z, w.requires_grad, y.requires_grad

    for i in range(6):
        y, z, *rest = f(values(2, 3, seed=i), i % 2 == 0)
        log(y.array, z.array, rest, ct.config.train)
    ct.config.train = True


def thing_that_repeats_its_chance(region: Any, log: Any) -> None:
    @region
    def f(x: Any, repeat: bool) -> Any:
        if repeat:
            ct.random.seed(5)
        state = ct.random.get_state()
        a = ct.dropout(x, 0.5)
        if repeat:
            ct.random.set_state(state)
        return a, ct.dropout(x, 0.5)

    x = ct.Variable(np.ones((3, 4), np.float32))
    for i in range(6):
        log([y.array for y in f(x, i % 3 == 1)])


def thing_with_chance_of_python(region: Any, log: Any) -> None:
    random.seed(4)
    order = itertools.cycle([0, 1, 2])
    layers = [nn.Linear(4, 4) for _ in range(3)]

    @region
    def f(x: Any) -> Any:
        for _ in range(2):
            x = ct.tanh(layers[random.choice([0, 1])](x))
        return layers[next(order)](x)

    for i in range(10):
        log(f(values(2, 4, seed=i)).array)


# The language


def thing_that_reads_numbers_on_the_way(region: Any, log: Any) -> None:
    model = network()
    optimizer = optim.SGD(0.2).setup(model)
    lines: list[str] = []

    @region
    def step(x: Any, t: Any) -> Any:
        loss = ct.softmax_cross_entropy(model(x), t)
        lines.append(f"{loss:.3f} {float(loss):.3f} {round(loss, 2)}")
        optimizer.lr = 0.1 if loss > 1.1 else 0.3
        model.cleargrads()
        loss.backward()
        optimizer.update()
        best = max([loss, loss * 0.5, ct.mean(loss)])
        return best, sorted([3 * loss, loss])[0], 0.0 in model[2].b

    for x, t in batches(6, 2):
        a, b, c = step(x, t)
        log(a.item(), b.item(), c)
    log(lines, weights(model))


def thing_with_all_kinds_of_numbers(region: Any, log: Any) -> None:
    f = region(lambda x, n, *more, k=1, **rest: (x * n + k, n, more, rest))
    x = ct.Variable(values(3))
    for n in (1, 1.0, True, np.float32(1), np.float64(2), np.int64(3), 2, 2.5, False, 10**12):
        y, *rest = f(x, n)
        log(y.array, y.dtype.name, [str(r) for r in rest])
    log(f(x, 2, 3, k=4, j=5)[0].array, f(x, 2, j=5, k=4)[0].array, f(x, 2, 3, k=4, j=6)[3])


def thing_with_nested_results(region: Any, log: Any) -> None:
    Pair = collections.namedtuple("Pair", "a b")

    @region
    def f(batch: Any) -> Any:
        y = {key: ct.exp(v) for key, v in batch.items() if v is not None}
        return Pair(y, [None, (batch.get("x"), "text", 3)]), batch

    for i in range(4):
        batch = {"x": ct.Variable(values(2, seed=i)), "y": None, "z": values(1 + i % 2, seed=i)}
        log(f(batch))


def thing_with_errors_inside_that_are_caught(region: Any, log: Any) -> None:
    layer = nn.Linear(3, 3)
    optimizer = optim.SGD(0.1).setup(layer)

    @region
    def step(x: Any) -> Any:
        try:
            y = layer(x)
        except ct.ShapeError:
            y = layer(x[:, :3])
        try:
            loss = ct.sum(y * y)
            if x.shape[1] == 5:
                raise LookupError("mine")
        except LookupError:
            loss = ct.sum(y)
        finally:
            layer.cleargrads()
        loss.backward()
        optimizer.update()
        return loss

    for i, width in enumerate((3, 4, 3, 5, 4, 3, 5)):
        log(step(values(2, width, seed=i)).item())
    log(weights(layer))


def thing_that_calls_itself(region: Any, log: Any) -> None:
    layer = nn.Linear(3, 3)
    f: Callable[..., Any]

    @region
    def f(x: Any, depth: int) -> Any:
        x = ct.tanh(layer(x))
        return x if depth == 0 else f(x, depth - 1) + x

    for i, depth in enumerate((0, 2, 1, 3, 2, 0)):
        x = ct.Variable(values(2, 3, seed=i))
        layer.cleargrads()
        ct.sum(f(x, depth)).backward()
        log(x.grad, layer.W.grad.copy())


def thing_as_a_method(region: Any, log: Any) -> None:
    class Trainer:
        def __init__(self, units: int) -> None:
            self.model = network(units)
            self.optimizer = optim.Adam(0.05).setup(self.model)
            self.losses: list[Any] = []

        @region
        def step(self, x: Any, t: Any) -> Any:
            loss = ct.softmax_cross_entropy(self.model(x), t)
            self.optimizer.update(lambda: loss)
            self.losses.append(loss)
            return loss

    trainers = [Trainer(4), Trainer(4), Trainer(6)]
    for i, (x, t) in enumerate(batches(6, 3)):
        log(trainers[i % 3].step(x, t).item())
    for trainer in trainers:
        log([float(loss) for loss in trainer.losses], weights(trainer.model))


def thing_with_numpy_all_around(region: Any, log: Any) -> None:
    layer = nn.Linear(3, 3)

    @region
    def f(x: Any) -> Any:
        y = np.tanh(layer(x))
        y = np.concatenate([y, np.ones((1, 3), np.float32)])
        y = np.float32([1, 2, 3]) * y + np.mean(y, axis=0)
        weights = np.exp(y.array).sum(axis=1)
        return y * weights[:, None], np.argmax(y.array, axis=1), y.array @ layer.W.array

    for i in range(4):
        a, b, c = f(values(2, 3, seed=i))
        log(a.array, b, c)


def thing_with_labels_of_its_own(region: Any, log: Any) -> None:
    model = network()
    optimizer = optim.SGD(0.2).setup(model)

    @region
    def step(x: Any, sure: float) -> Any:
        with ct.no_backprop_mode():
            p = ct.softmax(model(x))
        t = ct.argmax(p, axis=1)
        taken = np.where(ct.max(p, axis=1).array > sure, t.array, -1).astype(np.int32)
        loss = ct.softmax_cross_entropy(model(x), taken) + ct.softmax_cross_entropy(model(x), t)
        model.cleargrads()
        loss.backward()
        optimizer.update()
        return loss, taken

    for i, (x, _) in enumerate(batches(6, 2)):
        loss, taken = step(x, 0.3 + 0.02 * i)
        log(loss.item(), taken)
    log(weights(model))


def thing_with_functions_of_its_own(region: Any, log: Any) -> None:
    class Clipped(ct.UserFunction):
        def __init__(self, limit: float) -> None:
            self.limit = limit

        def forward_numpy(self, x: Any) -> Any:
            return np.clip(x, -self.limit, self.limit)

        def backward_numpy(self, gy: Any) -> Any:
            return gy  # Straight through.

    slope = ct.elementwise(
        "habit_slope",
        lambda x, *, a=0.1: ct.where(x > 0, x, a * x),
        lambda x, y, gy, *, a=0.1: ct.where(x > 0, gy, a * gy),
    )
    layer = nn.Linear(3, 3)
    optimizer = optim.Adam(0.05).setup(layer)

    @region
    def step(x: Any, a: float) -> Any:
        loss = ct.sum(slope(Clipped(0.3)(layer(x)), a=a) ** 2)
        layer.cleargrads()
        loss.backward()
        optimizer.update()
        return loss

    for i in range(6):
        log(step(values(2, 3, seed=i), 0.1 * (1 + i % 3)).item())
    log(weights(layer))


# Precision


def thing_in_double_precision(region: Any, log: Any) -> None:
    with ct.using_config("dtype", np.float64):
        model = network()
        optimizer = optim.Adam(0.05).setup(model)
        step = plain_step(region, model, optimizer)
        for x, t in batches(6, 2):
            log(step(x.astype(np.float64), t).item(), step(x, t).item())
        log(weights(model))


def thing_in_half_precision(region: Any, log: Any) -> None:
    with ct.using_config("dtype", np.float16):
        model = nn.Linear(3, 2)
    optimizer = optim.SGD(1e-3).setup(model)
    optimizer.use_fp32_update()
    scaling = optimizer.loss_scaling(interval=2, initial=8.0)

    @region
    def step(x: Any) -> None:
        optimizer.update(lambda: ct.sum(model(x) ** 2))

    for i in range(8):
        before = weights(model)
        step((values(2, 3, seed=i) * (np.inf if i == 3 else 1)).astype(np.float16))
        changed = [not np.array_equal(a, b) for a, b in zip(before, weights(model), strict=True)]
        log(scaling.scale, scaling.is_safe_to_update, optimizer.t, changed)
    log([np.isfinite(w).all() for w in weights(model)])  # In float16 the roundings differ.


def thing_with_empty_batches(region: Any, log: Any) -> None:
    model = network()
    optimizer = optim.SGD(0.1).setup(model)

    @region
    def step(x: Any) -> Any:
        loss = ct.sum(model(x) ** 2)
        model.cleargrads()
        loss.backward()
        optimizer.update()
        return loss

    for count in (3, 0, 1, 0, 3):
        log(step(X[:count]).item())
    log(weights(model))


def thing_that_is_deep_copied_between_regions(region: Any, log: Any) -> None:
    model = network()
    optimizer = optim.Adam(0.05).setup(model)

    def make(model: Any, optimizer: Any) -> Any:
        return plain_step(region, model, optimizer)

    step = make(model, optimizer)
    for i, (x, t) in enumerate(batches(6, 3)):
        if i in (3, 6):
            model, optimizer = copy.deepcopy((model, optimizer))
            step = make(model, optimizer)
        log(step(x, t).item(), optimizer.t)
    log(weights(model), T[0])


@pytest.mark.parametrize("thing", things_of(globals()))
def test_compiled_habits_do_what_plain_ones_do(thing: Any) -> None:
    compare(thing)
