"""Mini-batches of arrays. Training loops take any iterable; this one suffices for arrays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from catena import _hints
from numpy.typing import NDArray

__all__ = ["Batches"]


class Batches:
    """Mini-batches of arrays that belong together: `for x, t in Batches(xs, ts, size=100): ...`

    Every loop over it goes once through all rows, in a new random order where `shuffle` is true;
    of a single array it gives arrays instead of tuples. The last batch is smaller where `size` does
    not divide the number of rows, or left out with `drop_last`. len() is the number of batches.

    Args:
        arrays: ndarrays, or what can be indexed by an array of integers, of the same length.
        size: rows of a batch.
        shuffle: False: in the order of the rows.
        drop_last: leave out a smaller batch at the end.
        seed: of the order; None: drawn from `numpy.random`, so that numpy.random.seed() decides.
    """

    def __init__(
        self,
        *arrays: Any,
        size: int,
        shuffle: bool = True,
        drop_last: bool = False,
        seed: int | None = None,
    ) -> None:
        if not arrays:
            raise TypeError("Batches: there should be at least one array")
        lengths = [len(array) for array in arrays]
        if len(set(lengths)) != 1:
            raise ValueError(f"Batches: the arrays should have the same length, not {lengths}")
        if size <= 0:
            raise ValueError(f"Batches: size should be positive, it is {size}")
        self._arrays = arrays
        self._count = lengths[0]
        self.size = size
        self.shuffle = shuffle
        self.drop_last = drop_last
        self._random = np.random if seed is None else np.random.RandomState(seed)

    def __len__(self) -> int:
        whole, rest = divmod(self._count, self.size)
        return whole + (rest > 0 and not self.drop_last)

    def __iter__(self) -> Iterator[Any]:
        order = self._random.permutation(self._count) if self.shuffle else None
        for i in range(len(self)):
            rows: slice | NDArray[Any] = slice(i * self.size, (i + 1) * self.size)
            if order is not None:
                rows = order[rows]
            parts = tuple(array[rows] for array in self._arrays)
            yield parts if len(parts) > 1 else parts[0]


if not TYPE_CHECKING:  # They are to find names that are not there.

    def __getattr__(name: str) -> object:
        raise _hints.missing(__name__, name, _hints.DATA)
