#pragma once

#include <span>
#include <vector>

#include "frontend/capture/path/path.h"
#include "runtime/core/array/array.h"

namespace catena::capture {

/// Runs the steps of a segment in order with the eager kernels, as eager code would. A composite
/// uses its own kernel unless one of its inner values is wanted.
class Interpreter {
public:
    /// `wanted`: the values of the segment that must be returned.
    Interpreter(const Segment& segment, const Step* last, std::span<const int> wanted);

    /// `values`, indexed from the segment's first value, contains the inputs and receives the
    /// wanted values; others are freed after their last use. If an operation fails, `failed_at` is
    /// its step and `values` holds what was computed before.
    void run(std::span<Array> values, std::span<const double> scalars, int& failed_at) const;
    int value_count() const { return value_count_; }

private:
    struct Item {
        const OpDef* op;
        const Attributes* attributes;
        std::span<const int> operands, scalars;
        std::vector<int> composite_scalars;
        std::vector<int> outputs;
        SourceLoc location;
        int step;
        std::vector<int> last_used;  ///< Values that are used for the last time by this step.
    };
    void add(const Step& step);
    void add(const Composite& composite, const Step& first);

    int first_value_, value_count_;
    std::vector<Item> items_;
};

}  // namespace catena::capture
