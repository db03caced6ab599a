#include "frontend/optimizer/update_rule.h"

#include "runtime/graph/recorder.h"

namespace catena {

void sweep_parameters(const Sweep& sweep, std::span<UpdateSlot* const> slots, std::span<const Variable> shared,
                      std::initializer_list<Scalar> scalars) {
    std::vector<Variables> rows;
    for (UpdateSlot* slot : slots) {
        Variables row{slot->param, slot->param.grad_variable()};
        for (const State& moment : slot->moments) row.push_back(moment);
        rows.push_back(std::move(row));
    }
    std::vector<Variables> results = sweep.run(rows, shared, {scalars.begin(), scalars.size()});
    for (size_t k = 0; k < slots.size(); ++k) {
        auto store = [&](const Variable& state, const Variable& value) {
            if (!(state.array() == value.array())) assign(state, value);  // Equal: changed in place.
        };
        store(slots[k]->param, results[k][0]);
        for (size_t i = 0; i < slots[k]->moments.size(); ++i) store(slots[k]->moments[i], results[k][i + 1]);
    }
}

}  // namespace catena
