"""Convolutions over one to three axes, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from catena._catena import Parameter, Variable, functions as F
from catena.nn._module import Layer
from catena.nn._sizes import per_axis, positive, positive_or_none

Sizes = int | Sequence[int]


class _Convolution(Layer):
    """What Conv1d to Deconv3d share."""

    axes: int
    transposed = False

    def __init__(
        self,
        in_channels: int | None,
        out_channels: int,
        ksize: Sizes,
        stride: Sizes = 1,
        pad: Sizes = 0,
        *,
        dilate: Sizes = 1,
        groups: int = 1,
        bias: bool = True,
        initial_W: Any = None,
        initial_bias: Any = 0.0,
    ) -> None:
        kind = type(self).__name__
        self.out_channels = positive(f"{kind}: out_channels", out_channels)
        self.ksize = per_axis(f"{kind}: ksize", ksize, self.axes)
        self.stride = stride
        self.pad = pad
        self.dilate = dilate
        self.groups = positive(f"{kind}: groups", groups)
        if out_channels % groups:
            raise ValueError(
                f"{kind}: out_channels should be a multiple of groups, it is {out_channels} of "
                f"{groups}"
            )
        channels = positive_or_none(f"{kind}: in_channels", in_channels)
        self.W = Parameter(initial_W, None if channels is None else self._shape(channels))
        self.b = Parameter(initial_bias, (out_channels,)) if bias else None

    def _shape(self, in_channels: int) -> tuple[int, ...]:
        if in_channels % self.groups:
            raise ValueError(
                f"{type(self).__name__}: in_channels should be a multiple of groups, it is "
                f"{in_channels} of {self.groups}"
            )
        if self.transposed:
            return (in_channels, self.out_channels // self.groups, *self.ksize)
        return (self.out_channels, in_channels // self.groups, *self.ksize)

    def _prepare(self, x: Any) -> None:
        if not self.W.is_initialized and len(x.shape) == self.axes + 2:
            self.W.initialize(self._shape(x.shape[1]))

    def extra(self) -> str:
        channels = None
        if self.W.is_initialized:
            channels = self.W.shape[0] if self.transposed else self.W.shape[1] * self.groups
        parts = [f"{channels}, {self.out_channels}, {self.ksize}"]
        for name, usual in (("stride", 1), ("pad", 0), ("dilate", 1), ("groups", 1)):
            if getattr(self, name) != usual:
                parts.append(f"{name}={getattr(self, name)}")
        if self.b is None:
            parts.append("bias=False")
        return ", ".join(parts)


class _Forward(_Convolution):
    def forward(self, x: Any) -> Variable:
        self._prepare(x)
        return F.convolution_nd(
            x, self.W, self.b, self.stride, self.pad, dilate=self.dilate, groups=self.groups
        )


class _Transposed(_Convolution):
    transposed = True

    def __init__(self, *args: Any, outsize: Sizes | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.outsize = outsize

    def forward(self, x: Any) -> Variable:
        self._prepare(x)
        return F.deconvolution_nd(
            x,
            self.W,
            self.b,
            self.stride,
            self.pad,
            self.outsize,
            dilate=self.dilate,
            groups=self.groups,
        )


class Conv1d(_Forward):
    """Convolution of x (N, in_channels, L) with W (out_channels, in_channels / groups, k), plus b:
    (N, out_channels, L2).

    Arguments as of Conv2d; see catena.convolution_1d.
    """

    axes = 1


class Conv2d(_Forward):
    """Convolution of x (N, in_channels, H, W) with W (out_channels, in_channels / groups, kh, kw),
    plus b: (N, out_channels, H2, W2); see catena.convolution_2d.

    ValueError for sizes that are not positive, and groups that do not divide the channels; its call
    raises ShapeError where x does not fit.

    Args:
        in_channels: channels of x; None: from the first input.
        out_channels: channels of the result.
        ksize: size of the window: a number, or one for each axis.
        stride: pixels from one window to the next: a number, or one for each axis.
        pad: zeros around x, on each side: a number, or one for each axis.
        dilate: pixels from one element of a window to the next: a number, or one for each axis.
        groups: parts of the channels that are convolved each by itself.
        bias: False: without b.
        initial_W, initial_bias: as catena.initializers.get() takes them; LeCunNormal and 0.
    """

    axes = 2


class Conv3d(_Forward):
    """Convolution of x (N, in_channels, D, H, W): (N, out_channels, D2, H2, W2).

    Arguments as of Conv2d; see catena.convolution_3d.
    """

    axes = 3


class Deconv1d(_Transposed):
    """Transposed convolution of x (N, in_channels, L): (N, out_channels, L2).

    Arguments as of Deconv2d.
    """

    axes = 1


class Deconv2d(_Transposed):
    """Transposed convolution of x (N, in_channels, H, W), towards larger pictures:
    (N, out_channels, H2, W2); see catena.deconvolution_2d.

    W is (in_channels, out_channels / groups, kh, kw). Arguments and errors as of Conv2d.

    Args:
        outsize: (H2, W2), one of the sizes that a convolution makes x's of; None: the smallest.
    """

    axes = 2


class Deconv3d(_Transposed):
    """Transposed convolution of x (N, in_channels, D, H, W): (N, out_channels, D2, H2, W2).

    Arguments as of Deconv2d.
    """

    axes = 3
