"""The workloads of workloads.py, written with Catena for Python.

They are the same as those of `catena bench` (benchmarks/workloads) in sizes, operations, order, and
optimizers. A step is forward, loss, backward and update, on inputs in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import cycle
from typing import Any

import catena as ct
import numpy as np
from catena import nn, optim
from numpy.typing import NDArray
from steps import Step, text_lengths

Loss = Callable[[Any, Any], ct.Variable]


class LeNet(nn.Module):
    """x [batch, 1, 28, 28] to the scores [batch, 10]."""

    def __init__(self) -> None:
        self.c1 = nn.Conv2d(1, 6, 5, pad=2)
        self.c2 = nn.Conv2d(6, 16, 5)
        self.l1 = nn.Linear(400, 120)
        self.l2 = nn.Linear(120, 84)
        self.l3 = nn.Linear(84, 10)

    def forward(self, x: Any) -> ct.Variable:
        h = ct.max_pooling_2d(ct.relu(self.c1(x)), 2)
        h = ct.max_pooling_2d(ct.relu(self.c2(h)), 2)
        return self.l3(ct.relu(self.l2(ct.relu(self.l1(h)))))


class CharRnn(nn.Module):
    """Characters [steps, batch] to scores of the next ones, [steps * batch, characters]."""

    def __init__(self, characters: int, units: int) -> None:
        self.embed = nn.Embedding(characters, units)
        self.cell = nn.LSTMCell(units, units)
        self.out = nn.Linear(units, characters)

    def forward(self, text: Any) -> ct.Variable:
        x = self.embed(text)
        state = None
        states = []
        for t in range(len(text)):
            state = self.cell(x[t], state)
            states.append(state[0])
        return self.out(ct.concat(states, axis=0))


def perceptron(inputs: int, hidden: int, outputs: int) -> nn.Module:
    return nn.Sequential(
        nn.Linear(inputs, hidden),
        ct.relu,
        nn.Linear(hidden, hidden),
        ct.relu,
        nn.Linear(hidden, outputs),
    )


def constant(array: NDArray[Any]) -> ct.Variable:
    return ct.Variable(array, requires_grad=False)


def training(
    model: nn.Module,
    optimizer: Any,
    loss_of: Loss,
    batches: Iterator[tuple[Any, Any]],
    compiled: bool,
    count: int = 1,
) -> Step:
    optimizer.setup(model)

    def step(x: Any, t: Any) -> ct.Variable:
        loss = loss_of(model(x), t)
        model.cleargrads()
        loss.backward()
        optimizer.update()
        return loss

    run = ct.jit(step) if compiled else step
    return Step(lambda: run(*next(batches)), count)


def on_one_batch(
    model: nn.Module, optimizer: Any, loss_of: Loss, x: Any, t: Any, compiled: bool
) -> Step:
    batch = (constant(x.astype(np.float32)), constant(t.astype(np.int32)))
    return training(model, optimizer, loss_of, cycle([batch]), compiled)


def mushroom(random: np.random.Generator, compiled: bool) -> Step:
    x, t = random.random((100, 22)), random.integers(0, 2, (100, 1))
    model = perceptron(22, 44, 1)
    return on_one_batch(model, optim.SGD(0.01), ct.sigmoid_cross_entropy, x, t, compiled)


def mlp(random: np.random.Generator, compiled: bool) -> Step:
    x, t = random.random((100, 784)), random.integers(0, 10, 100)
    model = perceptron(784, 1000, 10)
    return on_one_batch(model, optim.Adam(1e-3), ct.softmax_cross_entropy, x, t, compiled)


def lenet(random: np.random.Generator, compiled: bool) -> Step:
    x, t = random.random((64, 1, 28, 28)), random.integers(0, 10, 64)
    return on_one_batch(LeNet(), optim.SGD(0.01), ct.softmax_cross_entropy, x, t, compiled)


def char_rnn(random: np.random.Generator, compiled: bool) -> Step:
    texts = [random.integers(0, 96, (n + 1, 32)).astype(np.int32) for n in text_lengths()]
    batches = [(constant(text[:-1]), constant(text[1:].reshape(-1))) for text in texts]
    adam = optim.Adam(1e-3)
    model = CharRnn(96, 256)
    step = training(
        model, adam, ct.softmax_cross_entropy, cycle(batches), compiled, count=len(texts)
    )
    adam.add_hook(optim.GradientClipping(5.0))
    return step


def chain(x: Any, y: Any) -> ct.Variable:
    """200 small operations and a sum."""
    h = x
    for _ in range(100):
        h = (h + y) * y
    return ct.sum(h)


def small_ops(random: np.random.Generator, compiled: bool) -> Step:
    x, y = (ct.Variable(random.random(16).astype(np.float32)) for _ in range(2))
    if compiled:
        region = ct.jit(lambda x, y: ct.grad([chain(x, y)], [x, y]))
        return Step(lambda: region(x, y))

    def step() -> None:
        x.cleargrad()
        y.cleargrad()
        chain(x, y).backward()

    return Step(step)


WORKLOADS = {f.__name__: f for f in (mushroom, mlp, lenet, char_rnn, small_ops)}


def prepare(name: str, compiled: bool) -> Step:
    """The step of a workload: eager, or one static region."""
    return WORKLOADS[name](np.random.default_rng(0), compiled)
