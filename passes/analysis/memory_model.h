#pragma once

#include <cstdint>
#include <vector>

namespace catena::passes {

/// A program as memory planning sees it: steps in order, the values that they read and make, and
/// what they cost. Plain data, so that planning can be tested without a program.
struct MemoryModel {
    struct Value {
        /// Bytes of the value; 0: it takes no memory of its own while the program runs, as inputs
        /// and results do.
        int64_t bytes = 0;
        int maker = -1;  ///< The step that makes the value; -1: an input.
    };
    struct Step {
        std::vector<int> reads, makes;  ///< The values that the step reads and makes.
        double seconds = 0;
        bool is_repeatable = true;
    };
    std::vector<Value> values;
    std::vector<Step> steps;
};

/// A step of the model at its place in a new order. A step that occurs again recomputes its values.
struct PlannedStep {
    int step = 0;
    /// For each value read, the place in the order that made it; -1: an input.
    std::vector<int> read_from;
};

struct MemoryPlan {
    std::vector<PlannedStep> order;
    int64_t bytes = 0;        ///< The most bytes that are alive at a time.
    double more_seconds = 0;  ///< The time of the steps that occur again, in seconds.
};

/// The plan in the program's own order.
MemoryPlan plan_in_order(const MemoryModel& model);

/// A plan that recomputes values shortly before late readers, until at most `budget` bytes are
/// alive at a time, or as few as it can reach. It is greedy: at the moment with most bytes, it
/// drops the value, among those that are read later, that frees the most bytes for a second of
/// recomputation. The inputs of the recomputation must be alive then, or are recomputed, too. After
/// Chen et al., "Training Deep Nets with Sublinear Memory Cost" (2016), for any program instead of
/// a chain of layers.
MemoryPlan plan_within(const MemoryModel& model, int64_t budget);

/// A plan without a budget: as little memory as possible, as long as recomputed steps take at most
/// `share` of the program's time.
MemoryPlan plan_cheaply(const MemoryModel& model, double share);

}  // namespace catena::passes
