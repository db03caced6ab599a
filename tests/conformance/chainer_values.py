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
    if all(g is None for g in gradients):
        gy = [None] * len(outputs)
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


def evaluation():
    d = Draw(2)
    y, t = d.uniform(12, 4), d.integers(12, low=-1, high=4)
    image, labels = d.uniform(2, 4, 3, 1), d.integers(2, 3, high=4)
    for arrays in ([y, t], [image, labels]):
        case("accuracy", arrays)
        case("classification_summary", arrays)
        case("classification_summary", arrays, label_num=5, beta=0.5)
        for function in ("precision", "recall", "f1_score"):
            case(function, arrays)
            case(function, arrays, label_num=4, ignore_label=-1)
    case("binary_accuracy", [d.uniform(3, 4), d.integers(3, 4, low=-1, high=2)])
    truth = d.uniform(5, 3)
    truth[:, 1] = 0.5
    for multioutput in ("uniform_average", "raw_values"):
        case("r2_score", [d.uniform(5, 3), truth], multioutput=multioutput)
        case("r2_score", [d.uniform(4), d.uniform(4)], multioutput=multioutput)


def arrays():
    d = Draw(3)
    case("depth2space", [d.uniform(2, 8, 2, 3)], r=2)
    case("space2depth", [d.uniform(1, 2, 4, 6)], r=2)
    for settings in ({}, {"offset": 1}, {"offset": -2, "axis1": 1, "axis2": 2}, {"offset": 1, "axis1": 2, "axis2": 0}):
        case("diagonal", [d.uniform(3, 4, 2)], **settings)
    for lengths in ((4, 3, 3, 1), (2, 2), (1,)):
        case("transpose_sequence", [d.uniform(n, 2) for n in lengths], run=lambda *xs: F.transpose_sequence(xs))
    case("pad_sequence", [d.uniform(n, 2) for n in (2, 3, 1)], run=lambda *xs, **o: F.pad_sequence(xs, **o), length=4,
         padding=-1)


def spatial():
    d = Draw(4)
    for settings in ({}, {"stride": 2, "pad": 1}, {"stride": (2, 1), "pad": (0, 1), "cover_all": True, "dilate": (1, 2)}):
        case("im2col", [d.uniform(1, 2, 5, 4)], ksize=(2, 3), **settings)
    for size in ((6, 7), (2, 2), (3, 1)):
        image = d.uniform(1, 2, 3, 4, dtype=np.float32)
        for align_corners in (True, False):
            case("resize_images", [image], output_shape=size, align_corners=align_corners)
        case("resize_images", [image], output_shape=size, mode="nearest")
    case("spatial_transformer_grid", [d.uniform(2, 2, 3)], output_shape=(3, 4))
    case("spatial_transformer_sampler", [d.uniform(2, 2, 3, 4), d.uniform(2, 2, 3, 2, low=-1.5, high=1.5)])


def mathematics():
    d = Draw(5)
    for equation, shapes in (("ij,jk->ik", ((2, 3), (3, 4))), ("ij,jk", ((2, 3), (3, 4))), ("iij->j", ((2, 2, 3),)),
                             ("ij,ik,jk->", ((2, 3), (2, 4), (3, 4))), ("...ij,...jk->...ik", ((2, 2, 3), (2, 3, 4))),
                             ("ba,b...->a...", ((2, 3), (2, 4, 2))), ("i,i,i->i", ((3,), (3,), (3,))),
                             ("ab,cd->da", ((2, 3), (2, 4)))):
        case("einsum", [d.uniform(*s) for s in shapes], subscripts=equation,
             run=lambda *xs, subscripts: F.einsum(subscripts, *xs))
    case("tensordot", [d.uniform(2, 3, 4), d.uniform(3, 4, 2)])
    case("tensordot", [d.uniform(2, 3, 4), d.uniform(4, 2)], axes=1)
    case("tensordot", [d.uniform(2, 3, 4), d.uniform(4, 3, 5)], axes=((1, 2), (1, 0)))
    zeros = d.uniform(3, 4)
    zeros[1, 2] = zeros[0, 1] = zeros[2, 1] = 0
    for axis in (None, 0, 1, -1):
        case("cumprod", [zeros], axis=axis)
        case("cumprod", [d.uniform(2, 5)], axis=axis)
    case("batch_l2_norm_squared", [d.uniform(3, 2, 2)])
    case("linear_interpolate", [d.uniform(3, 2), d.uniform(3, 2), d.uniform(3, 2)])
    for function in ("scale", "bias"):
        case(function, [d.uniform(2, 3, 4), d.uniform(3)])
        case(function, [d.uniform(2, 3, 4), d.uniform(2, 3)], axis=0)
    case("identity", [d.uniform(2), d.uniform(3)])


def normalizations():
    d = Draw(6)
    x = d.uniform(2, 4, 3)
    x[0, :, 1] = 0
    case("normalize", [x])
    case("normalize", [x], eps=0.1, axis=(1, 2))
    for groups in (1, 2, 4):
        case("group_normalization", [d.uniform(2, 4, 2, 3), d.uniform(4), d.uniform(4)], groups=groups,
             run=lambda x, gamma, beta, groups: F.group_normalization(x, groups, gamma, beta))
    case("local_response_normalization", [d.uniform(2, 6, 2)])
    case("local_response_normalization", [d.uniform(2, 6)], n=3, k=1, alpha=0.2, beta=0.6)
    for shape in ((5, 2), (3, 2, 4)):
        case("batch_renormalization", [d.uniform(*shape), d.uniform(2), d.uniform(2), d.uniform(2), d.uniform(2, low=0.2)],
             rmax=1.5, dmax=0.4, eps=1e-3,
             run=lambda x, gamma, beta, mean, var, **o: F.batch_renormalization(
                 x, gamma, beta, running_mean=mean.array, running_var=var.array, **o))


def noise():
    d = Draw(7)
    case("rrelu", [d.uniform(3, 4), d.uniform(3, 4, low=0.1, high=0.3)], l=0.1, u=0.3,
         run=lambda x, r, **o: F.rrelu(x, r=r.array, **o))
    for mask, batchwise in ((d.integers(2, 3, 4), True), (d.integers(3, 4), False)):
        case("simplified_dropconnect", [d.uniform(2, 4), d.uniform(3, 4), d.uniform(3), mask], ratio=0.25,
             use_batchwise_mask=batchwise,
             run=lambda x, W, b, mask, **o: F.simplified_dropconnect(x, W, b, mask=mask.astype(bool), **o))


def pooling():
    d = Draw(8)
    options = ({"ksize": 2}, {"ksize": 3, "stride": 2, "pad": 1})
    sizes = ((7,), (5, 4), (4, 3, 4))
    for size in sizes:
        for o in options:
            suffix = "nd" if len(size) == 2 else f"{len(size)}d"
            case(f"max_pooling_{suffix}", [d.uniform(1, 2, *size)], **o)
            case(f"max_pooling_{suffix}", [d.uniform(1, 1, *size)], cover_all=False, **o)
            case(f"average_pooling_{suffix}", [d.uniform(1, 2, *size)], **o)
            case(f"average_pooling_{suffix}", [d.uniform(1, 2, *size)], pad_value=None, **o)
        case(f"unpooling_{len(size)}d", [d.uniform(1, 1, *size)], ksize=2)
        case(f"unpooling_{len(size)}d", [d.uniform(1, 1, *size)], ksize=3, stride=2, pad=1, cover_all=False)
    case("unpooling_nd", [d.uniform(1, 2, 3, 2)], ksize=2, outsize=(6, 4))
    case("spatial_pyramid_pooling_2d", [d.uniform(1, 2, 7, 6)], pyramid_height=3, pooling="max")
    for o in ({"ksize": 2, "outsize": (4, 5)}, {"ksize": 2, "cover_all": False}, {"ksize": 3, "stride": 2}):
        case("upsampling_2d", [d.uniform(1, 2, 2, 3), d.integers(1, 2, 2, 3, high=4)], **o)


def connections():
    d = Draw(9)
    e = [d.uniform(2, 3), d.uniform(2, 4), d.uniform(3, 4, 2)]
    e32 = [a.astype(np.float32) for a in e]
    case("bilinear", e32)
    case("bilinear", e32 + [d.uniform(3, 2, dtype=np.float32), d.uniform(4, 2, dtype=np.float32), d.uniform(2, dtype=np.float32)])
    case("depthwise_convolution_2d", [d.uniform(1, 2, 4, 4), d.uniform(2, 2, 3, 3), d.uniform(4)], stride=1, pad=1)
    case("local_convolution_2d", [d.uniform(1, 2, 4, 4), d.uniform(2, 2, 2, 2, 3, 3), d.uniform(2, 2, 2)])
    case("shift", [d.uniform(1, 11, 3, 4)])
    case("shift", [d.uniform(1, 6, 3, 5)], ksize=(1, 3), dilate=2)
    case("slstm", [d.uniform(2, 3), d.uniform(2, 3), d.uniform(2, 12), d.uniform(2, 12)])
    for children in (1, 2, 3):
        case("tree_lstm", [d.uniform(2, 2) for _ in range(children)] + [d.uniform(2, 2 * (3 + children))])
    case("lstm", [d.uniform(3, 2), d.uniform(2, 8)])


def write(path):
    lines = ",\n".join(json.dumps(c, separators=(",", ":")) for c in cases)
    path.write_text(f"[\n{lines}\n]\n")
    print(f"{len(cases)} calls of {len({c['function'] for c in cases})} functions in {path}")


def main():
    np.float = float  # Chainer 7.8.1 uses the name that NumPy 1.24 removed.
    np.seterr(invalid="ignore")
    chainer.config.dtype = np.float64
    losses()
    evaluation()
    arrays()
    spatial()
    mathematics()
    normalizations()
    noise()
    pooling()
    connections()
    write(pathlib.Path(__file__).with_suffix(".json"))


if __name__ == "__main__":
    main()
