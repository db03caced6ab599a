#include "frontend/capture/call/known_steps.h"

#include <algorithm>

#include "frontend/capture/path/same_number.h"
#include "runtime/core/system/environment.h"
#include "runtime/graph/node/node.h"

namespace catena::capture {

bool KnownSteps::read_the_same_cells(std::span<const double> before) const {
    return std::ranges::all_of(cells, [&](const ReadCell& read) {
        const size_t slot = size_t(read.slot);
        return same_number(read.cell->value, read.value) &&
               (slot >= before.size() || same_number(before[slot], read.value));
    });
}

bool KnownSteps::are_the_same(const KnownSteps& others) const {
    // The last one says which were before it.
    return last == others.last && std::ranges::equal(scalars, others.scalars, same_number);
}

size_t KnownSteps::bytes() const {
    return (makers.size() + views.size()) * sizeof(makers[0]) +
           scalars.size() * sizeof(scalars[0]) + cells.size() * sizeof(cells[0]) +
           new_cells.size() * sizeof(new_cells[0]);
}

bool is_plain(const VariableBody& body) {
    return !body.requires_grad && !body.is_state && !body.grad && !body.grad_consumed &&
           !body.creator && !body.alias_of && !body.name;
}

bool known_steps_are_checked() {
    static const bool checked = environment::flag("CATENA_CHECK_WALKS", false);
    return checked;
}

}  // namespace catena::capture
