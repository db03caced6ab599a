#pragma once

#include <span>
#include <string>
#include <vector>

#include "runtime/graph/op/op.h"

namespace catena {

/// The update of one parameter in a sweep: `formula` maps its values (parameter, gradient, moments,
/// ...), then the shared 0-d inputs, then the scalars, to new values.
struct SweepRule {
    int values = 0;            ///< Number of arrays per parameter, of one shape.
    int shared = 0;            ///< 0-d arrays that all parameters read.
    std::vector<int> targets;  ///< Output i replaces value targets[i] and has its type.
    std::vector<std::string> scalars;
    Formula formula;
};

/// One elementwise formula over many parameters of different shapes. In eager mode it is one launch
/// and one pass over memory on each device that has some of them, in place where nothing else
/// references the old values. A recorder sees one map per parameter.
class Sweep {
public:
    Sweep(std::string name, SweepRule rule);

    /// rows[k] are the values of parameter k. Fills `results`, an empty list, with the new values;
    /// the caller stores them (an array that was changed in place is returned as it is). ShapeError
    /// unless the values of a row have one shape, DeviceError unless they are on one device; rows
    /// may be on several, to which `shared` is copied.
    void run(std::span<const Variables> rows, std::span<const Variable> shared,
             std::span<const Scalar> scalars, std::vector<Variables>& results) const;

private:
    /// Runs the formula over rows of one device; `inputs` are the shared values, there, and theirs.
    /// Appends the new values to the results.
    void run_together(std::span<const Variables* const> rows,
                      std::span<const Variable* const> inputs, std::span<const Scalar> scalars,
                      std::vector<Variable>& values) const;

    const OpDef* map_;
    const OpDef* all_;
    SweepRule rule_;
};

/// Counts of sweeps on this thread since it began; for tests.
struct SweepStatistics {
    int64_t launches =
        0;  ///< Sweeps run eagerly; each is one pass over the memory of its parameters.
    int64_t parameters = 0;  ///< Number of parameters in these sweeps.
    int64_t in_place = 0;    ///< Number of values overwritten in place.
    int64_t fresh = 0;       ///< Number of values that needed new memory.
};
const SweepStatistics& sweep_statistics();

}  // namespace catena
