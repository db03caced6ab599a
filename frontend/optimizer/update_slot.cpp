#include "frontend/optimizer/update_slot.h"

#include <string_view>

#include "runtime/core/system/error.h"

namespace catena {
namespace {

[[noreturn]] void refuse(const UpdateSlot& slot, std::string_view what, const Variable& value,
                         const char* remedy) {
    fail<ShapeError>("update: {} has shape {}, its {} {}; {}", slot.path,
                     to_string(slot.param.shape()), what, to_string(value.shape()), remedy);
}

}  // namespace

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

void UpdateSlot::check_shapes(bool has_moments_alike) const {
    const Shape& shape = param.shape();
    if (const Variable gradient = param.grad_variable(); gradient.shape() != shape)
        refuse(*this, "gradient", gradient,
               "after new content of another shape call cleargrads(), and backward again");
    if (!has_moments_alike) return;
    const bool is_same = !part || part->shape == shape;
    const Shape held = part ? Shape{part->elements.size} : shape;
    for (const State& moment : moments)
        if (!is_same || moment.shape() != held)
            refuse(*this, "moment '" + moment.name() + "'", moment,
                   "after new content of another shape call the optimizer's setup() again");
}

const Cell& UpdateGroup::number(const Cell& of_optimizer) const {
    const Cell* own = slots[0]->own_number(
        of_optimizer.name());  // Those with numbers of their own are groups of one.
    return own ? *own : of_optimizer;
}

}  // namespace catena
