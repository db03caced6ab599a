#!/usr/bin/env python3
"""What Chainer 7.8.1's recurrent links and links of losses give, written to chainer_recurrent.npz beside this file.

    python3 -m venv chainer
    chainer/bin/pip install 'setuptools<60' wheel numpy==1.23.5
    chainer/bin/pip install --no-build-isolation chainer==7.8.1
    chainer/bin/python tests/conformance/chainer_recurrent.py

tests/frontend/chainer_recurrent_test.cpp makes the same links, gives them the parameters that Chainer saved ("GRU/saved/W/b", in
Chainer's own keys), calls them with x0, x1, ... and compares the results y0, y1, ..., and the gradients towards inputs (gx0) and
parameters ("GRU/grad/W/b") for the loss sum(y0 * gy0) + ..."""
import io
import pathlib

import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np

arrays = {}


def numbers(shape, seed):
    return np.round(np.random.RandomState(seed).uniform(-1, 1, shape), 3).astype(np.float32)


def saved(link):
    file = io.BytesIO()
    chainer.serializers.save_npz(file, link)
    file.seek(0)
    return dict(np.load(file, allow_pickle=True))


def flat(results):
    if isinstance(results, (tuple, list)):
        return [y for result in results for y in flat(result)]
    return [results]


def case(name, link, shapes, run=lambda link, *xs: link(*xs)):
    for k, (path, param) in enumerate(sorted(link.namedparams())):
        param.array[...] = numbers(param.shape, k + 1)
    for key, value in saved(link).items():
        arrays[f"{name}/saved/{key}"] = value
    xs = [chainer.Variable(numbers(shape, 100 + i)) for i, shape in enumerate(shapes)]
    ys = flat(run(link, *xs))
    gys = [numbers(y.shape, 50 + i) for i, y in enumerate(ys)]
    link.cleargrads()
    sum(F.sum(y * gy) for y, gy in zip(ys, gys)).backward()
    for i, x in enumerate(xs):
        arrays[f"{name}/x{i}"] = x.array
        if x.grad is not None:
            arrays[f"{name}/gx{i}"] = x.grad
    for i, (y, gy) in enumerate(zip(ys, gys)):
        arrays[f"{name}/y{i}"], arrays[f"{name}/gy{i}"] = y.array, gy
    for path, param in link.namedparams():
        if param.grad is not None:
            arrays[f"{name}/grad{path}"] = param.grad


def n_step():
    """hx(, cx), then sequences in no order of their lengths."""
    lengths = (2, 4, 1, 4)
    for name, states in (("NStepRNNTanh", 1), ("NStepRNNReLU", 1), ("NStepBiRNNTanh", 1), ("NStepBiRNNReLU", 1), ("NStepGRU", 1),
                         ("NStepBiGRU", 1), ("NStepLSTM", 2), ("NStepBiLSTM", 2)):
        directions = 2 if "Bi" in name else 1
        shapes = [(2 * directions, len(lengths), 3)] * states + [(n, 2) for n in lengths]
        case(name, getattr(L, name)(2, 2, 3, 0.0), shapes, run=lambda link, *xs, n=states: link(*xs[:n], list(xs[n:])))
    case("NStepLSTM_zeros", L.NStepLSTM(1, 2, 3, 0.0), [(n, 2) for n in lengths], run=lambda link, *xs: link(None, None, list(xs)))


def steps():
    every = lambda link, *xs: [link(x) for x in xs]
    two_steps = [(3, 2)] * 3
    case("StatelessGRU", L.StatelessGRU(2, 4), [(3, 4), (3, 2)])
    case("StatefulGRU", L.StatefulGRU(2, 4), two_steps, run=every)
    case("StatelessMGU", L.StatelessMGU(2, 4), [(3, 4), (3, 2)])
    case("StatefulMGU", L.StatefulMGU(2, 4), two_steps, run=every)
    case("StatelessLSTM", L.StatelessLSTM(2, 4), [(3, 4), (3, 4), (3, 2)])
    case("StatelessLSTM_zeros", L.StatelessLSTM(2, 4), [(3, 2)], run=lambda link, x: link(None, None, x))
    case("StatefulPeepholeLSTM", L.StatefulPeepholeLSTM(2, 4), two_steps, run=every)
    with chainer.using_config("train", False):
        case("StatefulZoneoutLSTM", L.StatefulZoneoutLSTM(2, 4), two_steps, run=every)


def trees():
    def node(link, *arrays):
        return link(*arrays)
    for children in (1, 3):
        case(f"ChildSumTreeLSTM_{children}", L.ChildSumTreeLSTM(2, 4), [(3, 4)] * 2 * children + [(3, 2)], run=node)
    case("ChildSumTreeLSTM_leaf", L.ChildSumTreeLSTM(2, 4), [(3, 2)])
    case("ChildSumTreeLSTM_part", L.ChildSumTreeLSTM(2, 4), [(3, 4), (3, 4)],
         run=lambda link, c, h: link(c, None, None, h, None))
    case("NaryTreeLSTM", L.NaryTreeLSTM(2, 4), [(3, 4)] * 4 + [(3, 2)], run=node)
    case("NaryTreeLSTM_part", L.NaryTreeLSTM(2, 4, 3), [(3, 4), (3, 4), (3, 2)],
         run=lambda link, c, h, x: link(c, None, None, None, h, None, x))


def losses():
    """Chainer's W of the sampled losses is kept; what is drawn is in the tests of the functions."""
    tree = L.BinaryHierarchicalSoftmax.create_huffman_tree({0: 8, 1: 5, 2: 6, 3: 4, 4: 5, 5: 1})
    words = np.array([0, 4, 2, 5], np.int32)
    case("BinaryHierarchicalSoftmax", L.BinaryHierarchicalSoftmax(3, tree), [(4, 3)], run=lambda link, x: link(x, words))
    labels = [np.array(y, np.int32) for y in ([1, 0], [2, 2, 0, 1], [0], [1, 1, 2])]
    sequences = [(len(y), 3) for y in labels]
    case("CRF1d", L.CRF1d(3), sequences, run=lambda link, *xs: link(list(xs), labels, transpose=True))
    case("CRF1d_no", L.CRF1d(3), sequences, run=lambda link, *xs: link(list(xs), labels, reduce="no", transpose=True))
    link = L.CRF1d(3)
    link.cost.array[...] = numbers((3, 3), 1)
    _, path = link.argmax([numbers(shape, 100 + i) for i, shape in enumerate(sequences)], transpose=True)
    for i, y in enumerate(path):
        arrays[f"CRF1d/path{i}"] = y
    samples = np.array([[0, 2], [1, 1], [3, 4]], np.int32)
    link = L.BlackOut(3, [4, 3, 2, 1, 1], 2)
    link.sample_data = samples
    case("BlackOut", link, [(3, 3)], run=lambda link, x: link(x, np.array([1, 0, 2], np.int32)))


def main():
    losses()
    n_step()
    steps()
    trees()
    path = pathlib.Path(__file__).with_suffix(".npz")
    np.savez_compressed(path, **arrays)
    print(f"{len(arrays)} arrays in {path}")


if __name__ == "__main__":
    main()
