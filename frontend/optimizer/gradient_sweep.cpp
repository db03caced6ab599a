#include "frontend/optimizer/gradient_sweep.h"

#include "runtime/core/memory/reused_vector.h"

namespace catena {

void sweep_gradients(const Sweep& sweep, std::span<UpdateSlot* const> slots,
                     std::span<const Variable> shared, std::initializer_list<Scalar> scalars,
                     GradientSweepValues values) {
    ReusedVector<Variables> rows, results;
    for (UpdateSlot* slot : slots) {
        Variables& row = rows.emplace_back();
        row.push_back(slot->param.grad_variable());
        if (values == GradientSweepValues::gradient_and_param) row.push_back(slot->param);
    }
    sweep.run(rows, shared, {scalars.begin(), scalars.size()}, results);
    for (size_t i = 0; i < slots.size(); ++i)
        // Changed in place when the array is the same; a gradient keeps its variable then.
        if (!(results[i][0].array() == rows[i][0].array()))
            slots[i]->param.set_grad_variable(results[i][0]);
}

}  // namespace catena
