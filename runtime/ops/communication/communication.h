#pragma once

#include <optional>

#include "runtime/comm/communicator.h"
#include "runtime/graph/op/op.h"

namespace catena::parallel {

/// Differentiable communication, as chainermn.functions: operations like any other, recorded and
/// compiled. Results are on the device of the op's arrays, or on the current one if it has none.
/// Every rank makes the same calls in the same order, and runs backward over all of them: a rank
/// whose backward skips one blocks the others. Communicators must outlive the graphs and programs
/// that name them.

/// Options of receiving: the type to assume for an array in a run on shapes only before the first
/// real call.
struct ReceiveOptions {
    std::optional<Type> type = {};
};

/// The sum or mean of x over the ranks. Backward: the sum or mean of the gradients.
Variable allreduce(Communicator& comm, const Operand& x, Reduction reduction = Reduction::sum);
/// Root's x, on every rank; elsewhere x may be undefined. Backward: the sum of the gradients, at
/// root.
Variable bcast(Communicator& comm, const Operand& x, int root = 0,
               const ReceiveOptions& options = {});
/// Every rank's x, on every rank. Backward: the sum of the gradients of all ranks' copies.
Variables allgather(Communicator& comm, const Operand& x);
/// Sends xs[i] to rank i. Backward: the gradients in the opposite direction.
Variables alltoall(Communicator& comm, std::span<const Variable> xs);
/// Every rank's x, at root; elsewhere one empty delegate variable. Backward: scatter.
Variables gather(Communicator& comm, const Operand& x, int root = 0);
/// Root's xs[i], at rank i. Backward: gather.
Variable scatter(Communicator& comm, std::span<const Variable> xs, int root = 0,
                 const ReceiveOptions& options = {});

/// Sends x to `rank` and returns an empty delegate variable: backward from it (or from what
/// pseudo_connect ties it to) receives the gradient.
Variable send(Communicator& comm, const Operand& x, int rank, int tag = 0);
/// Receives x of `rank`. Backward sends the gradient. `delegate` ties an earlier send to it.
Variable recv(Communicator& comm, int rank, const Variable& delegate = Variable(), int tag = 0,
              const ReceiveOptions& options = {});
/// Returns x; its gradient also reaches the delegate.
Variable pseudo_connect(const Variable& delegate, const Operand& x);

/// Starts averaging a bucket of this rank's gradients in the background; returns the ticket,
/// int64[]. `label` identifies the bucket and must be equal on all ranks. Not
/// differentiable.
Variable start_bucket(Communicator& comm, std::span<const Variable> gradients, Dtype dtype,
                      int64_t label);
/// Waits for the averages, which have these `types`; zeros for the ticket 0.
Variables wait_bucket(Communicator& comm, const Variable& ticket, std::span<const Type> types);

}  // namespace catena::parallel
