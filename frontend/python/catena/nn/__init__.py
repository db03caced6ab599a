"""Modules of networks: `import catena.nn as nn`.

Every module is an object with attributes, as Chainer's links are; see Module. Activations are
functions of catena, which Sequential takes as they are: `nn.Sequential(nn.Linear(100), ct.relu)`.
"""

import typing as _typing

from catena import _hints
from catena.nn._convolution import Conv1d, Conv2d, Conv3d, Deconv1d, Deconv2d, Deconv3d
from catena.nn._linear import Bilinear, Embedding, EmbedID, Linear
from catena.nn._module import Module, Sequential
from catena.nn._normalization import BatchNorm, GroupNorm, LayerNorm
from catena.nn._recurrent import GRU, LSTM, RNN, GRUCell, LSTMCell
from catena.nn._simple import AvgPool2d, Dropout, Flatten, MaxPool2d, PReLU

__all__ = [
    "GRU",
    "LSTM",
    "RNN",
    "AvgPool2d",
    "BatchNorm",
    "Bilinear",
    "Conv1d",
    "Conv2d",
    "Conv3d",
    "Deconv1d",
    "Deconv2d",
    "Deconv3d",
    "Dropout",
    "EmbedID",
    "Embedding",
    "Flatten",
    "GRUCell",
    "GroupNorm",
    "LSTMCell",
    "LayerNorm",
    "Linear",
    "MaxPool2d",
    "Module",
    "PReLU",
    "Sequential",
]


if not _typing.TYPE_CHECKING:  # They are to find names that are not there.

    def __getattr__(name: str) -> object:
        raise _hints.missing(__name__, name, _hints.NN)


_hints.attach(Module, _hints.MODULE)
for _layer in (Bilinear, Embedding, Linear, Conv1d, Conv2d, Conv3d, Deconv1d, Deconv2d, Deconv3d):
    _hints.attach(_layer, _hints.LAYER)
