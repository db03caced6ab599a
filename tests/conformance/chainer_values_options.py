#!/usr/bin/env python3
"""As chainer_values.py, of functions and options that the other files do not name: writes chainer_values_options.json beside
this file."""
import pathlib

import chainer
import chainer.functions as F
import numpy as np

from chainer_values import Draw, case, write


def listed(function):
    """Chainer's functions of a list."""
    return lambda *xs, **o: getattr(F, function)(xs, **o)


def activations():
    d = Draw(51)
    x = d.uniform(2, 4, 3)
    case("clipped_relu", [x], z=0.7)
    case("elu", [x], alpha=-0.5)
    case("leaky_relu", [x], slope=-0.3)
    case("leaky_relu", [x], slope=0.0)
    case("selu", [x], alpha=0.3, scale=-2.0)
    case("softplus", [x], beta=0.25)
    case("softplus", [x * 30], beta=4.0)
    for function in ("softmax", "log_softmax"):
        for axis in (0, 2, -1, -3):
            case(function, [x], axis=axis)
    for axis in (1, -2):
        case("crelu", [x], axis=axis)
    case("maxout", [x], pool_size=2, axis=1)  # Of a negative axis Chainer takes the maximum over the next one.
    case("maxout", [d.uniform(3, 6)], pool_size=3)
    case("prelu", [x, d.uniform(4, 3)])
    case("prelu", [x, d.uniform(4)])
    case("swish", [x, d.uniform(4, 3)])
    draws = d.uniform(2, 4, 3, low=0.1, high=0.3)
    case("rrelu", [x, draws], l=0.1, u=0.3, run=lambda x, r, **o: F.rrelu(x, r=r.array, **o))


def arrays():
    d = Draw(52)
    x = d.uniform(2, 3, 4)
    for axis in (0, -1, 2):
        case("concat", [x, d.uniform(2, 3, 4)], run=listed("concat"), axis=axis)
        case("stack", [x, x + 1], run=listed("stack"), axis=axis)
        case("separate", [x], axis=axis)
        case("expand_dims", [x], axis=axis)
        case("flip", [x], axis=axis)
    for function in ("hstack", "vstack", "dstack"):
        case(function, [d.uniform(2, 3), d.uniform(2, 3)], run=listed(function))
        case(function, [d.uniform(3), d.uniform(3)], run=listed(function))
    case("flatten", [x])
    case("fliplr", [x])
    case("flipud", [x])
    case("broadcast_to", [d.uniform(3, 1)], shape=(2, 3, 4))
    case("cast", [x], typ="float32")
    case("moveaxis", [x], source=-1, destination=0)
    case("moveaxis", [x], source=(0, 2), destination=(-1, 0))
    for keywords in ({"mode": "constant"}, {"mode": "constant", "constant_values": 2.5}):
        case("pad", [x], pad_width=((1, 0), (0, 2), (1, 1)), **keywords)
        case("pad", [d.uniform(3, 2)], pad_width=2, **keywords)
    for inv in (False, True):
        case("permutate", [x, np.array([2, 0, 1], np.int32)], axis=1, inv=inv)
    case("repeat", [x], repeats=2, axis=-2)
    case("repeat", [x], repeats=(1, 0, 3), axis=1)
    case("repeat", [x], repeats=2)
    case("reshape", [x], shape=(4, -1))
    case("rollaxis", [x], axis=2, start=0)
    case("rollaxis", [x], axis=0, start=3)
    case("rollaxis", [x], axis=-1, start=-2)
    case("select_item", [d.uniform(3, 4), np.array([0, 3, 1], np.int32)])
    case("split_axis", [x], indices_or_sections=2, axis=-1)
    case("split_axis", [x], indices_or_sections=(1, 1, 3), axis=2)
    case("squeeze", [d.uniform(1, 2, 1, 3)], axis=-2)
    case("squeeze", [d.uniform(1, 2, 1, 3)])
    case("swapaxes", [x], axis1=-1, axis2=0)
    case("tile", [d.uniform(2, 3)], reps=(2, 1, 2))
    case("tile", [x], reps=2)
    case("transpose", [x], axes=(-1, 0, 1))
    case("transpose", [x])
    case("where", [np.array([[True, False, True]]), d.uniform(2, 3), d.uniform(2, 3)])
    case("sum_to", [x], shape=(1, 3, 1))
    case("as_strided", [d.uniform(12)], shape=(3, 4), strides=(2, 1), storage_offset=1)
    case("as_strided", [d.uniform(4, 3)], shape=(2, 3), strides=(-3, 1), storage_offset=6)


def reductions():
    d = Draw(53)
    x = d.uniform(2, 3, 4)
    x[0, 1] = x[1, 1]
    x[1, 2, 0] = 0
    for axis in (0, -1, (0, 2), (-1, 1)):
        for keepdims in (False, True):
            for function in ("sum", "max", "min", "prod", "mean"):
                case(function, [x], axis=axis, keepdims=keepdims)
        case("logsumexp", [x], axis=axis)
    case("average", [x], axis=(0, 1), keepdims=True)
    case("average", [x, d.uniform(3, low=0.1)], axis=1, run=lambda x, w, **o: F.average(x, weights=w, **o))
    case("average", [x, d.uniform(2, 3, 4, low=0.1)], run=lambda x, w, **o: F.average(x, weights=w, **o))
    for axis in (None, 1, -1):
        case("argmax", [x], axis=axis)
        case("argmin", [x], axis=axis)
        case("cumsum", [x], axis=axis)
    case("matmul", [d.uniform(2, 4, 3), d.uniform(2, 5, 4)], transa=True, transb=True)
    case("matmul", [d.uniform(3, 1, 2, 4), d.uniform(2, 4, 3)])
    case("matmul", [d.uniform(4), d.uniform(4, 3)])
    case("matmul", [d.uniform(3, 4), d.uniform(4)])
    for function in ("cos", "sin", "tan"):
        case(function, [x])
    case("rsqrt", [d.uniform(2, 3, low=0.1)])


def losses():
    d = Draw(54)
    y, t = d.uniform(4, 3), np.array([2, 7, 0, 7], np.int32)
    weight = np.array([0.5, 2, 1.5])

    def weighted(y, t, weight, **o):
        return F.softmax_cross_entropy(y, t, class_weight=weight.array, **o)
    for reduce in ("mean", "no"):
        case("softmax_cross_entropy", [y, t], ignore_label=7, reduce=reduce)
        case("softmax_cross_entropy", [y, np.array([2, 1, 0, -1], np.int32), weight], run=weighted, reduce=reduce)
        for soft in ("cross-entropy", "kl-divergence"):
            case("softmax_cross_entropy", [y, np.array([[0.5, 0.25, 0.25], [1, 0, 0], [0.125, 0.5, 0.375], [0.75, 0.125, 0.125]])],
                 reduce=reduce, soft_target_loss=soft)
    case("softmax_cross_entropy", [y, t], ignore_label=7, normalize=False)
    image = d.uniform(2, 3, 2, 2)
    case("softmax_cross_entropy", [image, d.integers(2, 2, 2, low=-1, high=3), weight], run=weighted, normalize=False)
    for reduce in ("sum_along_second_axis", "no"):
        case("huber_loss", [d.uniform(3, 4), d.uniform(3, 4)], delta=0.5, reduce=reduce)
    case("mean_squared_error", [d.uniform(3, 4), d.uniform(3, 4)])
    case("squared_error", [d.uniform(3, 4), d.uniform(3, 4)])
    case("accuracy", [y, np.array([2, 1, 0, -1], np.int32)], ignore_label=-1)
    case("accuracy", [y, np.array([2, 1, 0, 0], np.int32)], ignore_label=0)
    case("classification_summary", [y, np.array([2, 1, 0, 0], np.int32)], ignore_label=0)

    def ctc(*arrays, blank_symbol, reduce):
        return F.connectionist_temporal_classification(list(arrays[:5]), arrays[5], blank_symbol, arrays[6], arrays[7], reduce=reduce)
    steps = [d.uniform(2, 4) for _ in range(5)]
    case("connectionist_temporal_classification",
         steps + [np.array([[1, 2, 3], [3, 3, 0]], np.int32), np.array([4, 5], np.int32), np.array([3, 2], np.int32)], run=ctc,
         blank_symbol=0, reduce="no")


def connections():
    d = Draw(55)
    for n, size, k in ((1, (7,), (3,)), (2, (5, 4), (3, 2)), (3, (3, 4, 3), (2, 3, 2))):
        x, W, b = d.uniform(1, 4, *size), d.uniform(4, 2, *k), d.uniform(4)
        suffix = f"{n}d" if n != 2 else "nd"
        for o in ({}, {"stride": 2, "pad": 1, "cover_all": True}, {"dilate": 2, "pad": 2}):
            case(f"convolution_{suffix}", [x, W, b], groups=2, **o)
        W, b = d.uniform(4, 1, *k), d.uniform(2)
        for o in ({}, {"stride": 2, "pad": 1}, {"dilate": 2, "pad": 1}):
            case(f"deconvolution_{suffix}", [x, W, b], groups=2, **o)
    x, W, b = d.uniform(1, 4, 6, 7), d.uniform(4, 2, 3, 2), d.uniform(4)
    case("convolution_2d", [x, W, b], stride=(2, 1), pad=(0, 2), dilate=(1, 3), groups=2)
    case("convolution_2d", [x, W], stride=(3, 2), pad=(1, 0), cover_all=True, groups=2)
    W, b = d.uniform(4, 1, 3, 2), d.uniform(2)
    case("deconvolution_2d", [x, W, b], stride=(2, 3), pad=(1, 0), groups=2)
    case("deconvolution_2d", [x, W, b], stride=(2, 3), pad=(1, 0), outsize=(12, 21), groups=2)
    case("dilated_convolution_2d", [d.uniform(1, 2, 7, 6), d.uniform(3, 2, 2, 2), d.uniform(3)], stride=2, pad=(1, 2), dilate=(2, 3),
         cover_all=True)
    case("local_convolution_2d", [d.uniform(1, 2, 5, 6), d.uniform(2, 2, 2, 2, 3, 3), d.uniform(2, 2, 2)], stride=(2, 3))
    case("embed_id", [np.array([[1, 3], [0, 1]], np.int32), d.uniform(4, 3)], ignore_label=1)
    case("linear", [d.uniform(2, 3, 4), d.uniform(5, 4), d.uniform(5)], n_batch_axes=2)
    case("linear", [d.uniform(2, 3, 4), d.uniform(5, 12)])


def normalizations():
    d = Draw(56)
    x = d.uniform(3, 4, 2)
    for axis, shape in ((None, (4, 2)), ((0, 2), (4,)), (0, (4, 2)), ((0, 1), (2,))):
        gamma, beta, mean, var = d.uniform(*shape), d.uniform(*shape), d.uniform(*shape), d.uniform(*shape, low=0.3)
        case("batch_normalization", [x, gamma, beta], eps=0.02, axis=axis)
        case("fixed_batch_normalization", [x, gamma, beta, mean, var], eps=0.02, axis=axis)
    case("fixed_batch_renormalization", [x, *(d.uniform(4, 2) for _ in range(3)), d.uniform(4, 2, low=0.3)], eps=0.01)
    case("layer_normalization", [d.uniform(3, 4), d.uniform(4), d.uniform(4)], eps=0.1)
    case("group_normalization", [d.uniform(2, 4, 3), d.uniform(4), d.uniform(4)], groups=2, eps=0.3,
         run=lambda x, gamma, beta, groups, eps: F.group_normalization(x, groups, gamma, beta, eps))
    case("decorrelated_batch_normalization", [d.uniform(7, 4, 2)], groups=2, eps=0.1)
    case("fixed_decorrelated_batch_normalization", [d.uniform(3, 4, 2), d.uniform(2, 2), d.uniform(2, 2, 2)], groups=2,
         run=lambda x, mean, projection, groups: F.fixed_decorrelated_batch_normalization(x, mean.array, projection.array, groups))


def pooling():
    d = Draw(57)
    x = d.uniform(2, 2, 6, 5)
    case("average_pooling_2d", [x], ksize=(3, 2), stride=(2, 1), pad=(1, 0))
    for cover_all in (True, False):
        case("max_pooling_2d", [x], ksize=(2, 3), stride=(3, 2), pad=(0, 1), cover_all=cover_all)
    case("unpooling_2d", [d.uniform(1, 2, 3, 2)], ksize=2, outsize=(5, 4))
    case("unpooling_nd", [d.uniform(1, 2, 3, 2)], ksize=3, stride=2, pad=1, cover_all=False)
    case("unpooling_1d", [d.uniform(1, 2, 3)], ksize=2, outsize=(5,))
    case("upsampling_2d", [d.uniform(1, 2, 2, 3), d.integers(1, 2, 2, 3, high=4)], ksize=3, stride=2, pad=1, outsize=(3, 5))
    case("deformable_convolution_2d_sampler",
         [d.uniform(1, 2, 5, 4), d.uniform(1, 8, 3, 2), d.uniform(3, 2, 2, 2), d.uniform(3)], stride=(2, 2), pad=(1, 0))


def noise():
    d = Draw(58)
    x, mask = d.uniform(3, 4), np.array(d.integers(3, 4) / 0.7)
    case("dropout", [x, mask], ratio=0.3, run=lambda x, mask, ratio: F.dropout(x, ratio, mask=mask.array))
    case("gaussian", [d.uniform(2, 3), d.uniform(2, 3), d.uniform(2, 3)], run=lambda m, v, eps: F.gaussian(m, v, eps=eps.array))


def main():
    np.float = float  # Chainer 7.8.1 uses the name that NumPy 1.24 removed.
    np.seterr(invalid="ignore")
    chainer.config.dtype = np.float64
    for part in (activations, arrays, reductions, losses, connections, normalizations, pooling, noise):
        part()
    write(pathlib.Path(__file__).with_suffix(".json"))


if __name__ == "__main__":
    main()
