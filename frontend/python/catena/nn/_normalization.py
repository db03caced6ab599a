"""Normalizations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from catena._catena import Parameter, State, Variable, config, functions as F
from catena.initializers import generate
from catena.nn._module import Layer
from catena.nn._sizes import positive


class BatchNorm(Layer):
    """(x - mean) / sqrt(variance + eps) * gamma + beta for every channel of x (N, size, ...)
    (Ioffe and Szegedy 2015, "Batch Normalization").

    In training mode (`catena.config.train`) by the statistics of the batch, which move the running
    ones (avg_mean, avg_var); else by the running ones. With `axis` those axes are averaged over,
    and `size` is the shape of the others. ShapeError where x does not fit.

    Args:
        size: channels; None: from the first input.
        decay: how much of the running statistics stays at each batch.
        eps: added to the variance.
        axis: axes to average over; None: all but axis 1.
        use_gamma, use_beta: False: without it.
        initial_gamma, initial_beta: as catena.initializers.get() takes them; 1 and 0.
    """

    def __init__(
        self,
        size: int | Sequence[int] | None = None,
        *,
        decay: float = 0.9,
        eps: float = 2e-5,
        axis: int | Sequence[int] | None = None,
        use_gamma: bool = True,
        use_beta: bool = True,
        initial_gamma: Any = 1.0,
        initial_beta: Any = 0.0,
    ) -> None:
        self.decay = decay
        self.eps = eps
        self.axis = (axis,) if isinstance(axis, int) else None if axis is None else tuple(axis)
        self.gamma = Parameter(initial_gamma) if use_gamma else None
        self.beta = Parameter(initial_beta) if use_beta else None
        self.avg_mean = State()
        self.avg_var = State()
        self.N = State(np.zeros((), np.int64))
        if size is not None:
            self._initialize((size,) if isinstance(size, int) else tuple(size))

    def _initialize(self, shape: tuple[int, ...]) -> None:
        for size in shape:
            positive("BatchNorm: size", size)
        for parameter in (self.gamma, self.beta):
            if parameter is not None:
                parameter.initialize(shape)
        self.avg_mean._set_content(generate(0.0, shape, config.dtype))
        self.avg_var._set_content(generate(1.0, shape, config.dtype))

    def _kept_shape(self, x: Any) -> tuple[int, ...]:
        if self.axis is None:
            return tuple(x.shape[1:2])
        averaged = {axis % len(x.shape) for axis in self.axis}
        return tuple(size for i, size in enumerate(x.shape) if i not in averaged)

    def forward(self, x: Any) -> Variable:
        if not self.avg_mean.is_initialized:
            self._initialize(self._kept_shape(x))
        shape = self.avg_mean.shape
        gamma = F.full(shape, 1.0, self.avg_mean.dtype) if self.gamma is None else self.gamma
        beta = F.full(shape, 0.0, self.avg_mean.dtype) if self.beta is None else self.beta
        if not config.train:
            return F.fixed_batch_normalization(
                x, gamma, beta, self.avg_mean, self.avg_var, eps=self.eps, axis=self.axis
            )
        return F.batch_normalization(
            x,
            gamma,
            beta,
            eps=self.eps,
            running_mean=self.avg_mean,
            running_var=self.avg_var,
            decay=self.decay,
            axis=self.axis,
        )

    def extra(self) -> str:
        return ", ".join(map(str, self.avg_mean.shape)) if self.avg_mean.is_initialized else "None"


class LayerNorm(Layer):
    """(x - mean) / sqrt(variance + eps) * gamma + beta for every row along the last axis of
    x (..., size) (Ba et al. 2016, "Layer Normalization").

    Args:
        size: elements of a row; None: from the first input.
        eps: added to the variance.
        initial_gamma, initial_beta: as catena.initializers.get() takes them; 1 and 0.
    """

    def __init__(
        self,
        size: int | None = None,
        *,
        eps: float = 1e-6,
        initial_gamma: Any = 1.0,
        initial_beta: Any = 0.0,
    ) -> None:
        shape = None if size is None else (positive("LayerNorm: size", size),)
        self.eps = eps
        self.gamma = Parameter(initial_gamma, shape)
        self.beta = Parameter(initial_beta, shape)

    def forward(self, x: Any) -> Variable:
        if not self.gamma.is_initialized:
            for parameter in (self.gamma, self.beta):
                parameter.initialize((x.shape[-1],))
        rows = x if len(x.shape) == 2 else F.reshape(x, (-1, x.shape[-1]))
        y = F.layer_normalization(rows, self.gamma, self.beta, self.eps)
        return y if rows is x else F.reshape(y, x.shape)

    def extra(self) -> str:
        return str(self.gamma.shape[0]) if self.gamma.is_initialized else "None"


class GroupNorm(Layer):
    """(x - mean) / sqrt(variance + eps) * gamma + beta for each of `groups` groups of channels of a
    sample of x (N, size, ...) (Wu and He 2018, "Group Normalization").

    ValueError where the groups do not divide the channels.

    Args:
        groups: how many groups of channels.
        size: channels; None: from the first input.
        eps: added to the variance.
        initial_gamma, initial_beta: as catena.initializers.get() takes them; 1 and 0.
    """

    def __init__(
        self,
        groups: int,
        size: int | None = None,
        *,
        eps: float = 1e-5,
        initial_gamma: Any = 1.0,
        initial_beta: Any = 0.0,
    ) -> None:
        shape = None if size is None else (positive("GroupNorm: size", size),)
        self.groups = positive("GroupNorm: groups", groups)
        self.eps = eps
        self.gamma = Parameter(initial_gamma, shape)
        self.beta = Parameter(initial_beta, shape)

    def forward(self, x: Any) -> Variable:
        if not self.gamma.is_initialized:
            for parameter in (self.gamma, self.beta):
                parameter.initialize((x.shape[1],))
        return F.group_normalization(x, self.groups, self.gamma, self.beta, self.eps)

    def extra(self) -> str:
        size = self.gamma.shape[0] if self.gamma.is_initialized else None
        return f"{self.groups}, {size}"
