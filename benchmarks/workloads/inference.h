#pragma once

#include <memory>
#include <vector>

#include "benchmarks/workloads/shared_region.h"
#include "benchmarks/workloads/workload.h"
#include "frontend/catena.h"

namespace catena::tool {

/// Calls of f, from a list of variables to another one, in test mode without a graph.
template <class F>
Iteration infer(const char* name, Variant variant, F f, std::vector<Variable> xs) {
    auto last = std::make_shared<std::vector<Variable>>();
    Iteration iteration;
    const auto in_test_mode = [](auto&& act) {
        const auto test_mode = using_config(&Config::train, false);
        const auto no_graph = no_backprop_mode();
        act();
    };
    iteration.results = [last] { return arrays_of(*last); };
    if (variant == Variant::eager) {
        iteration.run = [=] { in_test_mode([&] { *last = f(xs); }); };
        return iteration;
    }
    auto region = shared_region(name, variant, f);
    iteration.run = [=] { in_test_mode([&] { *last = (*region)(xs); }); };
    iteration.statistics = [region] { return region->statistics(); };
    iteration.profile = [region] { return region->profile(); };
    if (variant != Variant::compiled)
        iteration.save = [=](const std::string& path, const PackageOptions& options) {
            in_test_mode([&] { region->save(path, options); });
            return arrays_of(xs);
        };
    return iteration;
}

}  // namespace catena::tool
