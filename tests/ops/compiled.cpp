#include <stdexcept>

#include "frontend/compiler/compiler_loader.h"
#include "frontend/static_graph/static_graph.h"
#include "tests/ops/op_table.h"

namespace catena::testing {

namespace {

/// Records `run` at the first call and gives what the second one returns, which follows the record.
Variables call_in_region(const std::function<Variables(const std::vector<Variable>&)>& run,
                         const std::vector<Variable>& inputs, bool must_compile) {
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
    if (must_compile && region.statistics().compiled_calls != 2)
        throw std::logic_error("a call was not compiled: " + region.explain());
    return outputs;
}

Variables record_and_replay(const std::function<Variables(const std::vector<Variable>&)>& run,
                            const std::vector<Variable>& inputs) {
    return call_in_region(run, inputs, true);
}

Variables record_and_replay_with_a_break(
    const std::function<Variables(const std::vector<Variable>&)>& run,
    const std::vector<Variable>& inputs) {
    const auto broken = [&](const std::vector<Variable>& arrays) {
        for (const Variable& y : run(arrays)) y.array().to_vector<double>();
        return run(arrays);
    };
    return record_and_replay(broken, inputs);
}

const bool linked =
    (in_region() = [](const auto& run, const auto& inputs) { return call_in_region(run, inputs, false); }, compiler_installed()) && (compiled() = record_and_replay, compiled_with_a_break() = record_and_replay_with_a_break, true);

}  // namespace

}  // namespace catena::testing
