#pragma once

#include <cstdint>
#include <vector>

namespace catena::passes {

/// A program as far as memory is concerned: steps in order, the values that they read and make, and
/// what they cost. Plain data, so that planning can be tested without a program.
struct MemoryModel {
    struct Value {
        int64_t bytes = 0;  ///< 0: it takes no memory of its own while the program runs, as inputs
                            ///< and results do.
        int maker = -1;     ///< A step; -1: an input.
    };
    struct Step {
        std::vector<int> reads, makes;  ///< Values.
        double seconds = 0;
        bool is_repeatable = true;
    };
    std::vector<Value> values;
    std::vector<Step> steps;
};

/// A step of the model at its place in a new order. A step that occurs again makes its values
/// again.
struct PlannedStep {
    int step = 0;
    std::vector<int>
        read_from;  ///< For each value read: the place in the order that made it; -1: an input.
};

struct MemoryPlan {
    std::vector<PlannedStep> order;
    int64_t bytes = 0;        ///< The most that is alive at a time.
    double more_seconds = 0;  ///< Of the steps that occur again.
};

/// The program as it is.
MemoryPlan plan_in_order(const MemoryModel& model);

/// Makes values again, shortly before late readers, until at most `budget` bytes are alive at a
/// time, or as few as it can. Greedy: where most is alive, of the values that wait there to be read
/// later it gives up the one that frees the most bytes for a second of work. What making it again
/// needs is taken from values that are alive then, or made again itself. After Chen et al.,
/// "Training Deep Nets with Sublinear Memory Cost" (2016), for any program instead of a chain of
/// layers.
MemoryPlan plan_within(const MemoryModel& model, int64_t budget);

/// The same without a budget: as little memory as it can, as long as the steps made again take at
/// most `share` of the program's time.
MemoryPlan plan_cheaply(const MemoryModel& model, double share);

}  // namespace catena::passes
