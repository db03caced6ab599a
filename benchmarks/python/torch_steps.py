"""The workloads of workloads.py, written with PyTorch; run by an interpreter that has it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import cycle
from typing import Any

import torch
from steps import Step, text_lengths
from torch import nn
from torch.nn import functional as F

Wrap = Callable[[Any], Any]
"""torch.compile, or nothing."""


class CharRnn(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(96, 256)
        self.lstm = nn.LSTM(256, 256)
        self.out = nn.Linear(256, 96)

    def forward(self, text: Any) -> Any:
        return self.out(self.lstm(self.embed(text))[0]).reshape(-1, 96)


def perceptron(inputs: int, hidden: int, outputs: int) -> nn.Module:
    return nn.Sequential(
        nn.Linear(inputs, hidden),
        nn.ReLU(),
        nn.Linear(hidden, hidden),
        nn.ReLU(),
        nn.Linear(hidden, outputs),
    )


def training(
    model: Any,
    optimizer: torch.optim.Optimizer,
    loss_of: Any,
    batches: Iterator[tuple[Any, Any]],
    *,
    clip: float | None = None,
    count: int = 1,
) -> Step:
    def step() -> Any:
        x, t = next(batches)
        optimizer.zero_grad(set_to_none=True)
        loss = loss_of(model(x), t)
        loss.backward()
        if clip is not None:
            nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimizer.step()
        return loss

    return Step(step, count)


def mushroom(wrap: Wrap) -> Step:
    model = wrap(perceptron(22, 44, 1))
    batch = (torch.rand(100, 22), torch.randint(0, 2, (100, 1)).float())
    sgd = torch.optim.SGD(model.parameters(), 0.01)
    return training(model, sgd, F.binary_cross_entropy_with_logits, cycle([batch]))


def mlp(wrap: Wrap) -> Step:
    model = wrap(perceptron(784, 1000, 10))
    batch = (torch.rand(100, 784), torch.randint(0, 10, (100,)))
    adam = torch.optim.Adam(model.parameters(), 1e-3)
    return training(model, adam, F.cross_entropy, cycle([batch]))


def lenet(wrap: Wrap) -> Step:
    model = wrap(
        nn.Sequential(
            nn.Conv2d(1, 6, 5, padding=2),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(6, 16, 5),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Flatten(),
            nn.Linear(400, 120),
            nn.ReLU(),
            nn.Linear(120, 84),
            nn.ReLU(),
            nn.Linear(84, 10),
        )
    )
    batch = (torch.rand(64, 1, 28, 28), torch.randint(0, 10, (64,)))
    sgd = torch.optim.SGD(model.parameters(), 0.01)
    return training(model, sgd, F.cross_entropy, cycle([batch]))


def char_rnn(wrap: Wrap) -> Step:
    model = wrap(CharRnn())
    texts = [torch.randint(0, 96, (n + 1, 32)) for n in text_lengths()]
    batches = [(text[:-1], text[1:].reshape(-1)) for text in texts]
    adam = torch.optim.Adam(model.parameters(), 1e-3)
    return training(model, adam, F.cross_entropy, cycle(batches), clip=5.0, count=len(texts))


def small_ops(wrap: Wrap) -> Step:
    x, y = torch.rand(16, requires_grad=True), torch.rand(16, requires_grad=True)

    def chain(x: Any, y: Any) -> Any:
        h = x
        for _ in range(100):
            h = (h + y) * y
        return h.sum()

    f = wrap(chain)

    def step() -> None:
        x.grad = y.grad = None
        f(x, y).backward()

    return Step(step)


WORKLOADS = {f.__name__: f for f in (mushroom, mlp, lenet, char_rnn, small_ops)}


def prepare(name: str, compiled: bool, threads: int) -> Step:
    """The step of a workload, its model by torch.compile where `compiled`."""
    torch.set_num_threads(threads)
    return WORKLOADS[name](torch.compile if compiled else lambda f: f)
