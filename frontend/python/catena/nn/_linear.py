"""Layers of one product or table."""

from __future__ import annotations

import math
from typing import Any

from catena._catena import Parameter, Variable, functions as F
from catena.initializers import Normal
from catena.nn._module import Layer
from catena.nn._sizes import positive, positive_or_none


class Linear(Layer):
    """x W^T + b of x (N, in_size): (N, out_size). W is (out_size, in_size), b (out_size).

    `Linear(None, 10)` and `Linear(10)` learn in_size from the first input. `layer(x, n_batch_axes)`
    keeps so many first axes of x (1), and takes the others as one vector. ShapeError where x has
    not in_size elements; ValueError for sizes that are not positive.

    Args:
        in_size: elements of an input, or None.
        out_size: elements of a result.
        bias: False: without b.
        initial_W, initial_bias: as catena.initializers.get() takes them; LeCunNormal and 0.
    """

    def __init__(
        self,
        in_size: int | None,
        out_size: int | None = None,
        *,
        bias: bool = True,
        initial_W: Any = None,
        initial_bias: Any = 0.0,
    ) -> None:
        given, inputs = (in_size, None) if out_size is None else (out_size, in_size)
        if given is None:
            raise ValueError("Linear: out_size is needed")
        self.out_size = positive("Linear: out_size", given)
        inputs = positive_or_none("Linear: in_size", inputs)
        self.W = Parameter(initial_W, None if inputs is None else (self.out_size, inputs))
        self.b = Parameter(initial_bias, (self.out_size,)) if bias else None

    def forward(self, x: Any, n_batch_axes: int = 1) -> Variable:
        if not self.W.is_initialized and len(x.shape) > n_batch_axes >= 1:
            self.W.initialize((self.out_size, math.prod(x.shape[n_batch_axes:])))
        return F.linear(x, self.W, self.b, n_batch_axes)

    def extra(self) -> str:
        in_size = self.W.shape[1] if self.W.is_initialized else None
        return f"{in_size}, {self.out_size}{'' if self.b is not None else ', bias=False'}"


class Embedding(Layer):
    """Rows of a table W (count, size) by integers x of any shape: (..., size).

    ValueError for an integer that is no row; DtypeError for floats.

    Args:
        count: rows.
        size: elements of a row.
        initial_W: Normal(1) unless given.
        ignore_label: an integer whose row is zeros.
    """

    def __init__(
        self,
        count: int,
        size: int,
        *,
        initial_W: Any = None,
        ignore_label: int | None = None,
    ) -> None:
        shape = (positive("Embedding: count", count), positive("Embedding: size", size))
        self.W = Parameter(Normal(1.0) if initial_W is None else initial_W, shape)
        self.ignore_label = ignore_label

    def forward(self, x: Any) -> Variable:
        return F.embed_id(x, self.W, self.ignore_label)

    def extra(self) -> str:
        return ", ".join(map(str, self.W.shape))


EmbedID = Embedding


class Bilinear(Layer):
    """e1 W e2 + e1 V1 + e2 V2 + b of e1 (N, left_size) and e2 (N, right_size): (N, out_size).

    W is (left_size, right_size, out_size); see catena.bilinear.

    Args:
        left_size, right_size: elements of the inputs.
        out_size: elements of a result.
        bias: False: without V1, V2 and b.
        initial_W, initial_bias: as catena.initializers.get() takes them; LeCunNormal and 0.
    """

    def __init__(
        self,
        left_size: int,
        right_size: int,
        out_size: int,
        *,
        bias: bool = True,
        initial_W: Any = None,
        initial_bias: Any = 0.0,
    ) -> None:
        sizes = (left_size, right_size, out_size)
        for size in sizes:
            positive("Bilinear: each size", size)
        self.W = Parameter(initial_W, sizes)
        self.V1 = Parameter(initial_W, (left_size, out_size)) if bias else None
        self.V2 = Parameter(initial_W, (right_size, out_size)) if bias else None
        self.b = Parameter(initial_bias, (out_size,)) if bias else None

    def forward(self, e1: Any, e2: Any) -> Variable:
        return F.bilinear(e1, e2, self.W, self.V1, self.V2, self.b)

    def extra(self) -> str:
        return ", ".join(map(str, self.W.shape))
