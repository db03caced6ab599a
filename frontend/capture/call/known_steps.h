#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "runtime/graph/variable/scalar_operand.h"
#include "runtime/graph/variable/variable_body.h"

namespace catena::capture {

class Step;

/// Consecutive steps of a region's code, which can be taken again as a whole.
struct KnownSteps {
    const Step* last = nullptr;  ///< The last of the steps; null: there are none.
    int first_value = 0;         ///< The number of the first new value of the steps.
    /// For each new value, the step that computes it; null: an input from outside.
    std::vector<const Step*> makers;
    std::vector<const Step*> views;  ///< The steps whose results may be views, in order.
    std::vector<double> scalars;     ///< The values of the new scalar slots.
    /// The new scalar slots that are cells, by slot; see Numbers::cells().
    std::vector<std::pair<int, Ref<Cell::Body>>> new_cells;
    /// A cell that the steps read, its value then, and its scalar slot: an older slot where the
    /// cell was read before and had not changed since.
    struct ReadCell {
        Ref<Cell::Body> cell;
        double value;
        int slot;
    };
    std::vector<ReadCell> cells;

    /// Whether the steps would read the same numbers from cells now, after the scalars in `before`:
    /// neither the cells nor the older slots that stand for them have changed.
    bool read_the_same_cells(std::span<const double> before) const;
    /// Whether two lists of steps from the same place are equal.
    bool are_the_same(const KnownSteps& others) const;
    size_t bytes() const;
};

/// Whether the variable is nothing but an array: no leaf that needs a gradient, no state, no graph,
/// no name. Another variable can stand for it.
bool is_plain(const VariableBody& body);

/// Whether known walks and bodies run each time all the same, and are compared with what is
/// remembered: CATENA_CHECK_WALKS.
bool known_steps_are_checked();

}  // namespace catena::capture
