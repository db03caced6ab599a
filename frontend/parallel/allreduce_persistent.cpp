#include "frontend/parallel/allreduce_persistent.h"

#include "frontend/link/parameter.h"
#include "runtime/graph/call/held_state.h"

namespace catena::extensions {

void AllreducePersistent::operator()(Trainer&) {
    for (auto& [path, state] : model_.namedpersistents()) {
        const Array& array = state->array();
        if (array.defined() && is_float(array.dtype()))
            update_content(*state, communicator_->allreduce(array, Reduction::mean));
    }
}

}  // namespace catena::extensions
