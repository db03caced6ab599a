#pragma once

#include <span>
#include <vector>

#include "frontend/capture/path.h"
#include "runtime/core/array.h"

namespace catena::capture {

class Follower;

/// Runs the steps of a segment by the eager kernels, in their order: what eager code would do, a composite by its own
/// kernel where nothing inside of it is wanted.
class Interpreter {
public:
    /// `wanted`: values of the segment that must come out.
    Interpreter(const Segment& segment, const Step* last, std::span<const int> wanted);

    /// `values`, by number from the segment's first on, has the inputs and takes the wanted ones; others are freed after their
    /// last use. When an operation fails, `failed_at` is its step and `values` has what was computed before it.
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
        std::vector<int> last_used;  ///< Here for the last time.
    };
    void add(const Step& step);
    void add(const Composite& composite, const Step& first);

    int first_value_, value_count_;
    std::vector<Item> items_;
};

/// Computes `wanted` of what `follower` has followed, and delivers it; also what was computed before an operation failed.
void interpret(Follower& follower, const Step* last, std::span<const int> wanted);

}  // namespace catena::capture
