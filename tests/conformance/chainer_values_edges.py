#!/usr/bin/env python3
"""As chainer_values.py, at the edges of functions: ties, zeros, infinities, NaN, labels that are all ignored, sequences of one
step, regions beside the image: writes chainer_values_edges.json beside this file."""
import pathlib
import warnings

import chainer
import chainer.functions as F
import numpy as np

from chainer_values import Draw, case, write
from chainer_values_recurrent import n_step
import chainer_values_recurrent as recurrent

INF, NAN = np.inf, np.nan


def row(*values):
    return np.array([values], np.float64)


def kinks():
    """Values and gradients where a function has a corner."""
    for function in ("relu", "relu6", "hard_sigmoid", "elu", "selu", "leaky_relu", "softplus", "absolute", "sign", "log_softmax",
                     "softmax", "sigmoid", "tanh", "clipped_relu", "ceil", "floor", "fix", "square", "expm1", "log1p", "sinh", "arctan"):
        values = [0.0, -0.0, 2.5, -2.5, 6, -1, 1, 40, -40]
        if function == "log1p":
            values = [0.0, 1e-9, 2.5, 40]
        case(function, [row(*values)])
    case("clip", [row(-1, 1, 0, -2, 3)], run=lambda x, x_min, x_max: F.clip(x, x_min, x_max), x_min=-1.0, x_max=1.0)
    case("huber_loss", [row(1, -1, 0, 3, -4), row(0, 0, 0, 0, 0)], delta=1.0)
    case("mean_absolute_error", [row(1, 2, 3), row(1, 1, 5)])
    case("absolute_error", [row(1, 2, 3), row(1, 1, 5)])
    case("hinge", [np.array([[1.0, 0, 2], [-1, 1, 0.5]]), np.array([1, 0], np.int32)])
    case("maximum", [row(1, 2, 0, -0.0), row(1, 3, -0.0, 0)])
    case("minimum", [row(1, 2, 5), row(1, 3, 4)])
    case("fmod", [row(5, -5, 5, -5, 0), row(3, 3, -3, -3, 2)])
    case("arctan2", [row(0, 1, 0, -1, 1), row(1, 0, -1, 0, 1)])


def infinite():
    """Values alone: gradients are what arithmetic makes of them."""
    def alone(function, *arrays, **settings):
        f = getattr(F, function)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            case(function, list(arrays), run=lambda *xs, **s: f(*[x.array if isinstance(x, chainer.Variable) else x for x in xs], **s).array,
                 **settings)
    x = row(NAN, INF, -INF, 0, 1)
    for function in ("relu", "sigmoid", "tanh", "softplus", "exp", "expm1", "log", "sqrt", "absolute", "sign", "floor", "ceil", "square",
                     "elu", "hard_sigmoid", "leaky_relu", "clipped_relu", "arctan", "erf", "erfc", "lgamma", "ndtr", "log_ndtr", "digamma"):
        alone(function, x)
    alone("logsumexp", row(-INF, 1))
    alone("softmax", row(-INF, 1, 2))
    alone("log_softmax", row(-INF, 1, 2))
    for function in ("max", "min"):
        alone(function, row(1, NAN, 3))
    for function in ("erfinv", "erfcinv", "ndtri"):
        alone(function, row(0, 1, -1, 2, 0.5))


def labels():
    x, ignored = np.array([[0.3, -2, 1], [4, 0, 0.5]]), np.array([-1, -1], np.int32)
    for normalize in (True, False):
        case("softmax_cross_entropy", [x, ignored], normalize=normalize)
        case("sigmoid_cross_entropy", [x, np.full((2, 3), -1, np.int32)], normalize=normalize)
    case("softmax_cross_entropy", [x * 1000, np.array([0, 1], np.int32)], reduce="no")
    case("sigmoid_cross_entropy", [x * 1000, np.array([[0, 1, 1], [1, 0, -1]], np.int32)], reduce="no")
    case("binary_accuracy", [row(0, 1, -1), np.array([[1, -1, 0]], np.int32)])
    case("bernoulli_nll", [row(0, 1, 0.5), row(1000, -1000, 0)], reduce="no")


def sequences():
    d = Draw(41)
    for function, gates in (("n_step_rnn", 1), ("n_step_gru", 3), ("n_step_lstm", 4), ("n_step_bilstm", 4)):
        for lengths in ((1,), (3,), (1, 1), (2, 2, 2)):
            recurrent.LENGTHS = lengths
            recurrent.STEPS = [sum(n > t for n in lengths) for t in range(max(lengths))]
            n_step(d, function, 2, gates)

    def ctc(*arrays, blank_symbol, reduce):
        xs = [a for a in arrays if isinstance(a, chainer.Variable)]
        return F.connectionist_temporal_classification(xs, arrays[len(xs)], blank_symbol, *arrays[len(xs) + 1:], reduce=reduce)

    def labels_of(*rows):
        return np.array(rows, np.int32)
    for steps, t, rest in ((1, labels_of([0]), []),                                     # One step, one label.
                           (3, labels_of([0, 0]), []),                                  # As short as a repeated label allows.
                           (4, labels_of([1, 2]), [labels_of([1])[0], labels_of([1])[0]]),
                           (2, labels_of([1, 0], [0, 1]), [labels_of([2, 1])[0], labels_of([2, 1])[0]])):
        for blank in (2, 0) if t.max() < 2 and 0 not in t else (2,):
            if blank in t[:, :1]:
                continue
            case("connectionist_temporal_classification", [d.uniform(t.shape[0], 3) for _ in range(steps)] + [t] + rest, run=ctc,
                 blank_symbol=blank if blank not in t else 3 - 1, reduce="no")
    for lengths in ((1,), (1, 1, 1), (3,), (3, 1)):
        xs, ys = [d.uniform(n, 3) for n in lengths], [d.integers(n, high=3) for n in lengths]
        count = len(lengths)
        case("crf1d", [d.uniform(3, 3), *xs, *ys], reduce="no",
             run=lambda cost, *rest, reduce: F.crf1d(cost, rest[:count], rest[count:], reduce))
        case("argmax_crf1d", [d.uniform(3, 3), *xs], run=lambda cost, *rest: F.argmax_crf1d(cost, rest))


def regions():
    d = Draw(42)
    x, images = d.uniform(2, 2, 5, 4, dtype=np.float32), np.array([0, 1, 1, 0], np.int32)
    boxes = np.array([[0, 0, 5, 4], [-9, -9, -4, -4], [6, 6, 9, 9], [1.3, 2.1, 1.4, 2.2]], np.float32)
    for function in ("roi_average_align_2d", "roi_max_align_2d"):
        for settings in ({"outsize": (1, 1)}, {"outsize": (7, 6), "sampling_ratio": 1}, {"outsize": (2, 2), "sampling_ratio": 3}):
            case(function, [x, boxes, images], spatial_scale=1.0, **settings)
    for function in ("roi_max_pooling_2d", "roi_average_pooling_2d"):
        case(function, [x.astype(np.float64), boxes.astype(np.float64), images], outsize=(7, 6), spatial_scale=0.9)
        case(function, [x[:, :, :1, :1].astype(np.float64), boxes.astype(np.float64), images], outsize=(2, 2), spatial_scale=1.0)
    y, W = d.uniform(1, 2, 4, 4), d.uniform(2, 2, 2, 2)
    for offset in (0.0, 1.0, -1.0, 30.0, -30.0):
        case("deformable_convolution_2d_sampler", [y, np.full((1, 8, 3, 3), offset) + 1e-3, W])
    grid = np.array([[[[-1.0, 1, -3, 0]], [[-1, 1, 0.2, 3]]]])
    case("spatial_transformer_sampler", [y, grid])
    case("max_pooling_2d", [np.ones((1, 1, 4, 4))], ksize=2, stride=1)
    case("max_pooling_2d", [d.uniform(1, 1, 5, 5)], ksize=3, stride=2, pad=1)
    case("normalize", [np.array([[0.0, 0, 0], [3, 0, 4]])])


def main():
    chainer.config.dtype = np.float64
    for part in (kinks, infinite, labels, sequences, regions):
        part()
    write(pathlib.Path(__file__).with_suffix(".json"))


if __name__ == "__main__":
    main()
