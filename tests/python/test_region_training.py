"""Gradients and training through static regions: eager beside compiled."""

from __future__ import annotations

import catena as ct
import numpy as np
import pytest
from eager_and_compiled import compare, things_of, values


def parameters():
    return ct.Parameter(values(3, 4)), ct.Parameter(values(3, seed=1))


def cleared(*variables):
    for variable in variables:
        variable.cleargrad()


def thing_backward_outside(region, log):
    W, b = parameters()

    @region
    def model(x):
        return ct.tanh(ct.linear(x, W, b))

    for i in range(3):
        x = ct.Variable(values(2, 4, seed=i))
        cleared(W, b)
        y = model(x)
        ct.sum(y * y).backward()
        log(y, x, W, b)


def thing_backward_inside(region, log):
    W, b = parameters()

    @region
    def step(x):
        cleared(W, b)
        loss = ct.sum(ct.tanh(ct.linear(x, W, b)))
        loss.backward()
        return loss

    for i in range(4):
        log(step(ct.Variable(values(2, 4, seed=i))), W, b)


def thing_gradients_accumulate(region, log):
    W, b = parameters()

    @region
    def step(x):
        loss = ct.sum(ct.exp(ct.linear(x, W, b)))
        loss.backward()
        return loss

    for i in range(3):
        log(step(ct.Variable(values(2, 4, seed=i))), W, b)


def thing_a_step_of_sgd_by_hand(region, log):
    W, b = parameters()

    @region
    def step(x, t):
        cleared(W, b)
        loss = ct.softmax_cross_entropy(ct.linear(x, W, b), t)
        loss.backward()
        for p in (W, b):
            p.array = p.array - 0.1 * p.grad
        return loss

    for i in range(5):
        t = np.array([0, 2], np.int32)
        log(step(values(2, 4, seed=i), t), W, b)


def thing_a_step_of_sgd_by_hand_in_place(region, log):
    W, b = parameters()

    @region
    def loss_of(x, t):
        return ct.softmax_cross_entropy(ct.linear(x, W, b), t)

    for i in range(5):
        cleared(W, b)
        loss = loss_of(values(2, 4, seed=i), np.array([0, 2], np.int32))
        loss.backward()
        for p in (W, b):
            p.array[...] -= 0.1 * p.grad
        log(loss, W, b)


def thing_gradients_are_read_inside(region, log):
    W, b = parameters()

    @region
    def step(x):
        cleared(W, b)
        ct.sum(ct.tanh(ct.linear(x, W, b))).backward()
        norm = float(np.sqrt(sum((p.grad**2).sum() for p in (W, b))))
        return norm, W.grad_var * 2

    for i in range(3):
        log(step(ct.Variable(values(2, 4, seed=i))))


def thing_gradients_are_clipped(region, log):
    W, b = parameters()

    @region
    def step(x):
        cleared(W, b)
        ct.sum(ct.exp(ct.linear(x, W, b))).backward()
        norm = float(ct.sqrt(ct.sum(W.grad_var * W.grad_var)))
        if norm > 1:
            W.grad = W.grad / norm
        return norm

    for i in range(3):
        log(step(ct.Variable(values(2, 4, seed=i))), W)


def thing_grad_inside(region, log):
    @region
    def step(x):
        y = ct.sum(ct.tanh(x) * x)
        (gx,) = ct.grad([y], [x])
        return gx, y

    for i in range(3):
        log(step(ct.Variable(values(3, seed=i))))


def thing_second_derivatives_inside(region, log):
    @region
    def step(x):
        y = ct.sum(x * x * x)
        (gx,) = ct.grad([y], [x], enable_double_backprop=True)
        (ggx,) = ct.grad([ct.sum(gx)], [x])
        return gx, ggx

    for i in range(3):
        log(step(ct.Variable(values(3, seed=i))))


def thing_second_derivatives_through_a_region(region, log):
    @region
    def f(x):
        return ct.tanh(x) * x

    for i in range(3):
        x = ct.Variable(values(3, seed=i))
        (gx,) = ct.grad([f(x)], [x], [ct.Variable(values(3) * 0 + 1)], enable_double_backprop=True)
        (ggx,) = ct.grad([ct.sum(gx)], [x])
        log(gx, ggx)


def thing_a_penalty_on_gradients(region, log):
    W, b = parameters()

    @region
    def step(x):
        cleared(W, b)
        y = ct.sum(ct.tanh(ct.linear(x, W, b)))
        (gx,) = ct.grad([y], [x], enable_double_backprop=True)
        loss = y + ct.sum(gx * gx)
        loss.backward()
        return loss

    for i in range(3):
        log(step(ct.Variable(values(2, 4, seed=i))), W, b)


def thing_a_recurrent_state_keeps_its_history(region, log):
    W, b = ct.Parameter(values(3, 3)), ct.Parameter(values(3, seed=1))

    @region
    def cell(h, x):
        return ct.tanh(ct.linear(h, W, b) + x)

    for n in (2, 4, 3):
        h = ct.Variable(values(1, 3))
        for i in range(n):
            h = cell(h, ct.Variable(values(1, 3, seed=i)))
        cleared(W, b)
        ct.sum(h).backward()
        log(h, W, b)


def thing_history_is_cut_off(region, log):
    W, b = ct.Parameter(values(3, 3)), ct.Parameter(values(3, seed=1))
    state = {"h": ct.Variable(values(1, 3))}

    @region
    def step(x):
        state["h"] = ct.tanh(ct.linear(state["h"], W, b) + x)
        return ct.sum(state["h"])

    for i in range(4):
        cleared(W, b)
        loss = step(ct.Variable(values(1, 3, seed=i)))
        loss.backward()
        state["h"].unchain_backward()
        log(loss, W, b, state["h"].array)


def thing_detached_and_constant_parts(region, log):
    W, b = parameters()

    @region
    def step(x):
        cleared(W, b)
        y = ct.linear(x, W, b)
        loss = ct.sum(y * y.detach())
        loss.backward()
        return loss

    for i in range(3):
        log(step(ct.Variable(values(2, 4, seed=i))), W, b)


def thing_no_graph_is_recorded(region, log):
    W, b = parameters()

    @region
    def step(x):
        with ct.no_backprop_mode():
            y = ct.linear(x, W, b)
        return y, y.requires_grad

    for i in range(3):
        log(step(ct.Variable(values(2, 4, seed=i))))


def thing_training_and_test_mode(region, log):
    @region
    def step(x):
        return ct.dropout(x, 0.5)

    x = ct.Variable(values(8))
    log(step(x), step(x))
    with ct.test_mode():
        log(step(x), step(x))
    log(step(x))


def thing_parameters_are_shared(region, log):
    W, b = ct.Parameter(values(3, 3)), ct.Parameter(values(3, seed=1))

    @region
    def step(x):
        cleared(W, b)
        y = ct.linear(ct.tanh(ct.linear(x, W, b)), W, b)
        ct.sum(y).backward()
        return y

    for i in range(3):
        log(step(ct.Variable(values(2, 3, seed=i))), W, b)


def thing_a_parameter_is_frozen_in_between(region, log):
    W, b = parameters()
    frozen = []

    @region
    def step(x):
        cleared(W, b)
        weight = W.detach() if frozen else W
        loss = ct.sum(ct.tanh(ct.linear(x, weight, b)))
        loss.backward()
        return loss

    for i in range(4):
        if i == 2:
            frozen.append(1)
        log(step(ct.Variable(values(2, 4, seed=i))), W, b)


def thing_several_losses(region, log):
    W, b = parameters()

    @region
    def model(x):
        y = ct.linear(x, W, b)
        return ct.sum(ct.tanh(y)), ct.sum(y * y), y

    for which in (0, 1, 0, 1):
        cleared(W, b)
        results = model(ct.Variable(values(2, 4)))
        results[which].backward()
        log(results[which], W, b)
    cleared(W, b)
    first, second, _ = model(ct.Variable(values(2, 4)))
    (first + second).backward()
    log(W, b)


def thing_backward_is_called_twice(region, log):
    W, b = parameters()

    @region
    def model(x):
        return ct.sum(ct.tanh(ct.linear(x, W, b)))

    for _ in range(2):
        cleared(W, b)
        loss = model(ct.Variable(values(2, 4)))
        loss.backward()
        loss.backward()
        log(W, b)


def thing_gradients_of_intermediate_values(region, log):
    W, b = parameters()

    @region
    def step(x):
        h = ct.linear(x, W, b)
        y = ct.sum(ct.tanh(h))
        y.backward(retain_grad=True)
        return h, h.grad_var

    for i in range(3):
        cleared(W, b)
        log(step(ct.Variable(values(2, 4, seed=i))))


def thing_early_stopping(region, log):
    W, b = parameters()

    @region
    def step(x, t):
        cleared(W, b)
        loss = ct.mean_squared_error(ct.linear(x, W, b), t)
        loss.backward()
        for p in (W, b):
            p.array = p.array - 0.5 * p.grad
        return float(loss)

    x, t = values(5, 4), values(5, 3, seed=2)
    losses = []
    while len(losses) < 3 or losses[-1] < losses[-2] * 0.95:
        losses.append(step(x, t))
    log(losses, W, b)


@pytest.mark.parametrize("thing", things_of(globals()))
def test_gradients_through_a_region_are_those_of_the_plain_code(thing):
    compare(thing)


@pytest.mark.parametrize("audit", ["never", "sampled"])
def test_steps_that_skip_the_code_train_as_the_code_does(audit):
    def train(region):
        W, b = parameters()

        @region
        def model(x):
            return ct.sum(ct.tanh(ct.linear(x, W, b)))

        told = []
        for i in range(8):
            cleared(W, b)
            loss = model(ct.Variable(values(2, 4, seed=i)))
            loss.backward()
            for p in (W, b):
                p.array = p.array - 0.1 * p.grad
            told.append(float(loss))
        return told, np.array(W.array)

    region = lambda f: ct.jit(f, audit=audit)  # noqa: E731
    eager, eager_W = train(lambda f: f)
    compiled, compiled_W = train(region)
    np.testing.assert_allclose(compiled, eager, rtol=1e-5)
    np.testing.assert_allclose(compiled_W, eager_W, rtol=1e-5)
