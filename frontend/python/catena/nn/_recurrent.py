"""Recurrent layers over sequences, and single steps of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from catena._catena import Parameter, Variable, functions as F
from catena.nn._linear import Linear
from catena.nn._module import Layer, Module
from catena.nn._sizes import positive

Sequences = Any
"""A list of sequences (length, in_size), or one array (N, length, in_size)."""


class _Weights(Module):
    """w0, b0, w1, ... of one layer and direction: first those of the input, then those of h."""

    def __init__(
        self, count: int, in_size: int, out_size: int, initial_W: Any, initial_bias: Any
    ) -> None:
        for i in range(count):
            inputs = in_size if i < count // 2 else out_size
            setattr(self, f"w{i}", Parameter(initial_W, (out_size, inputs)))
            setattr(self, f"b{i}", Parameter(initial_bias, (out_size,)))
        self._count = count

    def lists(self) -> tuple[list[Parameter], list[Parameter]]:
        numbers = range(self._count)
        return [getattr(self, f"w{i}") for i in numbers], [getattr(self, f"b{i}") for i in numbers]


class _Recurrent(Module):
    """What LSTM, GRU and RNN share; the layers are the children "0", "1", ..."""

    weights: int
    states: int

    def __init__(
        self,
        in_size: int,
        out_size: int,
        layers: int = 1,
        *,
        dropout: float = 0.0,
        bidirectional: bool = False,
        initial_W: Any = None,
        initial_bias: Any = 0.0,
    ) -> None:
        kind = type(self).__name__
        self.in_size = positive(f"{kind}: in_size", in_size)
        self.out_size = positive(f"{kind}: out_size", out_size)
        self.layers = positive(f"{kind}: layers", layers)
        self.dropout = dropout
        self.bidirectional = bidirectional
        directions = 2 if bidirectional else 1
        self._parts: int = layers * directions
        for i in range(self._parts):
            inputs = in_size if i < directions else out_size * directions
            part = _Weights(self.weights, inputs, out_size, initial_W, initial_bias)
            setattr(self, str(i), part)

    def _function(self) -> Any:
        raise NotImplementedError

    def _run(self, hx: Sequence[Any], steps: Sequence[Any]) -> tuple[list[Variable], Any]:
        lists = [getattr(self, str(i)).lists() for i in range(self._parts)]
        weights, biases = [w for w, _ in lists], [b for _, b in lists]
        *hy, ys = self._function()(
            self.layers, self.dropout, *hx, ws=weights, bs=biases, xs=list(steps)
        )
        return hy, ys

    def _zeros(self, batch: int, like: Any) -> Variable:
        return F.zeros((self._parts, batch, self.out_size), like.dtype)

    def _call(self, hx: Sequence[Any], xs: Sequences) -> tuple[Any, ...]:
        if hasattr(xs, "shape"):
            return self._call_on_batch(hx, xs)
        if not xs:
            raise ValueError(f"{type(self).__name__}: xs is empty: there should be sequences")
        lengths = [len(x) for x in xs]
        order = np.argsort([-length for length in lengths], kind="stable")
        back = np.argsort(order, kind="stable")
        given = [
            self._zeros(len(xs), xs[0]) if h is None else F.permutate(h, order, axis=1) for h in hx
        ]
        hy, ys = self._run(given, F.transpose_sequence([xs[i] for i in order]))
        sorted_ys = F.transpose_sequence(list(ys))
        return (*(F.permutate(h, back, axis=1) for h in hy), [sorted_ys[i] for i in back])

    def _call_on_batch(self, hx: Sequence[Any], xs: Any) -> tuple[Any, ...]:
        if len(xs.shape) != 3:
            raise ValueError(
                f"{type(self).__name__}: xs should be a list of sequences, or "
                f"[N, length, in_size]; it is {xs.shape}"
            )
        given = [self._zeros(xs.shape[0], xs) if h is None else h for h in hx]
        hy, ys = self._run(given, F.separate(xs, axis=1))
        return (*hy, F.stack(list(ys), axis=1))

    def extra(self) -> str:
        parts = [f"{self.in_size}, {self.out_size}"]
        if self.layers != 1:
            parts.append(f"layers={self.layers}")
        if self.dropout:
            parts.append(f"dropout={self.dropout}")
        if self.bidirectional:
            parts.append("bidirectional=True")
        return ", ".join(parts)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.extra()})"


class LSTM(_Recurrent):
    """Long short-term memory over sequences (Hochreiter and Schmidhuber 1997).

    `hy, cy, ys = lstm(xs, hx=None, cx=None)`: xs is a list of sequences (length, in_size) of any
    lengths, and ys one of (length, out_size); or both are arrays (N, length, size). hx and cx, the
    states before the first step, and hy and cy, those after the last one, are (layers, N,
    out_size), twice as many layers where bidirectional; None: zeros. ValueError for an empty list,
    ShapeError for arrays that do not fit; catena.n_step_lstm has the formulas.

    Args:
        in_size: elements of a step.
        out_size: elements of a result, of one direction.
        layers: one above the other.
        dropout: part of what goes from one layer to the next that is dropped in training mode.
        bidirectional: the results of both directions are joined: (length, 2 * out_size).
        initial_W, initial_bias: as catena.initializers.get() takes them; LeCunNormal and 0.
    """

    weights = 8

    def _function(self) -> Any:
        return F.n_step_bilstm if self.bidirectional else F.n_step_lstm

    def forward(self, xs: Sequences, hx: Any = None, cx: Any = None) -> tuple[Any, ...]:
        return self._call((hx, cx), xs)


class GRU(_Recurrent):
    """Gated recurrent units over sequences (Cho et al. 2014): `hy, ys = gru(xs, hx=None)`.

    Arguments and shapes as of LSTM; catena.n_step_gru has the formulas.
    """

    weights = 6

    def _function(self) -> Any:
        return F.n_step_bigru if self.bidirectional else F.n_step_gru

    def forward(self, xs: Sequences, hx: Any = None) -> tuple[Any, ...]:
        return self._call((hx,), xs)


class RNN(_Recurrent):
    """h = activation(W x + U h + b) over sequences (Elman 1990): `hy, ys = rnn(xs, hx=None)`.

    Arguments and shapes as of LSTM. activation is "tanh" or "relu" (ValueError).
    """

    weights = 2

    def __init__(self, *args: Any, activation: str = "tanh", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if activation not in ("tanh", "relu"):
            raise ValueError(f"RNN: activation should be 'tanh' or 'relu', not {activation!r}")
        self.activation = activation

    def _function(self) -> Any:
        function: Any = F.n_step_birnn if self.bidirectional else F.n_step_rnn
        return lambda *args, **kwargs: function(*args, activation=self.activation, **kwargs)

    def forward(self, xs: Sequences, hx: Any = None) -> tuple[Any, ...]:
        return self._call((hx,), xs)


class LSTMCell(Module):
    """One step of an LSTM: `h, c = cell(x, (h, c))`; without a state, from zeros.

    x is (N, in_size), h and c (N, out_size). in_size None: from the first input. catena.lstm has
    the formulas; initial_W and initial_bias are as catena.initializers.get() takes them.
    """

    def __init__(
        self,
        in_size: int | None,
        out_size: int,
        *,
        initial_W: Any = None,
        initial_bias: Any = 0.0,
    ) -> None:
        self.out_size = positive("LSTMCell: out_size", out_size)
        self.upward = Linear(in_size, 4 * out_size, initial_W=initial_W, initial_bias=initial_bias)
        self.lateral = Linear(out_size, 4 * out_size, bias=False, initial_W=initial_W)

    def forward(self, x: Any, state: tuple[Any, Any] | None = None) -> tuple[Variable, Variable]:
        gates = self.upward(x)
        if state is None:
            c = F.zeros((len(gates), self.out_size), gates.dtype)
        else:
            h, c = state
            gates = gates + self.lateral(h)
        c, h = F.lstm(c, gates)
        return h, c


class GRUCell(Layer):
    """One step of a GRU: `h = cell(x, h)`; without a state, from zeros.

    x is (N, in_size), h (N, out_size). in_size None: from the first input. catena.n_step_gru has
    the formulas; initial_W and initial_bias are as catena.initializers.get() takes them.
    """

    def __init__(
        self,
        in_size: int | None,
        out_size: int,
        *,
        initial_W: Any = None,
        initial_bias: Any = 0.0,
    ) -> None:
        self.out_size = positive("GRUCell: out_size", out_size)
        self.upward = Linear(in_size, 3 * out_size, initial_W=initial_W, initial_bias=initial_bias)
        self.lateral = Linear(out_size, 3 * out_size, initial_W=initial_W)

    def forward(self, x: Any, h: Any = None) -> Variable:
        up = self.upward(x)
        if h is None:
            h = F.zeros((len(up), self.out_size), up.dtype)
        reset_x, update_x, new_x = F.split_axis(up, 3, 1)
        reset_h, update_h, new_h = F.split_axis(self.lateral(h), 3, 1)
        reset = F.sigmoid(reset_x + reset_h)
        update = F.sigmoid(update_x + update_h)
        new = F.tanh(new_x + reset * new_h)
        result: Variable = update * h + (1 - update) * new
        return result
