#pragma once

#include <functional>
#include <string>
#include <vector>

namespace catena::tool {

/// How much of an iteration is compiled.
enum class Variant {
    eager,     ///< Nothing.
    compiled,  ///< The model's call is a static region; loss, backward() and update are called outside.
    step,      ///< The whole iteration is one static region.
};
const char* name_of(Variant variant);  ///< "eager"
Variant parse_variant(const std::string& name);  ///< ValueError on an unknown name.

/// A prepared iteration: everything it works on is in memory.
struct Iteration {
    std::function<void()> run;
    double operations = 1;  ///< Reported times are divided by this.
};

/// One row of the benchmark. Shapes, models and optimizers are those that the scripts for other frameworks use,
/// so that figures of one machine compare.
struct Workload {
    std::string name;
    std::string description;
    std::function<Iteration(Variant)> prepare;
};
const std::vector<Workload>& workloads();
const Workload& find_workload(const std::string& name);  ///< ValueError listing what there is.

}  // namespace catena::tool
