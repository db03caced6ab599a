"""A character RNN: an LSTM learns a text letter by letter, and writes more of it.

python examples/python/char_rnn.py                     # learns this file
python examples/python/char_rnn.py --data book.txt -e 20
"""

from __future__ import annotations

import argparse
import math
import os
import sys
from typing import Any

import catena as ct
import numpy as np
from catena import nn, optim


class CharRNN(nn.Module):
    """Letters as numbers [N, length] to scores of the next one [N * length, letters]."""

    def __init__(self, letters: int, units: int, layers: int, dropout: float) -> None:
        self.embed = nn.Embedding(letters, units)
        self.lstm = nn.LSTM(units, units, layers, dropout=dropout)
        self.out = nn.Linear(units, letters)

    def forward(
        self, letters: Any, h: Any = None, c: Any = None
    ) -> tuple[ct.Variable, ct.Variable, ct.Variable]:
        h, c, ys = self.lstm(self.embed(letters), h, c)
        return self.out(ys.reshape(-1, ys.shape[-1])), h, c


def windows(numbers: np.ndarray, batchsize: int, length: int) -> list[np.ndarray]:
    """The text as `batchsize` columns that are read side by side: [batchsize, length + 1] each, the
    last letter of one being the first of the next."""
    columns = (len(numbers) - 1) // batchsize
    if columns < length:
        raise ValueError(
            f"the text has {len(numbers)} letters: too few for {batchsize} columns of {length}"
        )
    rows = np.stack([numbers[i * columns : (i + 1) * columns + 1] for i in range(batchsize)])
    return [rows[:, i : i + length + 1] for i in range(0, columns - length + 1, length)]


def train(options: argparse.Namespace) -> float:
    """The perplexity of a letter at the end."""
    with open(options.data, encoding="utf-8") as file:
        text = file.read()
    alphabet = sorted(set(text))
    numbers = np.array([alphabet.index(letter) for letter in text], np.int32)
    model = CharRNN(len(alphabet), options.unit, options.layers, options.dropout)
    adam = optim.Adam(options.alpha).setup(model)
    adam.add_hook(optim.GradientClipping(5.0))

    def step(letters: Any, h: Any, c: Any) -> tuple[ct.Variable, ct.Variable, ct.Variable]:
        y, h, c = model(letters[:, :-1], h, c)
        loss = ct.softmax_cross_entropy(y, letters[:, 1:].reshape(-1))
        model.cleargrads()
        loss.backward()
        adam.update()
        # The state goes on, its graph does not: truncated backpropagation.
        return loss, h.detach(), c.detach()

    if not options.eager:
        step = ct.jit(step)
    states = (options.layers, options.batchsize, options.unit)
    perplexity = math.inf
    for epoch in range(1, options.epoch + 1):
        h, c = ct.zeros(states), ct.zeros(states)
        losses = []
        for letters in windows(numbers, options.batchsize, options.length):
            loss, h, c = step(letters, h, c)
            losses.append(loss.item())
        perplexity = math.exp(np.mean(losses))
        print(f"epoch {epoch}: perplexity {perplexity:.3f}", flush=True)
    os.makedirs(options.out, exist_ok=True)
    ct.save(
        os.path.join(options.out, "char_rnn.npz"), {"model": model, "alphabet": "".join(alphabet)}
    )
    print(sample(model, alphabet, options.sample, options.temperature))
    return perplexity


def sample(model: CharRNN, alphabet: list[str], count: int, temperature: float) -> str:
    """A text that the model writes."""
    letter, h, c = np.zeros((1, 1), np.int32), None, None
    written = []
    with ct.test_mode(), ct.no_backprop_mode():
        for _ in range(count):
            y, h, c = model(letter, h, c)
            chances = ct.softmax(y / temperature).array[0].astype(np.float64)
            letter[0, 0] = np.random.choice(len(alphabet), p=chances / chances.sum())
            written.append(alphabet[letter[0, 0]])
    return "".join(written)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", default=__file__, help="text file, UTF-8")
    parser.add_argument("-b", "--batchsize", type=int, default=8, help="columns of the text")
    parser.add_argument("-l", "--length", type=int, default=32, help="letters that backward sees")
    parser.add_argument("-e", "--epoch", type=int, default=40, help="sweeps over the text")
    parser.add_argument("-u", "--unit", type=int, default=128, help="units of a layer")
    parser.add_argument("--layers", type=int, default=1, help="layers of the LSTM")
    parser.add_argument("--dropout", type=float, default=0.0, help="between layers")
    parser.add_argument("--alpha", type=float, default=3e-3, help="step size of Adam")
    parser.add_argument("--sample", type=int, default=200, help="letters written at the end")
    parser.add_argument("--temperature", type=float, default=0.7, help="1: as learned; 0.1: sure")
    parser.add_argument("-o", "--out", default="result", help="folder for the weights")
    parser.add_argument("--device", default="cpu", help='"cpu" or "cuda:0"')
    parser.add_argument("--eager", action="store_true", help="without the compiler")
    parser.add_argument("--seed", type=int, default=0, help="of weights and the text written")
    options = parser.parse_args(arguments)
    np.random.seed(options.seed)
    ct.random.seed(options.seed)
    try:
        with ct.using_device(options.device):
            print(f"perplexity {train(options):.3f}")
    except (ct.Error, OSError, ValueError) as error:
        print(f"char_rnn.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
