"""Samples in tar archives (WebDataset's shards): data that need not fit in memory, for many
ranks."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Any

import numpy as np
from catena import _shards
from catena._catena import FileError
from numpy.typing import NDArray

__all__ = ["Shards", "Writer", "count", "expand", "stack"]

Sample = dict[str, Any]
PathLike = str | os.PathLike[str]


def expand(pattern: PathLike) -> list[str]:
    """The paths that a pattern with braces names, as a shell does: "train-{0000..0146}.tar" are 147
    paths; without braces it is one."""
    return _shards.expand(os.fspath(pattern))


def count(path: PathLike) -> int:
    """The number of samples of a shard. The contents of a plain tar file are not read."""
    return _shards.count(os.fspath(path))


def stack(values: Sequence[Any]) -> Any:
    """A batch of what a transform gave: of tuples a tuple, and of arrays and numbers an array with
    a new first axis. Anything else stays the list that it is."""
    first = values[0]
    if isinstance(first, tuple):
        return tuple(stack(column) for column in zip(*values, strict=True))
    if isinstance(first, (np.ndarray, np.generic, int, float)):
        return np.stack([np.asarray(value) for value in values])
    return list(values)


class Shards:
    """Batches of the samples in tar shards: `for x, t in Shards("train-{000..146}.tar", ...): ...`

    A sample is the files that lie behind each other in the archive and have one name but for the
    extension: a dict of "__key__" (the name), "__url__" (the archive), "__seed__" and, by
    extension, the bytes of each file: {"__key__": "cats/000012", "jpg": b"...", "cls": b"3", ...}.
    `transform` makes of it what a batch is made of.

    Every loop over it goes through one epoch, in another order each time where `shuffle` is true,
    and begins where the last one was left. Shards come in a new order, and samples are drawn from
    a window of those that were read; a thread reads ahead, so that no more than the window, `ahead`
    batches and two more are in memory. `epoch` counts complete epochs.

    A resumed training sees the samples that were to come: `ct.save("state.npz", {"model": model,
    "data": shards})` and `ct.load("state.npz", {"model": model, "data": shards})`, also within an
    epoch. In a transform, numpy.random.default_rng(sample["__seed__"]) gives random numbers that do
    not depend on the number of workers either.

    Of several ranks (`rank` of `ranks`, with one `seed`) each reads other shards in every pass.
    They have different numbers of samples, so ranks that train together need `epoch_size`. Another
    number of ranks can go on from a state of theirs: it divides what they have left.

    Args:
        shards: a pattern of paths (see expand()), or a list of them.
        size: samples of a batch; the last one of an epoch may be smaller.
        transform: makes of a sample's dict an array, a number, or a tuple of them; None: the dict.
        collate: makes a batch of a list of samples; None: stack().
        shuffle: False: in the order of the shards.
        window: the number of samples that one is drawn from.
        seed: of all orders; None: drawn from numpy.random, so that numpy.random.seed() decides.
        epoch_size: samples of an epoch, of this rank; 0: an epoch is all samples of its shards.
        drop_last: leave out a smaller batch at the end of an epoch.
        workers: threads that transform; 0: the loop's own.
        ahead: batches that are read ahead.

    Raises:
        FileError: naming file and entry, for shards that are missing, damaged or cut.
        ArgumentError: for sizes and ranks that are out of range.
    """

    def __init__(
        self,
        shards: PathLike | Sequence[PathLike],
        size: int,
        *,
        transform: Callable[[Sample], Any] | None = None,
        collate: Callable[[list[Any]], Any] | None = None,
        shuffle: bool = True,
        window: int = 1000,
        seed: int | None = None,
        epoch_size: int = 0,
        drop_last: bool = False,
        rank: int = 0,
        ranks: int = 1,
        workers: int = 0,
        ahead: int = 2,
    ) -> None:
        patterns = [shards] if isinstance(shards, (str, os.PathLike)) else list(shards)
        self.paths = [path for pattern in patterns for path in expand(pattern)]
        if seed is None:
            seed = int(np.random.randint(2**63 - 1, dtype=np.int64))
        if workers < 0:
            raise ValueError(f"Shards: workers should not be negative, it is {workers}")
        self._reader = _shards.Reader(
            self.paths, size, epoch_size, shuffle, window, seed, rank, ranks, ahead
        )
        self._size = size
        self._transform = transform
        self._collate = stack if collate is None else collate
        self._drop_last = drop_last
        self._workers = workers
        self._epoch = 0
        self._state = self._reader.state()
        self._is_at_state = True

    @property
    def epoch(self) -> int:
        """The number of complete epochs."""
        return self._epoch

    def __iter__(self) -> Iterator[Any]:
        if not self._is_at_state:  # The last loop was left with batches read ahead of it.
            self._restore(self._state)
        if self._state["epoch"]:
            self._reader.reset()
            self._state = self._reader.state()
        if self._workers == 0:
            yield from self._batches(None)
        else:
            with ThreadPoolExecutor(self._workers, "catena.shards") as pool:
                yield from self._batches(pool)

    def _batches(self, pool: ThreadPoolExecutor | None) -> Iterator[Any]:
        waiting: deque[tuple[list[Any], dict[str, Any]]] = deque()
        most = 1 if pool is None else 2
        is_over = False
        self._is_at_state = False
        while True:
            while len(waiting) < most and not is_over:
                samples = self._reader.next()
                is_over = samples is None
                if samples is not None:
                    waiting.append((self._started(samples, pool), self._reader.state()))
            if not waiting:
                self._is_at_state = True
                return
            started, state = waiting.popleft()
            values = [v.result() if isinstance(v, Future) else v for v in started]
            is_left_out = self._drop_last and len(values) < self._size
            batch = None if is_left_out else self._collate(values)
            self._state = state
            self._is_at_state = not waiting
            self._epoch += int(state["epoch"])
            if not is_left_out:
                yield batch
            self._is_at_state = False

    def _started(self, samples: list[Sample], pool: ThreadPoolExecutor | None) -> list[Any]:
        if self._transform is None:
            return list(samples)
        if pool is None:
            return [self._transformed(sample) for sample in samples]
        return [pool.submit(self._transformed, sample) for sample in samples]

    def _transformed(self, sample: Sample) -> Any:
        assert self._transform is not None
        key, url = sample["__key__"], sample["__url__"]
        try:
            return self._transform(sample)
        except Exception as error:
            error.add_note(f"in the transform of sample '{key}' of {url}")
            raise

    def state_dict(self) -> dict[str, NDArray[Any]]:
        """Where the last loop is: behind the batch that it gave last."""
        state = {key: np.asarray(value) for key, value in self._state.items()}
        return {**state, "epochs": np.asarray(self._epoch)}

    def load_state_dict(self, values: Mapping[str, Any], strict: bool = True) -> None:
        """Goes to where state_dict() was, with the same shards in whatever folder.

        The values of any rank do, if epoch_size was given. Where they are of another number of
        ranks, these divide the samples that the others have left of their pass.

        FileError where the values are of other shards, or of a pass of several ranks that was not
        read to its end, or, unless `strict` is false, where one is missing.
        """
        undivided: dict[str, Any] = {"rest_begin": [0, 0, 0], "rest_pieces": [], "rest_loose": []}
        missing = [
            key for key in [*self._state, "epochs"] if key not in values and key not in undivided
        ]
        if missing and strict:
            raise FileError(f"Shards: {missing[0]} is missing")
        given = {key: np.asarray(values[key]) for key in self._state if key in values}
        loaded = {key: value.tolist() for key, value in given.items()}
        self._restore({**self._state, **undivided, **loaded})
        self._epoch = int(values.get("epochs", self._epoch))

    def _restore(self, state: Mapping[str, Any]) -> None:
        lists = [(key, value) for key, value in state.items() if isinstance(value, list)]
        integers = [(key, int(value)) for key, value in state.items() if isinstance(value, int)]
        numbers = [(key, value) for key, value in state.items() if isinstance(value, float)]
        self._reader.restore(lists, integers, numbers)
        self._state = self._reader.state()
        self._is_at_state = True


class Writer:
    """Writes samples into tar shards, which Shards, WebDataset and tar read.

        with ct.shards.Writer("train-%06d.tar") as shards:
            shards.write("000012", {"jpg": picture, "cls": "3"})

    `%06d` stands for the number of the shard, from 0; a path without it is one shard. A shard
    appears when it is complete: where the block ends by an exception, the last one does not.

    Args:
        pattern: the path of the shards.
        most_samples: of a shard.
        most_bytes: of a shard, after which the next one begins.
    """

    def __init__(
        self, pattern: PathLike, *, most_samples: int = 10_000, most_bytes: int = 2**30
    ) -> None:
        self._writer = _shards.Writer(os.fspath(pattern), most_samples, most_bytes)

    def write(self, key: str, files: Mapping[str, bytes | str]) -> None:
        """Adds a sample: its files by extension, texts as UTF-8.

        ArgumentError for names that would be read otherwise: a key with a dot in its last part, or
        that of the sample before; an extension with large letters or a slash.
        """
        contents = [
            (extension, content.encode() if isinstance(content, str) else bytes(content))
            for extension, content in files.items()
        ]
        self._writer.write(key, contents)

    def finish(self) -> None:
        """Completes the last shard."""
        self._writer.finish()

    @property
    def shards(self) -> list[str]:
        """The paths of the complete shards."""
        return self._writer.shards

    def __len__(self) -> int:
        return self._writer.size

    def __enter__(self) -> Writer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            self.finish()
