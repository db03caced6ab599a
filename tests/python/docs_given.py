"""What the pieces of Python on pages of docs/ take as given, as tests/structure/snippets_prelude.h
has it for C++. They are executed among these names, a page at a time."""

from __future__ import annotations

import catena as ct
import numpy as np
from catena import nn, optim


class MLP(nn.Module):
    def __init__(self, units: int = 32) -> None:
        self.l1 = nn.Linear(784, units)
        self.l2 = nn.Linear(units, 10)

    def forward(self, x: object) -> ct.Variable:
        return self.l2(ct.relu(self.l1(x)))


model = MLP()
adam = optim.Adam().setup(model)
optimizer = optim.MomentumSGD(0.01).setup(model)
images = np.ones((8, 784), np.float32)
labels = np.zeros(8, np.int32)
x = ct.Variable(images, requires_grad=False)
t = ct.Variable(labels, requires_grad=False)
batches = [(images, labels)] * 2
sentences = [np.ones((length, 128), np.float32) for length in (3, 5, 2)]
block = nn.Linear(784, 784)
mean = ct.Variable(np.zeros((8, 16), np.float32))
log_deviation = ct.Variable(np.zeros((8, 16), np.float32))
decoder = nn.Linear(16, 784)


@ct.jit
def step(x: object, t: object) -> ct.Variable:
    loss = ct.softmax_cross_entropy(model(x), t)
    model.cleargrads()
    loss.backward()
    adam.update()
    return loss
