#!/usr/bin/env python3
"""As chainer_values.py, of options that are used together, and seldom: writes chainer_values_combined.json beside this file."""
import pathlib

import chainer
import chainer.functions as F
import numpy as np

from chainer_values import Draw, case, write
from chainer_values_recurrent import n_step


def connections():
    d = Draw(61)
    x, W, b = d.uniform(2, 6, 9, 8), d.uniform(4, 3, 2, 3), d.uniform(4)
    for o in ({"stride": (2, 3), "pad": (3, 1), "dilate": (2, 1)}, {"stride": 3, "pad": 2, "dilate": (1, 2), "cover_all": True}):
        case("convolution_2d", [x, W, b], groups=2, **o)
    W, b = d.uniform(6, 2, 2, 3), d.uniform(6)
    y = d.uniform(2, 6, 3, 4)
    case("deconvolution_2d", [y, W, b], groups=3, stride=(3, 2), pad=(1, 2), dilate=(2, 1), outsize=(8, 6))
    case("deconvolution_2d", [y, W], groups=3, stride=2, pad=1, dilate=(1, 2))
    case("deconvolution_nd", [d.uniform(1, 4, 2, 3, 2), d.uniform(4, 2, 2, 3, 2), d.uniform(4)], groups=2, stride=(2, 1, 3), pad=1,
         dilate=(1, 2, 1), outsize=(2, 5, 3))
    case("depthwise_convolution_2d", [d.uniform(1, 3, 6, 5), d.uniform(2, 3, 3, 2), d.uniform(6)], stride=(2, 1), pad=(1, 2))
    case("shift", [d.uniform(2, 9, 5, 6)], ksize=3, dilate=2)
    case("im2col", [d.uniform(1, 2, 6, 7)], ksize=(2, 3), stride=(3, 2), pad=(1, 2), cover_all=True, dilate=(2, 1))
    case("bilinear", [d.uniform(*shape, dtype=np.float32) for shape in ((2, 3, 2), (2, 4), (6, 4, 3), (6, 3), (4, 3), (3,))])


def recurrent():
    d = Draw(62)
    n_step(d, "n_step_bigru", 3, 3)
    n_step(d, "n_step_birnn", 3, 1, activation="tanh")
    n_step(d, "n_step_bilstm", 3, 4)
    case("lstm", [d.uniform(4, 3), d.uniform(2, 12)])
    case("slstm", [d.uniform(3, 2), d.uniform(3, 2), d.uniform(3, 8), d.uniform(3, 8)])
    case("tree_lstm", [*(d.uniform(2, 3) for _ in range(4)), d.uniform(2, 3 * 7)])


def normalizations():
    d = Draw(63)
    x = d.uniform(2, 5, 3, 2)
    for n, k, alpha, beta in ((4, 0.5, 0.3, 2.0), (1, 2, 1e-2, 0.5), (9, 1.0, 0.1, 0.75)):
        case("local_response_normalization", [x], n=n, k=k, alpha=alpha, beta=beta)
    case("normalize", [x], axis=(1, 3), eps=0.5)
    case("normalize", [x], axis=(0, 2, 3), eps=1e-3)
    case("layer_normalization", [d.uniform(2, 6), d.uniform(6), d.uniform(6)], eps=2.0)
    mixed = [d.uniform(4, 3, dtype=np.float32), d.uniform(3, dtype=np.float32), d.uniform(3, dtype=np.float32)]
    case("batch_normalization", mixed, eps=0.5, axis=(0,))
    for rmax, dmax in ((1.0, 0.0), (1.2, 0.1), (10.0, 5.0)):
        case("batch_renormalization", [d.uniform(5, 2, 2), d.uniform(2, 2), d.uniform(2, 2), d.uniform(2, 2), d.uniform(2, 2, low=0.2)],
             rmax=rmax, dmax=dmax, eps=0.1,
             run=lambda x, gamma, beta, mean, var, **o: F.batch_renormalization(
                 x, gamma, beta, running_mean=mean.array.copy(), running_var=var.array.copy(), **o))


def pooling():
    d = Draw(64)
    case("spatial_pyramid_pooling_2d", [d.uniform(2, 2, 7, 9)], pyramid_height=2, pooling="max")
    case("max_pooling_nd", [d.uniform(1, 2, 5, 4, 6)], ksize=(2, 3, 2), stride=(2, 1, 3), pad=(1, 1, 0), cover_all=False)
    case("average_pooling_nd", [d.uniform(1, 2, 5, 4, 6)], ksize=(2, 3, 2), stride=(2, 1, 3), pad=(1, 1, 0))
    case("average_pooling_nd", [d.uniform(1, 2, 5, 6)], ksize=3, stride=2, pad=1, pad_value=None)
    case("unpooling_2d", [d.uniform(1, 2, 3, 4)], ksize=(2, 3), stride=(3, 2), pad=(1, 0), cover_all=False)
    case("unpooling_3d", [d.uniform(1, 2, 2, 3, 2)], ksize=2, stride=3, pad=1)
    for mode, align in (("bilinear", False), ("nearest", True), ("nearest", False), ("bilinear", True)):
        for size in ((3, 13), (9, 4), (1, 1)):
            case("resize_images", [x.astype(np.float32)], output_shape=size, mode=mode, align_corners=align)
    case("roi_average_align_2d", [d.uniform(2, 2, 6, 7, dtype=np.float32), np.array([[0.4, 1.2, 7.3, 8.9], [2, 2, 2.5, 2.5]], np.float32),
                                  np.array([1, 0], np.int32)], outsize=(3, 2), spatial_scale=0.7, sampling_ratio=(3, 1))


def losses():
    d = Draw(65)
    x, t = d.uniform(4, 3), d.integers(4, 3, low=-1)
    for normalize in (True, False):
        case("sigmoid_cross_entropy", [x, t], normalize=normalize)
    case("sigmoid_cross_entropy", [x, t], reduce="no")
    for norm in ("L1", "L2"):
        case("hinge", [x, np.array([2, 0, 1, 1], np.int32)], norm=norm, reduce="no")
    for reduce in ("mean", "no"):
        case("triplet", [d.uniform(4, 3) for _ in range(3)], margin=0.9, reduce=reduce)
        case("contrastive", [x, d.uniform(4, 3), np.array([1, 0, 1, 0], np.int32)], margin=2.5, reduce=reduce)
    for reduce in ("half_squared_sum", "no"):
        case("decov", [x], reduce=reduce)
        case("cross_covariance", [x, d.uniform(4, 2)], reduce=reduce)
    for reduce in ("sum", "mean", "no"):
        case("gaussian_nll", [x, d.uniform(4, 3), d.uniform(4, 3)], reduce=reduce)
        case("bernoulli_nll", [d.uniform(4, 3, low=0, high=1), x], reduce=reduce)
        case("gaussian_kl_divergence", [x, d.uniform(4, 3)], reduce=reduce)
    for multioutput in ("uniform_average", "raw_values"):
        case("r2_score", [x, d.uniform(4, 3)], multioutput=multioutput)
    case("classification_summary", [x, np.array([2, 1, 0, 0], np.int32)], label_num=3, beta=2.0)
    case("accuracy", [d.uniform(2, 3, 4), d.integers(2, 4, high=3)], ignore_label=1)
    for reduce in ("mean", "no"):
        case("black_out", [d.uniform(3, 2), np.array([4, 0, 4], np.int32), d.uniform(5, 2), d.integers(3, 6, high=5)], reduce=reduce)
    ys = [d.integers(n, high=3) for n in (4, 3, 3, 1)]
    xs = [d.uniform(n, 3) for n in (4, 3, 3, 1)]
    case("crf1d", [d.uniform(3, 3), *xs, *ys], reduce="mean", run=lambda cost, *rest, reduce: F.crf1d(cost, rest[:4], rest[4:], reduce))


def shapes():
    d = Draw(66)
    x = d.uniform(2, 3, 4)
    case("tensordot", [x, d.uniform(4, 2, 5)], axes=((2, 0), (0, 1)))
    case("tensordot", [x, d.uniform(3, 4, 2)], axes=2)
    case("cumprod", [x], axis=-2)
    case("cumsum", [x], axis=-3)
    case("scale", [x, d.uniform(3)], axis=1)
    case("scale", [x, d.uniform(2, 3)], axis=0)
    case("bias", [x, d.uniform(3, 4)], axis=1)
    case("depth2space", [d.uniform(1, 8, 2, 3)], r=2)
    case("space2depth", [d.uniform(1, 2, 4, 6)], r=2)
    case("diagonal", [x], offset=-1, axis1=2, axis2=0)
    case("rollaxis", [x], axis=1, start=-1)
    case("pad", [x], pad_width=((0, 1), (2, 0), (1, 1)), mode="constant", constant_values=((1, 2), (3, 4), (5, 6)))
    case("transpose_sequence", [d.uniform(n, 2) for n in (4, 4, 1)], run=lambda *xs: F.transpose_sequence(xs))
    case("pad_sequence", [d.uniform(n, 2) for n in (1, 4, 2)], length=6, padding=-1.5,
         run=lambda *xs, **o: F.pad_sequence(xs, **o))
    case("stack", [x, x * 2], run=lambda *xs, **o: F.stack(xs, **o), axis=-2)


def main():
    chainer.config.dtype = np.float64
    for part in (connections, recurrent, normalizations, pooling, losses, shapes):
        part()
    write(pathlib.Path(__file__).with_suffix(".json"))


if __name__ == "__main__":
    main()
