#include "frontend/capture/call/numbers.h"

#include <algorithm>

#include "frontend/capture/path/same_number.h"

namespace catena::capture {

void Numbers::clear() {
    values_.clear();
    cells_.clear();
    cells_known_ = false;
}

Numbers::Cells::const_iterator Numbers::first_cell_from(int slot) const {
    return std::ranges::lower_bound(cells_, slot, {}, [](const auto& cell) { return cell.first; });
}

const Cell::Body* Numbers::cell_of(int slot) const {
    const auto known = first_cell_from(slot);
    return known != cells_.end() && known->first == slot ? known->second.get() : nullptr;
}

bool Numbers::fit(const Step& step, std::span<const Scalar> scalars, bool each_cell) const {
    int next = step.first_scalar;
    for (size_t k = 0; k < scalars.size(); ++k) {
        const int s = step.scalars()[k];
        if (s == next) {
            ++next;
        } else if (s < step.first_scalar) {
            if (!same_number(values_[size_t(s)], scalars[k].present())) return false;
            if (each_cell && cell_of(s) != scalars[k].cell().get()) return false;
        } else {
            for (size_t j = 0; j < k; ++j) {
                if (step.scalars()[j] != s) continue;
                if (!same_number(scalars[j].present(), scalars[k].present())) return false;
                if (each_cell && scalars[j].cell() != scalars[k].cell()) return false;
            }
        }
    }
    return true;
}

void Numbers::know_cells(const Step* last) {
    if (std::exchange(cells_known_, true)) return;
    slots_of_cells_.clear();
    for (const Step* step : steps_to(last))
        for (size_t k = 0; k < step->scalars().size(); ++k)
            if (const Cell::Body* cell = cell_of(step->scalars()[k]))
                slots_of_cells_.insert(cell, step->scalars()[k]);
}

int Numbers::slot_of(const Scalar& scalar, int next) {
    const Cell::Body* cell = scalar.cell().get();
    if (!cell) return next;
    const int slot = slots_of_cells_.insert(cell, next);
    return slot < count() && !same_number(values_[size_t(slot)], scalar.present()) ? next : slot;
}

void Numbers::describe(int first, KnownSteps& known) const {
    known.scalars.assign(values_.begin() + first, values_.end());
    known.new_cells.assign(first_cell_from(first), cells_.end());
}

void Numbers::take_again(const KnownSteps& known) {
    values_.insert(values_.end(), known.scalars.begin(), known.scalars.end());
    cells_.insert(cells_.end(), known.new_cells.begin(), known.new_cells.end());
}

}  // namespace catena::capture
