#pragma once

#include <optional>

#include "runtime/comm/communicator.h"
#include "runtime/ops/op.h"

namespace catena::parallel {

/// Differentiable communication, as chainermn.functions: operations like any other, recorded and
/// compiled. What comes is where the op's arrays are, or on the current device where it has none.
/// Every rank makes the same calls in the same order, and runs backward over all of them: a rank
/// whose backward misses one leaves the others waiting. Communicators must outlive the graphs and
/// programs that name them.

/// What is received when nobody can be asked (in a run on shapes only of a call that never ran for
/// real).
struct ReceiveOptions {
    std::optional<Type> type = {};
};

/// Sum or mean over the ranks. Backward: the same of the gradients.
Variable allreduce(Communicator& comm, const Operand& x, Reduction reduction = Reduction::sum);
/// Root's x; elsewhere x may be undefined. Backward: the sum of the gradients, at root.
Variable bcast(Communicator& comm, const Operand& x, int root = 0,
               const ReceiveOptions& options = {});
/// Every rank's x. Backward: the sum of what all ranks' copies got.
Variables allgather(Communicator& comm, const Operand& x);
/// xs[i] to rank i. Backward: the gradients the other way round.
Variables alltoall(Communicator& comm, std::span<const Variable> xs);
/// Every rank's x at root; elsewhere one empty delegate variable. Backward: scatter.
Variables gather(Communicator& comm, const Operand& x, int root = 0);
/// xs[i] of root at rank i. Backward: gather.
Variable scatter(Communicator& comm, std::span<const Variable> xs, int root = 0,
                 const ReceiveOptions& options = {});

/// Sends x to `rank` and returns an empty delegate variable: backward from it (or from what
/// pseudo_connect ties it to) receives the gradient.
Variable send(Communicator& comm, const Operand& x, int rank, int tag = 0);
/// What `rank` sends. Backward sends the gradient. `delegate` ties an earlier send to the result.
Variable recv(Communicator& comm, int rank, const Variable& delegate = Variable(), int tag = 0,
              const ReceiveOptions& options = {});
/// x, through which gradients reach the delegate too.
Variable pseudo_connect(const Variable& delegate, const Operand& x);

/// Sends the gradients (of one rank's many) on their way to being averaged, in the background;
/// returns the ticket, int64[]. `label` must be equal on all ranks: it says what the bucket holds.
/// Not differentiable.
Variable start_bucket(Communicator& comm, std::span<const Variable> gradients, Dtype dtype,
                      int64_t label);
/// The averages, as `types`, once they are there; zeros for the ticket 0.
Variables wait_bucket(Communicator& comm, const Variable& ticket, std::span<const Type> types);

}  // namespace catena::parallel
