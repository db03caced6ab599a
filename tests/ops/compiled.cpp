#include <stdexcept>

#include "frontend/static_graph.h"
#include "tests/ops/op_table.h"

namespace catena::testing {

namespace {

/// Records `run` at the first call and gives what the second one returns, which follows the record.
Variables record_and_replay(const std::function<Variables(const std::vector<Variable>&)>& run,
                            const std::vector<Variable>& inputs) {
    // An array that is not given is no argument of the region.
    std::vector<Variable> given;
    for (const Variable& input : inputs)
        if (input.defined()) given.push_back(input);
    auto region = static_graph([&](const std::vector<Variable>& arguments) {
        std::vector<Variable> all(inputs.size());
        size_t next = 0;
        for (size_t i = 0; i < inputs.size(); ++i)
            if (inputs[i].defined()) all[i] = arguments[next++];
        return run(all);
    });
    region(given);
    Variables outputs = region(given);
    if (region.statistics().compiled_calls != 2)
        throw std::logic_error("a call was not compiled: " + region.explain());
    return outputs;
}

const bool linked = CATENA_HAS_COMPILER && (compiled() = record_and_replay, true);

}  // namespace

}  // namespace catena::testing
