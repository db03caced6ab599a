"""A small convolutional network on 8x8 digits, eager, then compiled from the same seed.

    python digits.py
    python digits.py --epoch 2 --explain

The network, the data and the numbers are those of examples/digits in C++.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import catena as ct
import numpy as np
from catena import nn, optim

DATA = Path(__file__).resolve().parent.parent / "digits" / "data"
Step = Callable[[Any, Any], ct.Variable]


class ConvNet(nn.Module):
    def __init__(self) -> None:
        self.c1 = nn.Conv2d(1, 16, 3, pad=1)
        self.c2 = nn.Conv2d(16, 32, 3, pad=1)
        self.l1 = nn.Linear(32 * 4 * 4, 128)
        self.l2 = nn.Linear(128, 10)

    def forward(self, x: Any) -> ct.Variable:
        h = ct.max_pooling_2d(ct.relu(self.c2(ct.relu(self.c1(x)))), 2)
        return self.l2(ct.dropout(ct.relu(self.l1(h)), 0.5))


def digits(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Images [N, 1, 8, 8] with pixels in [0, 1], and their digits, of a file of UCI's optdigits."""
    rows = np.loadtxt(path, delimiter=",", dtype=np.int32)
    return (rows[:, :64] / 16).astype(np.float32).reshape(-1, 1, 8, 8), rows[:, 64]


def train(mode: str, options: argparse.Namespace) -> tuple[float, float]:
    """Milliseconds of an iteration, and the accuracy on the test set."""
    np.random.seed(options.seed)
    ct.random.seed(options.seed)
    x, t = digits(options.data / "optdigits.tra")
    x_test, t_test = digits(options.data / "optdigits.tes")
    model = ConvNet()
    adam = optim.Adam(alpha=0.003).setup(model)

    def step(x: Any, t: Any) -> ct.Variable:
        loss = ct.softmax_cross_entropy(model(x), t)
        model.cleargrads()
        loss.backward()
        adam.update()
        return loss

    # The only difference: the same step, compiled.
    run: Step = ct.jit(step) if mode == "compiled" else step
    times: list[float] = []
    accuracy = 0.0
    for epoch in range(1, options.epoch + 1):
        loss = 0.0
        for x_batch, t_batch in ct.data.Batches(x, t, size=options.batchsize):
            begin = time.perf_counter()
            loss += run(x_batch, t_batch).item() * len(t_batch)
            times.append(1e3 * (time.perf_counter() - begin))
        adam.alpha *= 0.75  # A compiled step reads it at every call: nothing is compiled anew.
        with ct.test_mode(), ct.no_backprop_mode():
            accuracy = 100 * ct.accuracy(model(x_test), t_test).item()
        print(
            f"{mode:<9} epoch {epoch:>2}  loss {loss / len(t):.4f}  test accuracy {accuracy:.2f} %",
            flush=True,
        )
    if isinstance(run, ct.StaticGraph) and options.explain:
        print(run.explain())
    return statistics.median(times), accuracy


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("-e", "--epoch", type=int, default=3, help="sweeps over the training set")
    parser.add_argument("-b", "--batchsize", type=int, default=64, help="images in a mini-batch")
    parser.add_argument("--data", type=Path, default=DATA, help="folder of optdigits.tra and .tes")
    parser.add_argument("--device", default="cpu", help='"cpu" or "cuda:0"')
    parser.add_argument("--explain", action="store_true", help="show what was compiled")
    parser.add_argument("--seed", type=int, default=0, help="of weights and order")
    options = parser.parse_args(arguments)
    try:
        with ct.using_device(options.device):
            results = {mode: train(mode, options) for mode in ("eager", "compiled")}
    except (ct.Error, OSError) as error:
        print(f"digits.py: {error}", file=sys.stderr)
        return 1
    print(f"\n{'':<10} {'iteration':>14} {'test accuracy':>14}")
    for mode, (milliseconds, accuracy) in results.items():
        print(f"{mode:<10} {milliseconds:>11.3f} ms {accuracy:>12.2f} %")
    return 0


if __name__ == "__main__":
    sys.exit(main())
