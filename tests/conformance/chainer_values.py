#!/usr/bin/env python3
"""What Chainer 7.8.1 gives for calls of its functions, written to chainer_values.json beside this file.

    python3 -m venv chainer
    chainer/bin/pip install 'setuptools<60' wheel numpy==1.23.5
    chainer/bin/pip install --no-build-isolation chainer==7.8.1 scipy==1.10.1
    chainer/bin/python tests/conformance/chainer_values.py

chainer_values_test.cpp calls the same functions of Catena by name. A line of the file is one call: arrays and settings as
Catena's function takes them, the results, gy, and the gradients towards float arrays (null: not differentiable)."""
import json
import pathlib

import chainer
import chainer.functions as F
import numpy as np

cases = []


class Draw:
    """Numbers of three digits, the same at every run."""

    def __init__(self, seed):
        self.random = np.random.RandomState(seed)

    def uniform(self, *shape, low=-2, high=2, dtype=np.float64):
        return np.round(self.random.uniform(low, high, shape), 3).astype(dtype)

    def integers(self, *shape, low=0, high=2):
        return self.random.randint(low, high, shape).astype(np.int32)


def flat(results):
    """Variables and arrays of nested tuples and lists, in order."""
    if isinstance(results, (tuple, list)):
        return [y for result in results for y in flat(result)]
    return [results if isinstance(results, chainer.Variable) else chainer.Variable(np.asarray(results))]


def digits(array):
    return [float(f"{x:.10g}") if np.isfinite(x) else str(x) for x in np.ravel(array).tolist()]


def described(array):
    return {"dtype": str(array.dtype), "shape": list(array.shape), "values": digits(array)}


def case(function, arrays, run=None, note="", **settings):
    """`run` calls Chainer where it is called otherwise than F.function(*arrays, **settings)."""
    run = run or getattr(F, function)
    inputs = [chainer.Variable(a) if a.dtype.kind == "f" else a for a in arrays]
    outputs = flat(run(*inputs, **settings))
    draw = Draw(len(cases))
    gy, losses = [], []
    for y in outputs:
        if y.creator is None or y.dtype.kind != "f":
            gy.append(None)
            continue
        gy.append(draw.uniform(*y.shape))
        losses.append(F.sum(y * gy[-1].astype(y.dtype)))
    variables = [x for x in inputs if isinstance(x, chainer.Variable)]
    gradients = [None] * len(inputs)
    if losses:
        found = chainer.grad([sum(losses)], variables)
        for x, gx in zip(variables, found):
            gradients[[i for i, y in enumerate(inputs) if y is x][0]] = None if gx is None else gx.array
    cases.append({
        "function": function, "note": note, "settings": {k: repr(v) for k, v in settings.items()},
        "inputs": [described(a) for a in arrays],
        "outputs": [described(y.array) for y in outputs],
        "gy": [None if g is None else digits(g) for g in gy],
        "gradients": [None if g is None else digits(g) for g in gradients]})


def losses():
    d = Draw(1)
    for reduce in ("sum", "mean", "no"):
        for shape in ((3, 4), (2, 1, 3)):
            case("bernoulli_nll", [d.uniform(*shape, low=0, high=1), d.uniform(*shape, low=-4, high=4)], reduce=reduce)
            case("gaussian_nll", [d.uniform(*shape), d.uniform(*shape), d.uniform(*shape)], reduce=reduce)
            case("gaussian_kl_divergence", [d.uniform(*shape), d.uniform(*shape)], reduce=reduce)
    for norm in ("L1", "L2"):
        for reduce in ("mean", "no"):
            case("hinge", [d.uniform(4, 3), d.integers(4, high=3)], norm=norm, reduce=reduce)
    for reduce in ("mean", "no"):
        case("triplet", [d.uniform(4, 3), d.uniform(4, 3), d.uniform(4, 3)], reduce=reduce)
        case("triplet", [d.uniform(2, 3, 2), d.uniform(2, 3, 2), d.uniform(2, 3, 2)], margin=1.5, reduce=reduce)
        x0, x1 = d.uniform(4, 3), d.uniform(4, 3)
        x1[2] = x0[2]
        case("contrastive", [x0, x1, np.array([1, 0, 0, 0], np.int32)], reduce=reduce)
        case("contrastive", [x0, x1, np.array([0, 1, 0, 1], np.int32)], margin=4.0, reduce=reduce)
    for reduce in ("half_squared_sum", "no"):
        case("cross_covariance", [d.uniform(5, 3), d.uniform(5, 2)], reduce=reduce)
        case("decov", [d.uniform(5, 3)], reduce=reduce)
    for images, instances in ((1, 3), (2, 2)):  # Chainer broadcasts images against instances: one or as many.
        case("discriminative_margin_based_clustering_loss",
             [d.uniform(images, instances, 3, 2), d.integers(images, 3, 2, low=0, high=instances + 1)],
             delta_v=0.3, delta_d=1.5, max_embedding_dim=instances, norm=1, alpha=2.0, beta=0.5, gamma=0.1)
    lengths = (4, 4, 2, 1)
    xs, ys = [d.uniform(n, 3) for n in lengths], [d.integers(n, high=3) for n in lengths]
    for reduce in ("mean", "no"):
        case("crf1d", [d.uniform(3, 3), *xs, *ys], reduce=reduce,
             run=lambda cost, *rest, reduce: F.crf1d(cost, rest[:4], rest[4:], reduce))
    case("argmax_crf1d", [d.uniform(3, 3), *xs], run=lambda cost, *rest: F.argmax_crf1d(cost, rest))


def main():
    chainer.config.dtype = np.float64
    losses()
    lines = ",\n".join(json.dumps(c, separators=(",", ":")) for c in cases)
    path = pathlib.Path(__file__).with_suffix(".json")
    path.write_text(f"[\n{lines}\n]\n")
    print(f"{len(cases)} calls of {len({c['function'] for c in cases})} functions in {path}")


if __name__ == "__main__":
    main()
