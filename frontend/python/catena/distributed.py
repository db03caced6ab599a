"""Many processes that train one model, each on a part of every batch.

    comm = ct.distributed.create_communicator()  # all processes of this job
    mine = ct.distributed.scatter_dataset((images, labels), comm, shuffle=True)
    adam = ct.optim.Adam().setup(model)
    ct.distributed.create_multi_node_optimizer(adam, comm)  # update() uses the ranks' mean gradient

The processes are started by `catena launch -n 4 python train.py`, mpirun, torchrun or srun. Every
rank makes the same calls in the same order; docs/distributed.md has the rest.
"""

from __future__ import annotations

import pickle
import sys
import threading
import traceback
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, overload

import numpy as np
from catena import _hints, optim
from catena._catena import ArgumentError, Variable, distributed as _bound
from catena._catena.distributed import Communicator
from numpy.typing import DTypeLike

__all__ = [
    "Communicator",
    "Subset",
    "add_global_except_hook",
    "bcast_data",
    "create_communicator",
    "create_multi_node_evaluator",
    "create_multi_node_optimizer",
    "device_of_rank",
    "gather_moments",
    "mean_over_ranks",
    "multi_node_mean_grad",
    "pseudo_connect",
    "run_local",
    "scatter_dataset",
]

_Any = TypeVar("_Any")
_Optimizer = TypeVar("_Optimizer", bound=optim.Optimizer)


def create_communicator(
    name: str = "auto",
    *,
    allreduce_grad_dtype: DTypeLike | None = None,
    device: str | None = None,
    sums: Literal["rank_order", "engine"] | None = None,
) -> Communicator:
    """The group of all processes of this job; without a launcher it is this process alone.

    Args:
        name: "auto" (what fits how the job was started), "flat" and "naive" (MPI), "tcp" (without
            MPI), "pure_nccl" (a GPU for each process), "local" (the threads of run_local()) or
            "dummy" (gradients are not sent: for measuring).
        allreduce_grad_dtype: in which gradients are sent; None: their own.
        device: of pure_nccl, "cuda:1"; None: that of device_of_rank().
        sums: the order of additions: "rank_order", which gives the same bits in every run, or
            "engine", which takes the fewest messages. None: rank_order up to 16 ranks.

    Raises:
        ArgumentError: for another name, and where variables of launchers contradict each other.
        DeviceError: where a plug-in (of MPI or NCCL), a GPU or a driver is missing.
        CommunicationError: where the other ranks do not come, or MPI knows other ones.
    """
    made = _bound.create_communicator(
        name, allreduce_grad_dtype=allreduce_grad_dtype, device=device, sums=sums
    )
    if made.name != "local" and _bound.wants_global_except_hook():
        add_global_except_hook(made)
    return made


def run_local(size: int, f: Callable[[Communicator], object]) -> None:
    """Calls f(comm) on `size` threads of this process, each a rank, and returns when all have
    ended. When one raises, the calls of the others fail, and the first exception is raised here."""
    _bound.run_local(size, f)


def device_of_rank(comm: Communicator) -> str:
    """The GPU of this rank: "cuda:N", N being its place on its machine; "cuda:0" where it sees that
    one only. DeviceError if there is none."""
    return _bound.device_of_rank(comm)


# The optimizer.


def create_multi_node_optimizer(
    optimizer: _Optimizer,
    comm: Communicator,
    *,
    double_buffering: bool = False,
    zero_fill: bool = True,
    allreduce_grad_dtype: DTypeLike | None = None,
    bucket_bytes: int | None = None,
    overlap: bool = True,
    shard: bool = False,
) -> _Optimizer:
    """Makes it the optimizer of one of several processes that hold the same model: update() first
    replaces every gradient by its mean over the ranks. It stays the optimizer it is, in regions,
    too, and is returned.

    `optimizer.backward(loss)` and `optimizer.update(lossfun, ...)` send gradients while further
    ones are computed; after a plain `loss.backward()` all are sent by update(). At the first update
    the ranks' options and the types of their parameters must be equal; if contents differ, those of
    rank 0 are copied to all, and that update changes nothing.

    Args:
        optimizer: of `catena.optim`.
        comm: its communicator.
        double_buffering: updates use the gradients of the update before, whose transfer then
            overlaps with a whole step. The first update changes nothing.
        zero_fill: a parameter without a gradient sends zeros. False: it is skipped, on all ranks
            alike.
        allreduce_grad_dtype: in which gradients are sent; None: as the communicator says.
        bucket_bytes: up to which gradients are collected before they are sent; 0: each is sent by
            itself. None: 1 MiB.
        overlap: False: gradients are sent by update() alone, in the order of the parameters. With
            True the order in which backward completes them must be equal on all ranks.
        shard: each rank updates a part of every parameter, and has moments and float32 masters of
            that part alone (ZeRO stages 1 and 2). Parameters get the same bits as without it where
            sums are in rank order, and have no gradient after an update. All ranks save the
            optimizer together, or one alone after `gather_moments()`.

    Raises:
        ArgumentError: for a dtype that is no float; and at an update, where ranks differ.
    """
    _bound.create_multi_node_optimizer(
        optimizer,
        comm,
        double_buffering,
        zero_fill,
        allreduce_grad_dtype,
        bucket_bytes,
        overlap,
        shard,
    )
    vars(optimizer)["_communicator"] = comm
    return optimizer


def gather_moments(optimizer: optim.Optimizer) -> None:
    """Gathers the moments, and float32 masters, of which each rank of a sharded optimizer has a
    part, so that one rank alone can save it. The next update divides them again. All ranks call it,
    between two updates and outside of regions; nothing happens to an optimizer that is not sharded.

    Raises:
        CommunicationError: where another rank makes a different call.
    """
    _bound.gather_moments(optimizer)


def _states_of(model: Any) -> list[tuple[str, Any]]:
    if hasattr(model, "named_states"):
        return list(model.named_states())
    return list(optim.named_parameters_of(model))


def bcast_data(comm: Communicator, model: Any, root: int = 0) -> None:
    """Copies root's Parameters and other States to all ranks: of a Module, or of Parameters in a
    dict by path or in a list. ArgumentError, on all ranks, where paths or types differ."""
    _bound.bcast_states(comm, _states_of(model), root)


def multi_node_mean_grad(comm: Communicator, model: Any, zero_fill: bool = False) -> None:
    """Replaces every gradient by its mean over the ranks, one after the other;
    create_multi_node_optimizer() does it faster. Parameters without a gradient send zeros, or are
    skipped: then they must be the same on all ranks."""
    _bound.multi_node_mean_grad(comm, list(optim.named_parameters_of(model)), zero_fill)


def pseudo_connect(delegate: Variable, x: Any) -> Variable:
    """x, whose gradient also reaches the delegate that comm.send() or comm.gather() gave: so that
    backward from what follows receives the gradient of what was sent."""
    return _bound.pseudo_connect(delegate, x)


# Evaluation.


def mean_over_ranks(comm: Communicator, values: Mapping[str, float]) -> dict[str, float]:
    """The mean of each value over the ranks, which must have the same keys."""
    return _bound.mean_over_ranks(comm, {key: float(value) for key, value in values.items()})


def create_multi_node_evaluator(
    evaluate: Callable[..., Mapping[str, float]], comm: Communicator
) -> Callable[..., dict[str, float]]:
    """A function like `evaluate`, which gives the means of this rank's part of the data by name:
    it gives those of all ranks."""

    def evaluate_on_all(*args: Any, **kwargs: Any) -> dict[str, float]:
        return mean_over_ranks(comm, evaluate(*args, **kwargs))

    return evaluate_on_all


# Data.


class Subset(Sequence[_Any], Generic[_Any]):
    """Some of a dataset's examples, which are read when they are asked for."""

    def __init__(self, dataset: Sequence[_Any], indices: Sequence[int]) -> None:
        self.dataset = dataset
        self.indices = indices

    def __len__(self) -> int:
        return len(self.indices)

    @overload
    def __getitem__(self, index: int) -> _Any: ...
    @overload
    def __getitem__(self, index: slice) -> Subset[_Any]: ...
    def __getitem__(self, index: int | slice) -> _Any | Subset[_Any]:
        if isinstance(index, slice):
            return Subset(self.dataset, self.indices[index])
        return self.dataset[self.indices[index]]


def scatter_dataset(
    dataset: Any,
    comm: Communicator,
    *,
    root: int = 0,
    shuffle: bool = False,
    seed: int | None = None,
    force_equal_length: bool = True,
    on_every_rank: bool = False,
) -> Any:
    """This rank's part of root's dataset; other ranks give None.

    An array, or a tuple or dict of arrays with equally many rows, comes as the same with this
    rank's rows. Any other sequence comes as a list of this rank's examples, which root pickles: the
    ranks of a job trust each other.

    Args:
        dataset: of root, or with `on_every_rank` of each rank.
        comm: the ranks.
        root: whose dataset it is.
        shuffle: whether examples are shuffled before they are divided.
        seed: of the shuffle; None: drawn from root's `numpy.random`.
        force_equal_length: every rank gets equally many examples, some of them on two ranks. False:
            disjoint ones, one more on the first ranks.
        on_every_rank: every rank gives the same dataset and takes its examples from its own, which
            are not sent: of a sequence a Subset.

    Raises:
        ArgumentError: on every rank, where arrays have different numbers of rows, there are no
            examples, or with `on_every_rank` the ranks' datasets differ in size.
    """
    if shuffle and seed is None:
        seed = int(np.random.randint(2**63 - 1, dtype=np.int64))
    options = (root, shuffle, seed, force_equal_length, on_every_rank)
    if not on_every_rank:
        return _scattered(dataset, comm, options)
    form, columns = _columns_of(dataset)
    if form is None:
        count = 0 if dataset is None else len(dataset)
        (rows,) = _bound.scatter_columns(comm, [np.arange(count)], *options)
        return Subset(dataset, rows.tolist())
    return _formed(form, _bound.scatter_columns(comm, columns, *options))


def _scattered(dataset: Any, comm: Communicator, options: tuple[Any, ...]) -> Any:
    root = options[0]
    form: Any = None
    columns: list[Any] = []
    count = 0
    if comm.rank == root:
        form, columns = _columns_of(dataset)
        count = 0 if dataset is None or form is not None else len(dataset)
    form = comm.bcast_obj(form, root)
    if form is not None:
        return _formed(form, _bound.scatter_columns(comm, columns, *options))
    (rows,) = _bound.scatter_columns(comm, [np.arange(count)], *options)
    parts = comm.gather(rows, root)
    if parts is None:
        return comm.recv_obj(root)
    for rank, part in enumerate(parts):
        if rank != root:
            comm.send_obj([dataset[int(i)] for i in part], rank)
    return [dataset[int(i)] for i in rows]


def _columns_of(dataset: Any) -> tuple[Any, list[Any]]:
    """How the arrays of a dataset are put together (a dict's keys, "tuple", "array") and
    the arrays; None for a dataset of other examples."""
    if isinstance(dataset, np.ndarray):
        return "array", [dataset]
    if isinstance(dataset, Mapping):
        return list(dataset), [np.asarray(column) for column in dataset.values()]
    if isinstance(dataset, tuple) and all(isinstance(column, np.ndarray) for column in dataset):
        return "tuple", list(dataset)
    return None, []


def _formed(form: Any, columns: list[Any]) -> Any:
    if isinstance(form, list):
        return dict(zip(form, columns, strict=True))
    if form == "array":
        return columns[0]
    return tuple(columns)


# Objects, which are pickled: whoever sends them decides what runs here.


def _send_obj(self: Communicator, obj: Any, dest: int, tag: int = 0) -> None:
    """Sends any object, pickled, to a rank; returns when it has been received."""
    self.send_bytes(pickle.dumps(obj), dest, tag)


def _recv_obj(self: Communicator, source: int, tag: int = 0) -> Any:
    """The object that a rank sends."""
    return pickle.loads(self.recv_bytes(source, tag))


def _bcast_obj(self: Communicator, obj: Any = None, root: int = 0) -> Any:
    """Root's object, on every rank; only root's is read."""
    if self.rank != root:
        return pickle.loads(self.bcast_bytes(b"", root))
    self.bcast_bytes(pickle.dumps(obj), root)
    return obj


def _allgather_obj(self: Communicator, obj: Any) -> list[Any]:
    """Every rank's object, on every rank, in the order of the ranks."""
    return [pickle.loads(one) for one in self.allgather_bytes(pickle.dumps(obj))]


def _gather_obj(self: Communicator, obj: Any, root: int = 0) -> list[Any] | None:
    """Every rank's object, at root; None elsewhere."""
    contents = self.gather(np.frombuffer(pickle.dumps(obj), np.uint8), root)
    return None if contents is None else [pickle.loads(one.tobytes()) for one in contents]


def _allreduce_obj(self: Communicator, obj: Any) -> Any:
    """The sum of the objects (`a + b`; of dicts that of each value), in the order of the ranks."""
    first, *others = _allgather_obj(self, obj)
    for other in others:
        first = _sum_of(first, other)
    return first


def _sum_of(a: Any, b: Any) -> Any:
    if not isinstance(a, dict):
        return a + b
    if not isinstance(b, dict) or a.keys() != b.keys():
        raise ArgumentError(f"allreduce_obj: the ranks give {_shown(a)} and {_shown(b)}")
    return {key: _sum_of(value, b[key]) for key, value in a.items()}


def _shown(value: Any) -> str:
    return f"keys {', '.join(map(str, value))}" if isinstance(value, dict) else type(value).__name__


def _representation(self: Communicator) -> str:
    return f"<Communicator: {self.name}, rank {self.rank} of {self.size}>"


# Errors.


def add_global_except_hook(comm: Communicator) -> None:
    """From now on an exception that nobody catches, on any thread, is printed with this rank's
    number and ends all ranks. Even without it no rank waits for one that has ended, but this is
    clearer. create_communicator() does it where CATENA_FORCE_ABORT_ON_EXCEPTION is 1."""

    def end_all(
        kind: type[BaseException], error: BaseException | None, trace: TracebackType | None
    ) -> None:
        sys.stdout.flush()
        print(f"uncaught exception on rank {comm.rank}:", file=sys.stderr)
        traceback.print_exception(kind, error, trace)
        sys.stderr.flush()
        comm.abort(1, f"uncaught exception: {kind.__name__}: {error}")

    def of_thread(arguments: Any) -> None:
        if not issubclass(arguments.exc_type, SystemExit):
            end_all(arguments.exc_type, arguments.exc_value, arguments.exc_traceback)

    sys.excepthook = end_all
    threading.excepthook = of_thread


if not TYPE_CHECKING:  # They are to find names that are not there.

    def __getattr__(name: str) -> object:
        raise _hints.missing(__name__, name, _hints.DISTRIBUTED)


def _attach() -> None:
    """Gives the bound class what is written in Python."""
    methods = {
        "send_obj": _send_obj,
        "recv_obj": _recv_obj,
        "bcast_obj": _bcast_obj,
        "allgather_obj": _allgather_obj,
        "gather_obj": _gather_obj,
        "allreduce_obj": _allreduce_obj,
        "__repr__": _representation,
    }
    for name, method in methods.items():
        setattr(Communicator, name, method)
    _hints.attach(Communicator, _hints.COMMUNICATOR)


_attach()
