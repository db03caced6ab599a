"""The multilayer perceptron of Chainer's train_mnist, with its flags: compiled unless --eager.

python examples/python/mnist.py                  # 20 epochs, 1000 units; downloads MNIST once
python examples/python/mnist.py --eager -e 3     # the same without the compiler
python examples/python/mnist.py --data DIR       # the four files train-images-idx3-ubyte.gz ...
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from typing import Any

import catena as ct
import numpy as np
from catena import nn, optim


class MLP(nn.Module):
    """Two hidden layers."""

    def __init__(self, units: int, classes: int = 10) -> None:
        self.l1 = nn.Linear(units)
        self.l2 = nn.Linear(units)
        self.l3 = nn.Linear(classes)

    def forward(self, x: Any) -> ct.Variable:
        return self.l3(ct.relu(self.l2(ct.relu(self.l1(x)))))


def evaluate(model: MLP, batches: ct.data.Batches) -> tuple[float, float]:
    """The mean loss and accuracy."""
    loss = correct = count = 0.0
    with ct.test_mode(), ct.no_backprop_mode():
        for x, t in batches:
            y = model(x)
            loss += ct.softmax_cross_entropy(y, t).item() * len(t)
            correct += ct.accuracy(y, t).item() * len(t)
            count += len(t)
    return loss / count, correct / count


def train(options: argparse.Namespace) -> float:
    """The accuracy on the test set."""
    (x, t), test = ct.datasets.mnist(options.data, options.url)
    model = MLP(options.unit)
    adam = optim.Adam().setup(model)
    parts = {"model": model, "optimizer": adam}
    if options.resume:
        ct.load(options.resume, parts)

    def step(x: Any, t: Any) -> tuple[ct.Variable, ct.Variable]:
        y = model(x)
        loss = ct.softmax_cross_entropy(y, t)
        model.cleargrads()
        loss.backward()
        adam.update()
        return loss, ct.accuracy(y, t)

    if not options.eager:
        step = ct.jit(step)
    batches = ct.data.Batches(x, t, size=options.batchsize)
    test_batches = ct.data.Batches(*test, size=options.batchsize, shuffle=False)
    os.makedirs(options.out, exist_ok=True)
    print("epoch  main/loss  validation/loss  main/accuracy  validation/accuracy  elapsed_time")
    accuracy, begin = 0.0, time.perf_counter()
    for epoch in range(adam.epoch + 1, options.epoch + 1):
        sums = np.zeros(2)
        for x_batch, t_batch in batches:
            loss, right = step(x_batch, t_batch)
            sums += loss.item() * len(t_batch), right.item() * len(t_batch)
        adam.new_epoch()
        test_loss, accuracy = evaluate(model, test_batches)
        main_loss, main_accuracy = sums / len(t)
        elapsed = time.perf_counter() - begin
        print(
            f"{epoch:<7}{main_loss:<11.6g}{test_loss:<17.6g}{main_accuracy:<15.6g}"
            f"{accuracy:<21.6g}{elapsed:.4g}",
            flush=True,
        )
        ct.save(os.path.join(options.out, "mlp.npz"), parts)
    return accuracy


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("-b", "--batchsize", type=int, default=100, help="images in a mini-batch")
    parser.add_argument("-e", "--epoch", type=int, default=20, help="sweeps over the training set")
    parser.add_argument("-u", "--unit", type=int, default=1000, help="hidden units of a layer")
    parser.add_argument("-o", "--out", default="result", help="folder for what is saved")
    parser.add_argument("-r", "--resume", help="file to go on from, OUT/mlp.npz")
    parser.add_argument("--data", help="folder of the four MNIST files; else they are downloaded")
    parser.add_argument("--url", help="where to download from instead of the usual places")
    parser.add_argument("--device", default="cpu", help='"cpu" or "cuda:0"')
    parser.add_argument("--eager", action="store_true", help="without the compiler")
    parser.add_argument("--seed", type=int, default=0, help="of weights and order")
    options = parser.parse_args(arguments)
    np.random.seed(options.seed)
    ct.random.seed(options.seed)
    try:
        with ct.using_device(options.device):
            print(f"validation accuracy {train(options):.4f}")
    except ct.Error as error:
        print(f"mnist.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
