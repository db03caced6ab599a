#include "frontend/optimizer/update_slot.h"

#include <string_view>

namespace catena {

bool UpdateSlot::is_active() const {
    return param.array().defined() && *enabled && param.grad_variable().defined();
}

Dtype UpdateSlot::update_dtype() const {
    const Dtype own = param.dtype();
    return use_fp32 ? compute_dtype(own) : own;
}

const Cell* UpdateSlot::own_number(const char* name) const {
    for (const Cell& cell : own_numbers)
        if (std::string_view(cell.name()) == name) return &cell;
    return nullptr;
}

const Cell& UpdateGroup::number(const Cell& of_optimizer) const {
    const Cell* own = slots[0]->own_number(of_optimizer.name());  // Those with numbers of their own are groups of one.
    return own ? *own : of_optimizer;
}

}  // namespace catena
