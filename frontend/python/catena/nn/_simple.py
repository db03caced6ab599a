"""Layers without parameters, for Sequential: functions of catena serve there, too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from catena._catena import Parameter, Variable, functions as F
from catena.nn._module import Layer

Sizes = int | Sequence[int]


class Dropout(Layer):
    """In training mode, zeros for a random part of the elements; the others grow instead."""

    def __init__(self, ratio: float = 0.5) -> None:
        if not 0.0 <= ratio < 1.0:
            raise ValueError(f"Dropout: ratio should be in [0, 1), it is {ratio}")
        self.ratio = ratio

    def forward(self, x: Any) -> Variable:
        return F.dropout(x, self.ratio)

    def extra(self) -> str:
        return str(self.ratio)


class Flatten(Layer):
    """[N, ...] as [N, all the rest]."""

    def forward(self, x: Any) -> Variable:
        return F.reshape(x, (x.shape[0], -1))


class _Pooling(Layer):
    def __init__(self, ksize: Sizes, stride: Sizes | None = None, pad: Sizes = 0) -> None:
        self.ksize = ksize
        self.stride = stride
        self.pad = pad

    def extra(self) -> str:
        parts = [str(self.ksize)]
        if self.stride is not None:
            parts.append(f"stride={self.stride}")
        if self.pad != 0:
            parts.append(f"pad={self.pad}")
        return ", ".join(parts)


class MaxPool2d(_Pooling):
    """The largest of each window of ksize; stride None: windows side by side.

    With `cover_all`, as Chainer has it, windows that stand out at the end count, too.
    """

    def __init__(
        self,
        ksize: Sizes,
        stride: Sizes | None = None,
        pad: Sizes = 0,
        *,
        cover_all: bool = False,
    ) -> None:
        super().__init__(ksize, stride, pad)
        self.cover_all = cover_all

    def forward(self, x: Any) -> Variable:
        return F.max_pooling_2d(x, self.ksize, self.stride, self.pad, self.cover_all)


class AvgPool2d(_Pooling):
    """The mean of each window of ksize; stride None: windows side by side."""

    def forward(self, x: Any) -> Variable:
        return F.average_pooling_2d(x, self.ksize, self.stride, self.pad)


class PReLU(Layer):
    """max(0, x) + W min(0, x) with a learned W of `shape`, which x has from axis 1 on."""

    def __init__(self, shape: Sequence[int] = (), init: float = 0.25) -> None:
        self.W = Parameter(init, tuple(shape))

    def forward(self, x: Any) -> Variable:
        return F.prelu(x, self.W)
