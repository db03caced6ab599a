#!/usr/bin/env python3
"""What Chainer 7.8.1's networks for pictures give with made-up weights, written to chainer_vision.npz beside this file.

    python3 -m venv chainer
    chainer/bin/pip install 'setuptools<60' wheel numpy==1.23.5 'pillow<11'
    chainer/bin/pip install --no-build-isolation chainer==7.8.1
    chainer/bin/python tests/conformance/chainer_vision.py

tests/frontend/vision_test.cpp fills the same networks by the same formula. Of layers, every 97th element is written; of
parameters and persistents, keys and shapes, as Chainer's npz files have them."""
import pathlib

import chainer
import numpy as np
from chainer.links.model.vision import googlenet, resnet, vgg

arrays = {}


def made_up(path, size):
    """Numbers between -1 and 1 that differ from path to path."""
    i = np.arange(size, dtype=np.uint64)
    seed = np.uint64(97 * sum(map(ord, path)) + 12345)
    return (((i * np.uint64(2654435761) + seed) >> np.uint64(8)) & np.uint64(0xFFFF)).astype(np.float64) / 32768 - 1


def content(path, shape):
    v = made_up(path, int(np.prod(shape))).reshape(shape)
    if path.endswith("/avg_var"):
        v = 1 + v / 2
    elif path.endswith("/gamma"):
        v = 0.8 + v / 10
    elif len(shape) > 1:
        v = v * np.sqrt(6 / np.prod(shape[1:]))
    else:
        v = v / 10
    return v.astype(np.float32)


def fill(net):
    lines = []
    for link_path, link in net.namedlinks():
        prefix = "" if link_path == "/" else link_path
        for name in sorted(link._params):
            param = getattr(link, name)
            param.array[...] = content(f"{prefix}/{name}", param.shape)
            lines.append(f"{prefix}/{name} {list(param.shape)}")
        for name in sorted(link._persistent):
            if name != "N":
                state = getattr(link, name)
                state[...] = content(f"{prefix}/{name}", state.shape)
                lines.append(f"{prefix}/{name} {list(state.shape)}")
    return "\n".join(sorted(lines)).replace(", ", ",")


def picture(height, width, shift=0):
    c, y, x = np.meshgrid(np.arange(3), np.arange(height), np.arange(width), indexing="ij")
    return ((c * 80 + y * 5 + x * x // 7 + shift * 31) % 256).astype(np.uint8)


def network(name, net, layers, predict=None):
    arrays[f"{name}/parts"] = np.frombuffer(fill(net).encode(), np.uint8)
    images = [picture(50, 70)]
    with chainer.using_config("train", False), chainer.no_backprop_mode():
        for layer, y in net.extract(images, layers, size=(224, 224)).items():
            arrays[f"{name}/{layer}"] = y.array.ravel()[::97]
        if predict is not None:
            arrays[f"{name}/predicted"] = net.predict(images, oversample=predict).array
    print(name, {k: float(np.abs(v).max()) for k, v in arrays.items() if k.startswith(name) and v.dtype != np.uint8})


def parts(name, net):
    arrays[f"{name}/parts"] = np.frombuffer(fill(net).encode(), np.uint8)


for name, prepare in (("vgg", vgg.prepare), ("googlenet", googlenet.prepare), ("resnet", resnet.prepare)):
    arrays[f"prepare/{name}/large"] = prepare(picture(50, 70), size=(30, 20))
    arrays[f"prepare/{name}/small"] = prepare(picture(9, 7, 1), size=(16, 24))
    arrays[f"prepare/{name}/kept"] = prepare(picture(5, 6, 2), size=None)
arrays["prepare/grey"] = vgg.prepare(picture(9, 7)[0], size=(8, 12))

network("ResNet50Layers", resnet.ResNet50Layers(None), ["conv1", "pool1", "res2", "res3", "res5", "pool5", "prob"], predict=False)
network("ResNet50Layers_fb", resnet.ResNet50Layers(None, downsample_fb=True), ["res4", "fc6"])
network("GoogLeNet", googlenet.GoogLeNet(None), ["pool1", "conv2", "inception_4a", "pool5", "loss3_fc", "prob", "loss1_fc2", "loss2_fc2"],
        predict=True)
network("VGG16Layers", vgg.VGG16Layers(None), ["conv1_2", "pool3", "pool5", "fc7", "fc8", "prob"])
parts("VGG19Layers", vgg.VGG19Layers(None))
parts("ResNet101Layers", resnet.ResNet101Layers(None))
parts("ResNet152Layers", resnet.ResNet152Layers(None))
np.savez_compressed(pathlib.Path(__file__).with_name("chainer_vision.npz"), **arrays)
