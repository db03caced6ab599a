#include "frontend/parallel/allreduce_persistent.h"

#include "frontend/link/parameter.h"

namespace catena::extensions {

void AllreducePersistent::operator()(Trainer&) {
    for (auto& [path, state] : model_.namedpersistents()) {
        const Array& array = state->array();
        if (array.defined() && is_float(array.dtype()))
            state->set_array(communicator_->allreduce(array, Reduction::mean));
    }
}

}  // namespace catena::extensions
