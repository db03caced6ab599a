#!/usr/bin/env python3
"""What Chainer 7.8.1 gives for its functions over sequences, written to chainer_values_recurrent.json beside this file. As
chainer_values.py, whose tools it uses:

    chainer/bin/python tests/conformance/chainer_values_recurrent.py
"""
import pathlib

import chainer
import chainer.functions as F
import numpy as np

from chainer_values import Draw, case, write

LENGTHS = (4, 2, 1)  # Of the sequences; the steps have 3, 2, 1 and 1 of them.
STEPS = [sum(length > t for length in LENGTHS) for t in range(max(LENGTHS))]


def n_step(d, function, layers, gates, **settings):
    """Arrays in the order of the call by name: hx(, cx), ws, bs, xs."""
    directions = 2 if "bi" in function else 1
    memory = "lstm" in function
    units, features, count = 3, 2, layers * directions
    states = [d.uniform(count, len(LENGTHS), units) for _ in range(2 if memory else 1)]
    widths = [[features if k < directions else units * directions] * gates + [units] * gates for k in range(count)]
    ws = [[d.uniform(units, w, low=-1, high=1) for w in layer] for layer in widths]
    bs = [[d.uniform(units, low=-1, high=1) for _ in layer] for layer in widths]
    xs = [d.uniform(n, features) for n in STEPS]

    def run(*arrays, n_layers, dropout_ratio, **settings):
        rest = list(arrays)
        take = lambda n: [rest.pop(0) for _ in range(n)]
        first = take(len(states))
        lists = [[take(2 * gates) for _ in range(count)] for _ in range(2)]
        return getattr(F, function)(n_layers, dropout_ratio, *first, *lists, rest, **settings)

    flat = states + [w for layer in ws for w in layer] + [b for layer in bs for b in layer] + xs
    case(function, flat, run=run, n_layers=layers, dropout_ratio=0.0, **settings)


def recurrent():
    d = Draw(21)
    n_step(d, "n_step_rnn", 2, 1)
    n_step(d, "n_step_rnn", 1, 1, activation="relu")
    n_step(d, "n_step_birnn", 2, 1, activation="relu")
    n_step(d, "n_step_gru", 2, 3)
    n_step(d, "n_step_bigru", 1, 3)
    n_step(d, "n_step_lstm", 1, 4)
    n_step(d, "n_step_bilstm", 2, 4)


def ctc():
    d = Draw(22)
    t = np.array([[0, 2], [2, 2], [1, 0]], np.int32)
    lengths = [np.array([5, 3, 4], np.int32), np.array([2, 1, 2], np.int32)]

    def run(*arrays, blank_symbol, reduce):
        xs = [a for a in arrays if a.ndim == 2 and a.dtype.kind == "f"]
        t, *lengths = arrays[len(xs):]
        return F.connectionist_temporal_classification(xs, t, blank_symbol, *lengths, reduce=reduce)

    for reduce in ("mean", "no"):
        for rest in ([t], [t, lengths[0]], [t] + lengths):
            case("connectionist_temporal_classification", [d.uniform(3, 4) for _ in range(5)] + rest, run=run, blank_symbol=3,
                 reduce=reduce)


def sampled_losses():
    d = Draw(23)

    def negative_sampling(x, t, W, samples, reduce):
        return F.negative_sampling(x, t, W, lambda shape: np.hstack([t[:, None], samples]), samples.shape[1], reduce=reduce)

    for reduce in ("sum", "no"):
        case("negative_sampling", [d.uniform(3, 2), np.array([1, -1, 3], np.int32), d.uniform(5, 2), d.integers(3, 4, high=5)],
             run=negative_sampling, reduce=reduce)
    for reduce in ("mean", "no"):
        case("black_out", [d.uniform(3, 2), np.array([1, 0, 3], np.int32), d.uniform(5, 2), d.integers(3, 4, high=5)], reduce=reduce)


def main():
    chainer.config.dtype = np.float64
    recurrent()
    ctc()
    sampled_losses()
    write(pathlib.Path(__file__).with_suffix(".json"))


if __name__ == "__main__":
    main()
