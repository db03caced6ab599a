"""Run by each rank: what goes wrong, by the name that is given."""

from __future__ import annotations

import sys
import threading
import time

import catena as ct
import numpy as np

comm = ct.distributed.create_communicator()
rank, size = comm.rank, comm.size


def different_shapes() -> None:
    comm.allreduce(np.zeros(3 + rank, np.float32))


def different_dtypes() -> None:
    comm.allreduce(np.zeros(3, np.float32 if rank == 0 else np.float64))


def different_calls() -> None:
    if rank == 0:
        comm.allreduce(np.zeros(3))
    else:
        comm.bcast(np.zeros(3))


def integer_mean() -> None:
    comm.allreduce(np.zeros(3, np.int32), "mean")


def no_such_rank() -> None:
    comm.send(np.zeros(3), size)


def object_for_array() -> None:
    comm.allreduce({"a": 1})


def object_array() -> None:
    comm.allreduce(np.array(["text"]))


def unknown_op() -> None:
    comm.allreduce(np.zeros(3), "max")  # type: ignore[call-overload]


def wrong_count() -> None:
    comm.alltoall([np.zeros(3)] * (size + 1))


REFUSED = {
    "different_shapes": (ct.ShapeError, "rank 1"),
    "different_dtypes": (ct.DtypeError, "float64"),
    "different_calls": (ct.CommunicationError, "bcast"),
    "integer_mean": (ct.DtypeError, "int32"),
    "no_such_rank": (ct.ArgumentError, f"there is no rank {size}"),
    "object_for_array": (ct.DtypeError, "bcast_obj"),
    "object_array": (ct.DtypeError, "<U4"),
    "unknown_op": (ct.ArgumentError, "there are sum and mean"),
    "wrong_count": (ct.ArgumentError, f"{size + 1} arrays for {size} ranks"),
}


def check_refused() -> None:
    """The error names what differs and the line above; the communicator stays usable."""
    for name, (kind, message) in REFUSED.items():
        try:
            globals()[name]()
        except kind as error:
            text = str(error)
            assert message in text and "failing.py:" in text, (name, text)
        else:
            raise AssertionError(f"{name} is not refused")
        assert comm.allreduce(1) == size
    print("done")


def one_raises() -> None:
    """The others wait for it."""
    if rank == 1:
        raise ValueError("a mistake")
    comm.allreduce(np.zeros(3))


def one_raises_with_the_hook() -> None:
    ct.distributed.add_global_except_hook(comm)
    one_raises()


def a_thread_raises() -> None:
    ct.distributed.add_global_except_hook(comm)
    if rank == 1:
        threading.Thread(target=one_raises).start()
        time.sleep(60)  # Ended by the thread.
    comm.barrier()


def one_does_not_come() -> None:
    """With a short CATENA_COMM_TIMEOUT."""
    if rank == 1:
        time.sleep(8)
        return
    comm.barrier()


globals()[sys.argv[1]]()
