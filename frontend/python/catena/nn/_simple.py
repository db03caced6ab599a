"""Layers without parameters, for Sequential: functions of catena serve there, too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from catena._catena import Parameter, Variable, functions as F
from catena.nn._module import Layer

Sizes = int | Sequence[int]


class Dropout(Layer):
    """In training mode each element of x, of any shape, is 0 with the probability `ratio`, and else
    divided by 1 - ratio; in test mode x (Srivastava et al. 2014, "Dropout").

    ValueError unless 0 <= ratio < 1.
    """

    def __init__(self, ratio: float = 0.5) -> None:
        if not 0.0 <= ratio < 1.0:
            raise ValueError(f"Dropout: ratio should be in [0, 1), it is {ratio}")
        self.ratio = ratio

    def forward(self, x: Any) -> Variable:
        return F.dropout(x, self.ratio)

    def extra(self) -> str:
        return str(self.ratio)


class Flatten(Layer):
    """x (N, ...) as (N, all the rest)."""

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
    """The largest of each window of x (N, C, H, W): (N, C, H2, W2); see catena.max_pooling_2d.

    Args:
        ksize: size of the window: a number, or (kh, kw).
        stride: pixels from one window to the next; None: ksize, windows side by side.
        pad: what is put around x, as if it were -infinity.
        cover_all: whether windows that exceed the end of x count, as in Chainer.
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
    """The mean of each window of x (N, C, H, W): (N, C, H2, W2); see catena.average_pooling_2d.

    Args:
        ksize: size of the window: a number, or (kh, kw).
        stride: pixels from one window to the next; None: ksize, windows side by side.
        pad: zeros put around x, which count.
    """

    def forward(self, x: Any) -> Variable:
        return F.average_pooling_2d(x, self.ksize, self.stride, self.pad)


class PReLU(Layer):
    """x where x >= 0, elsewhere W * x, with a learned W (He et al. 2015, "Delving Deep into
    Rectifiers").

    Args:
        shape: of W: the sizes of x from axis 1 on, as far as they go; () for one number.
        init: as catena.initializers.get() takes it: what W is at first.
    """

    def __init__(self, shape: Sequence[int] = (), init: float = 0.25) -> None:
        self.W = Parameter(init, tuple(shape))

    def forward(self, x: Any) -> Variable:
        return F.prelu(x, self.W)
