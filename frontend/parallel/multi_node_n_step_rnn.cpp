#include "frontend/parallel/multi_node_n_step_rnn.h"

#include "runtime/comm/communicator.h"
#include "runtime/ops/communication/tuples.h"

namespace catena::detail {

Variables receive_cells(Communicator& communicator, std::optional<int> rank, int count) {
    if (rank) return parallel::recv_tuple(communicator, *rank, count);
    return Variables(size_t(count));
}

void send_cells(Communicator& communicator, std::optional<int> rank, MultiNodeNStepResult& result) {
    if (rank) result.delegate = parallel::send(communicator, result.cells, *rank);
}

}  // namespace catena::detail
