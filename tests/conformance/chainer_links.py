#!/usr/bin/env python3
"""What Chainer 7.8.1's links give, written to chainer_links.npz beside this file.

    python3 -m venv chainer
    chainer/bin/pip install 'setuptools<60' wheel numpy==1.23.5
    chainer/bin/pip install --no-build-isolation chainer==7.8.1
    chainer/bin/python tests/conformance/chainer_links.py

tests/frontend/chainer_links_test.cpp makes the same links, loads what Chainer saved of each before its first call
("Bilinear/saved/W", in Chainer's own keys), calls them with "x0", "x1", ... and compares the result of the last of "calls"
calls ("y"), the gradients towards inputs ("gx0") and parameters ("grad/W") for the loss sum(y * gy), and the persistents
afterwards ("after/avg_mean")."""
import io
import pathlib

import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
from chainer import link_hooks

arrays = {}


def numbers(shape, seed):
    return np.round(np.random.RandomState(seed).uniform(-1, 1, shape), 3)


def fill(link, seed=1):
    """Parameters that no initializer draws."""
    for k, (path, param) in enumerate(sorted(link.namedparams())):
        if param.array is not None:
            param.array[...] = numbers(param.shape, seed + k)


def saved(link):
    file = io.BytesIO()
    chainer.serializers.save_npz(file, link)
    file.seek(0)
    return dict(np.load(file, allow_pickle=True))


def case(name, link, shapes, train=True, calls=1, positive=False, filled=True, **settings):
    link.to_cpu()
    if filled:
        fill(link)
    xs = [chainer.Variable(numbers(s, 100 + i).astype(np.float32) + (1.1 if positive else 0)) for i, s in enumerate(shapes)]
    for key, value in saved(link).items():
        if value.dtype != object:
            arrays[f"{name}/saved/{key}"] = value
    with chainer.using_config("train", train):
        for _ in range(calls):
            y = link(*xs, **settings)
    gy = numbers(y.shape, 50).astype(y.dtype)
    link.cleargrads()
    F.sum(y * gy).backward()
    for i, x in enumerate(xs):
        arrays[f"{name}/x{i}"] = x.array
        arrays[f"{name}/gx{i}"] = x.grad
    arrays[f"{name}/y"], arrays[f"{name}/gy"] = y.array, gy
    for path, param in link.namedparams():
        if param.grad is not None:
            arrays[f"{name}/grad{path}"] = param.grad
    params = {path for path, _ in link.namedparams()}
    for key, value in saved(link).items():
        if "/" + key not in params and value.dtype != object:
            arrays[f"{name}/after/{key}"] = value


def connection():
    case("Bias", L.Bias(1, (3,)), [(2, 3, 4)])
    case("Bias_given", L.Bias(1), [(2, 3, 4), (3, 4)])
    case("Scale", L.Scale(1, (3,), bias_term=True), [(2, 3, 4)])
    case("Scale_given", L.Scale(0, bias_term=True, bias_shape=(2,)), [(2, 3, 4), (2, 3)])
    case("Bilinear", L.Bilinear(3, 4, 2), [(2, 3), (2, 4)])
    case("Bilinear_nobias", L.Bilinear(3, 4, 2, nobias=True), [(2, 3), (2, 4)])
    case("Convolution1D", L.Convolution1D(3, 4, 3, stride=2, pad=1), [(2, 3, 7)])
    case("Convolution2D", L.Convolution2D(4, 6, (3, 2), stride=(1, 2), pad=1, dilate=2, groups=2), [(2, 4, 7, 6)])
    case("Convolution3D", L.Convolution3D(2, 3, 2, pad=1, cover_all=True, stride=2), [(1, 2, 4, 5, 3)])
    case("ConvolutionND", L.ConvolutionND(2, 2, 3, 3, nobias=True), [(1, 2, 5, 4)])
    case("Deconvolution1D", L.Deconvolution1D(3, 4, 3, stride=2, pad=1), [(2, 3, 5)])
    case("Deconvolution2D", L.Deconvolution2D(4, 2, 3, stride=2, pad=1, outsize=(8, 7), groups=2), [(1, 4, 4, 4)])
    case("Deconvolution3D", L.Deconvolution3D(2, 3, 2, stride=2), [(1, 2, 3, 2, 2)])
    case("DeconvolutionND", L.DeconvolutionND(1, 2, 3, 3, outsize=(9,), stride=2), [(1, 2, 4)])
    case("DilatedConvolution2D", L.DilatedConvolution2D(3, 2, 3, pad=2, dilate=2), [(1, 3, 6, 5)])
    case("DepthwiseConvolution2D", L.DepthwiseConvolution2D(3, 2, (2, 3), stride=2, pad=1), [(2, 3, 5, 6)])
    case("LocalConvolution2D", L.LocalConvolution2D(2, 3, (5, 6), (2, 3)), [(2, 2, 5, 6)])
    case("DeformableConvolution2D", L.DeformableConvolution2D(2, 3, (3, 2), stride=2, pad=1), [(2, 2, 6, 5)])
    case("Highway", L.Highway(4), [(3, 4)])
    case("Highway_tanh", L.Highway(4, nobias=True, activate=F.tanh), [(3, 4)])
    case("Inception", L.Inception(4, 3, 2, 4, 2, 3, 2), [(2, 4, 6, 5)])
    case("InceptionBN", L.InceptionBN(4, 3, 2, 4, 2, 3, "max", 2), [(2, 4, 6, 5)])
    case("InceptionBN_avg", L.InceptionBN(4, 0, 2, 4, 2, 3, "avg", None, stride=2), [(2, 4, 6, 6)])
    case("MLPConvolution2D", L.MLPConvolution2D(3, (4, 2, 5), 3, pad=1), [(2, 3, 4, 4)])
    case("MLPConvolution2D_sigmoid", L.MLPConvolution2D(3, (4, 2), 2, stride=2, activation=F.sigmoid), [(2, 3, 4, 4)])
    case("SimplifiedDropconnect", L.SimplifiedDropconnect(4, 3), [(2, 4)],
         mask=(numbers((2, 3, 4), 7) > 0).astype(np.float32))
    arrays["SimplifiedDropconnect/mask"] = (numbers((2, 3, 4), 7) > 0).astype(np.float32)


def activation():
    case("PReLU", L.PReLU(), [(2, 3, 4)])
    case("PReLU_channels", L.PReLU((3,)), [(2, 3, 4)])
    case("Swish", L.Swish((3, 4)), [(2, 3, 4)])
    case("Maxout", L.Maxout(5, 3, 2), [(4, 5)])


def normalization():
    case("GroupNormalization", L.GroupNormalization(2, 6), [(2, 6, 3, 2)])
    case("BatchNormalization", L.BatchNormalization(3), [(4, 3, 2)], calls=2)
    for train in (True, False):
        name = "BatchRenormalization" + ("" if train else "_test")
        link = L.BatchRenormalization(3, rmax=2, dmax=0.5)
        link.avg_mean[...] = [0.1, -0.2, 0.3]
        link.avg_var[...] = [0.5, 1.5, 0.1]
        case(name, link, [(4, 3, 2)], train=train, calls=2)
    case("DecorrelatedBatchNormalization", L.DecorrelatedBatchNormalization(6, groups=2, eps=0.01), [(5, 6, 2)], calls=2)
    link = L.DecorrelatedBatchNormalization(6, groups=2)
    link.avg_mean[...] = numbers((2, 3), 9)
    link.avg_projection[...] = numbers((2, 3, 3), 10)
    case("DecorrelatedBatchNormalization_test", link, [(5, 6, 2)], train=False)


def options():
    """What the cases above leave at its default."""
    case("BatchNormalization_alone", L.BatchNormalization((3, 2), decay=0.5, eps=0.1, use_gamma=False), [(4, 3, 2)], calls=2)
    case("BatchNormalization_axis", L.BatchNormalization(2, axis=(0, 1), use_beta=False), [(4, 3, 2)], calls=2)
    case("BatchNormalization_finetune", L.BatchNormalization(3, decay=0.3), [(4, 3, 2)], calls=3, finetune=True)
    case("BatchNormalization_test", L.BatchNormalization(3, eps=0.2), [(4, 3, 2)], train=False)
    case("BatchRenormalization_alone", L.BatchRenormalization(3, rmax=1.5, dmax=0.2, decay=0.7, eps=0.05, use_gamma=False), [(4, 3, 2)],
         calls=3)
    case("DecorrelatedBatchNormalization_decay", L.DecorrelatedBatchNormalization(4, groups=1, decay=0.3, eps=0.05), [(9, 4, 2)], calls=2)
    case("GroupNormalization_eps", L.GroupNormalization(3, 6, eps=0.2), [(2, 6, 3)])
    case("LayerNormalization_eps", L.LayerNormalization(5, eps=0.1), [(3, 5)])
    case("Linear_batch_axes", L.Linear(4, 3, nobias=True), [(2, 3, 4)], n_batch_axes=2)
    case("Maxout_nobias", L.Maxout(5, 3, 4, initial_bias=None), [(2, 5)])
    case("DepthwiseConvolution2D_nobias", L.DepthwiseConvolution2D(2, 3, 3, pad=(0, 2), nobias=True), [(2, 2, 4, 5)])
    case("LocalConvolution2D_nobias", L.LocalConvolution2D(2, 3, (5, 6), (2, 3), nobias=True), [(2, 2, 5, 6)])
    case("DeformableConvolution2D_nobias", L.DeformableConvolution2D(2, 3, 2, offset_nobias=True, deform_nobias=True), [(2, 2, 4, 5)])
    case("DilatedConvolution2D_nobias", L.DilatedConvolution2D(3, 2, (2, 3), stride=2, pad=(1, 3), dilate=(3, 2), nobias=True),
         [(2, 3, 8, 9)])
    case("Deconvolution2D_dilate",
         L.Deconvolution2D(4, 4, (2, 3), stride=(1, 2), pad=(0, 1), dilate=(2, 1), groups=2, nobias=True), [(2, 4, 3, 4)])


def hooks():
    """Persistents of a hook come with it; SpectralNormalization begins with a drawn vector, which the file has."""
    case("WeightStandardization", L.Convolution2D(3, 4, 3).add_hook(link_hooks.WeightStandardization()), [(2, 3, 5, 5)])
    spectral = link_hooks.SpectralNormalization
    case("SpectralNormalization", L.Linear(4, 3).add_hook(spectral()), [(2, 4)], calls=3)
    case("SpectralNormalization_gamma",
         L.Convolution2D(3, 4, 3).add_hook(spectral(n_power_iteration=2, use_gamma=True, factor=2.0)), [(2, 3, 5, 5)],
         calls=2)
    case("SpectralNormalization_transposed", L.Deconvolution2D(3, 4, 3).add_hook(spectral()), [(2, 3, 4, 4)], train=False)


for part in (connection, activation, normalization, hooks, options):
    part()
np.savez_compressed(pathlib.Path(__file__).with_name("chainer_links.npz"), **arrays)
print(len(arrays), "arrays")
