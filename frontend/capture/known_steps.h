#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "runtime/graph/scalar_operand.h"
#include "runtime/graph/variable_body.h"

namespace catena::capture {

class Step;

/// What is known is done again from the third time on: the second one must have done the same as
/// the first.
enum class KnownState { new_one, confirmed, refuted };

/// Steps that followed each other in a call of a region's code, to be taken again as a whole.
struct KnownSteps {
    const Step* last = nullptr;       ///< Null: there are none.
    int first_value = 0;              ///< The number of their first new value.
    std::vector<const Step*> makers;  ///< Of each new value; null: it is an input from outside.
    std::vector<const Step*> views;   ///< Those whose results may be views, in order.
    std::vector<double> scalars;      ///< The new scalar slots,
    std::vector<std::pair<int, Ref<Cell::Body>>>
        new_cells;  ///< and those of them that are cells: see Follower::cells().
    /// A cell that they read, what it held, and the scalar slot: one of before where the cell was
    /// read and had not changed since.
    struct ReadCell {
        Ref<Cell::Body> cell;
        double value;
        int slot;
    };
    std::vector<ReadCell> cells;

    /// Whether they would, after these scalars: the cells hold the same, and so do slots of before
    /// that stand for them.
    bool read_the_same_cells(std::span<const double> before) const;
    /// Of steps that began at the same place.
    bool are_the_same(const KnownSteps& others) const;
    size_t bytes() const;
};

/// Nothing but an array: another variable can stand for it.
bool is_plain(const VariableBody& body);

/// Whether what is known is done each time all the same, and compared: CATENA_CHECK_WALKS.
bool known_steps_are_checked();

}  // namespace catena::capture
