"""How new parameters are filled: Chainer's initializers, names and defaults.

Each writes into an ndarray: `HeNormal()(array)`. Random ones draw from `numpy.random`, so
`numpy.random.seed(0)` gives the same weights in every run, and those that Chainer gives. fan_in is
shape[1] times the size of the kernel, fan_out shape[0] times it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

__all__ = [
    "Constant",
    "GlorotNormal",
    "GlorotUniform",
    "HeNormal",
    "HeUniform",
    "Identity",
    "Initializer",
    "LeCunNormal",
    "LeCunUniform",
    "NaN",
    "Normal",
    "One",
    "Orthogonal",
    "Uniform",
    "Zero",
    "generate",
    "get",
]


class Initializer:
    """Fills an ndarray. Subclasses have `__call__(self, array)`.

    `dtype` becomes that of the parameters; None: `catena.config.dtype`.
    """

    dtype: np.dtype[Any] | None

    def __init__(self, dtype: DTypeLike | None = None) -> None:
        try:
            self.dtype = None if dtype is None else np.dtype(dtype)
        except TypeError as error:
            kind = type(dtype).__name__
            raise TypeError(f"{type(self).__name__}: dtype is a {kind}, no dtype") from error

    def __call__(self, array: NDArray[Any]) -> None:
        raise NotImplementedError(f"{type(self).__name__} has no __call__(self, array)")

    def __repr__(self) -> str:
        given = {k: v for k, v in vars(self).items() if not (k == "dtype" and v is None)}
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in given.items())})"


class Constant(Initializer):
    """A number everywhere, or an array of the parameter's shape (ValueError for another)."""

    def __init__(self, fill_value: ArrayLike, dtype: DTypeLike | None = None) -> None:
        super().__init__(dtype)
        self.fill_value = fill_value

    def __call__(self, array: NDArray[Any]) -> None:
        value = np.asarray(self.fill_value)
        if value.ndim and value.shape != array.shape:
            raise ValueError(
                f"Constant: the array has shape {value.shape}, the parameter {array.shape}; "
                "they should be equal"
            )
        array[...] = value


class Zero(Constant):
    """0 everywhere."""

    def __init__(self, dtype: DTypeLike | None = None) -> None:
        super().__init__(0.0, dtype)


class One(Constant):
    """1 everywhere."""

    def __init__(self, dtype: DTypeLike | None = None) -> None:
        super().__init__(1.0, dtype)


class NaN(Constant):
    """NaN everywhere: what is not set shows."""

    def __init__(self, dtype: DTypeLike | None = None) -> None:
        super().__init__(math.nan, dtype)


class Identity(Initializer):
    """`scale` times the identity; ValueError for all but square matrices."""

    def __init__(self, scale: float = 1.0, dtype: DTypeLike | None = None) -> None:
        super().__init__(dtype)
        self.scale = float(scale)

    def __call__(self, array: NDArray[Any]) -> None:
        if array.ndim != 2 or array.shape[0] != array.shape[1]:
            raise ValueError(f"Identity: fills square matrices, not {array.shape}")
        array[...] = self.scale * np.identity(len(array))


def _fans(name: str, shape: tuple[int, ...]) -> tuple[int, int]:
    if len(shape) < 2:
        raise ValueError(f"{name}: a shape of at least 2 dimensions has fans, {shape} has none")
    kernel = math.prod(shape[2:])
    return shape[1] * kernel, shape[0] * kernel


class _Scaled(Initializer):
    def __init__(self, scale: float, dtype: DTypeLike | None) -> None:
        super().__init__(dtype)
        self.scale = float(scale)

    def _deviation(self, shape: tuple[int, ...]) -> float:
        """Of a normal distribution, or half the width of a uniform one."""
        return self.scale

    def _fans(self, shape: tuple[int, ...]) -> tuple[int, int]:
        return _fans(type(self).__name__, shape)


class Normal(_Scaled):
    """The normal distribution of mean 0 and standard deviation `scale`."""

    def __init__(self, scale: float = 0.05, dtype: DTypeLike | None = None) -> None:
        super().__init__(scale, dtype)

    def __call__(self, array: NDArray[Any]) -> None:
        deviation = self._deviation(array.shape)
        array[...] = np.random.normal(loc=0.0, scale=deviation, size=array.shape)


class Uniform(_Scaled):
    """The uniform distribution from -scale to scale."""

    def __init__(self, scale: float = 0.05, dtype: DTypeLike | None = None) -> None:
        super().__init__(scale, dtype)

    def __call__(self, array: NDArray[Any]) -> None:
        width = self._deviation(array.shape)
        array[...] = np.random.uniform(low=-width, high=width, size=array.shape)


class LeCunNormal(Normal):
    """Normal(scale * sqrt(1 / fan_in)), the default of weights (LeCun et al. 1998, "Efficient
    BackProp"). ValueError for shapes of less than two axes, as of all with a fan.
    """

    def __init__(self, scale: float = 1.0, dtype: DTypeLike | None = None) -> None:
        super().__init__(scale, dtype)

    def _deviation(self, shape: tuple[int, ...]) -> float:
        fan_in, _ = self._fans(shape)
        return self.scale * math.sqrt(1.0 / fan_in)


class LeCunUniform(Uniform):
    """Uniform(scale * sqrt(3 / fan_in)) (LeCun et al. 1998, "Efficient BackProp")."""

    def __init__(self, scale: float = 1.0, dtype: DTypeLike | None = None) -> None:
        super().__init__(scale, dtype)

    def _deviation(self, shape: tuple[int, ...]) -> float:
        fan_in, _ = self._fans(shape)
        return self.scale * math.sqrt(3.0 / fan_in)


class GlorotNormal(Normal):
    """Normal(scale * sqrt(2 / (fan_in + fan_out))) (Glorot and Bengio 2010, "Understanding the
    difficulty of training deep feedforward neural networks").
    """

    def __init__(self, scale: float = 1.0, dtype: DTypeLike | None = None) -> None:
        super().__init__(scale, dtype)

    def _deviation(self, shape: tuple[int, ...]) -> float:
        return self.scale * math.sqrt(2.0 / sum(self._fans(shape)))


class GlorotUniform(Uniform):
    """Uniform(scale * sqrt(6 / (fan_in + fan_out))) (Glorot and Bengio 2010, "Understanding the
    difficulty of training deep feedforward neural networks").
    """

    def __init__(self, scale: float = 1.0, dtype: DTypeLike | None = None) -> None:
        super().__init__(scale, dtype)

    def _deviation(self, shape: tuple[int, ...]) -> float:
        return self.scale * math.sqrt(6.0 / sum(self._fans(shape)))


class HeNormal(Normal):
    """Normal(scale * sqrt(2 / fan)) (He et al. 2015, "Delving Deep into Rectifiers").

    fan_option is "fan_in" or "fan_out" (ValueError).
    """

    def __init__(
        self, scale: float = 1.0, dtype: DTypeLike | None = None, *, fan_option: str = "fan_in"
    ) -> None:
        super().__init__(scale, dtype)
        if fan_option not in ("fan_in", "fan_out"):
            raise ValueError(f"HeNormal: fan_option is 'fan_in' or 'fan_out', not {fan_option!r}")
        self.fan_option = fan_option

    def _deviation(self, shape: tuple[int, ...]) -> float:
        fan_in, fan_out = self._fans(shape)
        fan = fan_in if self.fan_option == "fan_in" else fan_out
        return self.scale * math.sqrt(2.0 / fan)


class HeUniform(Uniform):
    """Uniform(scale * sqrt(6 / fan_in)) (He et al. 2015, "Delving Deep into Rectifiers")."""

    def __init__(self, scale: float = 1.0, dtype: DTypeLike | None = None) -> None:
        super().__init__(scale, dtype)

    def _deviation(self, shape: tuple[int, ...]) -> float:
        fan_in, _ = self._fans(shape)
        return self.scale * math.sqrt(6.0 / fan_in)


class Orthogonal(Initializer):
    """`scale` times a random matrix of shape[0] rows whose rows or columns, whichever are fewer,
    are orthonormal (Saxe et al. 2013, "Exact solutions to the nonlinear dynamics of learning in
    deep linear neural networks").

    `mode` refuses shapes (ValueError): "projection" those of more rows than columns, "embedding"
    those of fewer, "basis" all but square ones, "auto" none.
    """

    def __init__(
        self, scale: float = 1.1, dtype: DTypeLike | None = None, mode: str = "auto"
    ) -> None:
        super().__init__(dtype)
        if mode not in ("auto", "projection", "embedding", "basis"):
            raise ValueError(
                f"Orthogonal: mode is 'auto', 'projection', 'embedding' or 'basis', not {mode!r}"
            )
        self.scale = scale
        self.mode = mode

    def __call__(self, array: NDArray[Any]) -> None:
        if not array.shape:
            array[...] = self.scale * (2 * np.random.randint(2) - 1)
            return
        if not array.size:
            raise ValueError("Orthogonal: the array to be filled is empty")
        rows, columns = len(array), array.size // len(array)
        if (
            (self.mode == "projection" and rows > columns)
            or (self.mode == "embedding" and rows < columns)
            or (self.mode == "basis" and rows != columns)
        ):
            raise ValueError(f"Orthogonal: mode {self.mode!r} does not fit {rows} x {columns}")
        drawn = np.random.normal(0, 1, (rows, columns))
        q, r = np.linalg.qr(drawn if rows >= columns else drawn.T)
        q *= np.copysign(self.scale, np.diag(r))
        array[...] = (q if rows >= columns else q.T).reshape(array.shape)


def get(initializer: Any) -> Callable[[NDArray[Any]], None]:
    """What fills a parameter: None is LeCunNormal(), a number or an array Constant(it).

    TypeError for anything else that cannot be called.
    """
    if initializer is None:
        return LeCunNormal()
    if callable(initializer):
        return initializer  # type: ignore[no-any-return]
    if np.isscalar(initializer) or isinstance(initializer, np.ndarray):
        return Constant(initializer)
    raise TypeError(
        "an initializer is None, a number, an array, or what fills an array, "
        f"not {type(initializer).__name__}"
    )


def generate(initializer: Any, shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
    """A new ndarray that the initializer has filled."""
    array = np.empty(shape, dtype)
    get(initializer)(array)
    return array
