#include "runtime/graph/op/registered_together.h"

namespace catena {

RegisteredTogether::RegisteredTogether() = default;
RegisteredTogether::~RegisteredTogether() {
    for (const OpDef* op : ops_) withdraw_op(*op);
}

const OpDef& RegisteredTogether::add(const OpDef& registered) {
    try {
        ops_.push_back(&registered);
    } catch (...) {
        withdraw_op(registered);
        throw;
    }
    return registered;
}

void RegisteredTogether::keep() noexcept { ops_.clear(); }

}  // namespace catena
