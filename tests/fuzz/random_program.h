#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/graph/op/op.h"

namespace catena::fuzz {

/// A random expression: leaves, then operations over earlier values. Plain data, so that it can be
/// cut down.
struct Program {
    struct Value {
        const OpDef* map = nullptr;  ///< A map of the registry; null for the others.
        enum Kind : uint8_t { leaf, map_op, sum, transpose, flatten } kind = leaf;
        std::vector<int> inputs;
        std::vector<double> scalars;
        Shape shape;   ///< Of a leaf.
        int axis = 0;  ///< Of a sum that keeps it.
    };
    uint64_t seed = 0;  ///< Of the leaves' elements.
    std::vector<Value> values;
};

/// A program of `operations` differentiable operations whose values stay finite and moderate in
/// float64.
Program random_program(uint64_t seed, int operations);

/// The last value and the gradients of its sum towards all leaves, in float64.
using Results = std::vector<std::vector<double>>;
enum class Way { eager_float64, eager_float32, compiled };
Results run(const Program& program, Way way);

/// "" when the compiled results are as near to the float64 ones as the eager float32 ones are; else
/// what differs.
std::string disagreement(const Program& program);

/// The same program with `size` where leaves have a size of 5.
Program resized(const Program& program, int64_t size);
/// "" when one region called with these sizes, which plans the later ones from the first, gives the
/// bits of a region of its own for each size; else what differs. `resized`: how many programs were
/// planned so.
std::string disagreement_of_sizes(const Program& program, std::span<const int64_t> sizes,
                                  int64_t& resized);

/// The smallest part of a disagreeing program that still disagrees: the value with the fewest below
/// it.
Program minimal(const Program& program);

/// A complete C++ program that shows the disagreement.
std::string reproducer(const Program& program);

}  // namespace catena::fuzz
