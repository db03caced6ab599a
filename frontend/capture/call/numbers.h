#pragma once

#include <span>
#include <utility>
#include <vector>

#include "frontend/capture/call/known_steps.h"
#include "frontend/capture/path/path.h"
#include "frontend/capture/path/pointer_table.h"

namespace catena::capture {

/// The scalars of a segment, each in a slot, and which of them are cells.
class Numbers {
public:
    /// The slots that are cells in this call, in order.
    using Cells = std::vector<std::pair<int, Ref<Cell::Body>>>;

    void clear();
    std::span<const double> values() const { return values_; }
    int count() const { return int(values_.size()); }
    const Cells& cells() const { return cells_; }
    /// The cell of a slot; null: the slot is a plain number.
    const Cell::Body* cell_of(int slot) const;

    void add(const Scalar& scalar) {
        if (scalar.cell()) cells_.emplace_back(count(), scalar.cell());
        values_.push_back(scalar.present());
    }
    /// Whether `step` reads these scalars. `each_cell`: where calls skip the code, they read each
    /// cell for itself, so a slot that stands for two scalars must be the same cell of both.
    bool fit(const Step& step, std::span<const Scalar> scalars, bool each_cell) const;
    void take(const Step& step, std::span<const Scalar> scalars) {
        for (size_t k = 0; k < scalars.size(); ++k)
            if (step.scalars()[k] == count()) add(scalars[k]);
    }

    //---- for a new step
    /// Before slot_of(): the cells that the segment has read up to `last`.
    void know_cells(const Step* last);
    /// The slot of a scalar of the new step; `next` is the next new one. A cell is one scalar of
    /// the program while its value is the same.
    int slot_of(const Scalar& scalar, int next);

    //---- for known steps
    /// Puts the scalars from slot `first` on into `known`.
    void describe(int first, KnownSteps& known) const;
    void take_again(const KnownSteps& known);

private:
    Cells::const_iterator first_cell_from(int slot) const;

    std::vector<double> values_;
    Cells cells_;
    PointerTable slots_of_cells_;
    bool cells_known_ = false;
};

}  // namespace catena::capture
