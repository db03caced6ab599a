#include "frontend/parallel/multi_node_stop_on_signal.h"

#include <algorithm>

namespace catena::extensions {

int MultiNodeStopOnSignal::agree(int signal) {
    int64_t largest = 0;
    for (const Array& other : communicator_->allgather(Array::scalar<int64_t>(signal)))
        largest = std::max(largest, other.item<int64_t>());
    return int(largest);
}

}  // namespace catena::extensions
