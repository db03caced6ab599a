#pragma once

#include <vector>

#include "frontend/dataset/example.h"
#include "runtime/comm/communicator.h"

namespace catena {

// ChainerMN's communication of objects. Where Python pickles anything, an object is an Example: an
// array, a tuple of arrays or a dict of them, of any dtypes and shapes, numbers as 0-d arrays.
// Every rank makes the same calls in the same order. Received arrays are on the host.

/// Sends an object to rank `dest`; returns when it has been received.
void send_obj(Communicator& communicator, const Example& object, int dest, int tag = 0);
/// The object that rank `source` sends.
Example recv_obj(Communicator& communicator, int source, int tag = 0);
/// Root's object, on every rank; only root's is read.
Example bcast_obj(Communicator& communicator, const Example& object, int root = 0);
/// Every rank's object, at root; empty elsewhere.
std::vector<Example> gather_obj(Communicator& communicator, const Example& object, int root = 0);
/// Every rank's object, on every rank, in the order of the ranks.
std::vector<Example> allgather_obj(Communicator& communicator, const Example& object);
/// The sum of every value over the ranks, added in their order. ValueError on every rank unless all
/// have the same keys, dtypes and shapes.
Example allreduce_obj(Communicator& communicator, const Example& object);

/// Sends arrays of any types in one call: ChainerMN's send and recv of tuples. Not differentiable
/// (runtime/ops/communication/tuples.h is).
void send_arrays(Communicator& communicator, const std::vector<Array>& arrays, int dest,
                 int tag = 0);
/// The arrays that rank `source` sends.
std::vector<Array> recv_arrays(Communicator& communicator, int source, int tag = 0);

}  // namespace catena
