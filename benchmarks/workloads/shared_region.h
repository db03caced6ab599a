#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "benchmarks/workloads/workload.h"
#include "frontend/static_graph/static_graph.h"

namespace catena::tool {

/// A static region that copies of one closure can share.
template <class F>
auto shared_region(const char* name, Variant variant, F f) {
    using Region = decltype(static_graph(std::move(f)));
    StaticGraphOptions options{.name = name, .memory_budget = workload_memory_budget()};
    if (variant == Variant::trusted) options.audit = Audit::never;
    return std::make_shared<Region>(static_graph(std::move(f), options));
}

inline std::vector<Array> arrays_of(const std::vector<Variable>& variables) {
    std::vector<Array> arrays;
    for (const Variable& variable : variables) arrays.push_back(variable.array());
    return arrays;
}

}  // namespace catena::tool
