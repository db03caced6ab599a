#pragma once

#include <functional>
#include <string>
#include <vector>

#include "runtime/core/array/array.h"

namespace catena {
struct PackageOptions;
struct RegionProfile;
struct StaticGraphStatistics;
}  // namespace catena

namespace catena::tool {

/// How much of an iteration is compiled: meaning_of() says what each is.
enum class Variant { eager, compiled, step, trusted };
const std::vector<Variant>& all_variants();
const char* name_of(Variant variant);            ///< "eager"
const char* meaning_of(Variant variant);         ///< In plain words, for help and reports.
Variant parse_variant(const std::string& name);  ///< ValueError on an unknown name.

/// A prepared iteration: everything it works on is in memory.
struct Iteration {
    std::function<void()> run;
    double operations = 1;  ///< Reported times are divided by this.
    /// What runs have left: parameters, gradients of the last one, or its outputs.
    std::function<std::vector<Array>()> results = nullptr;
    /// Writes the iteration as a program (.catena) and gives what it takes; null where it is not
    /// one region.
    std::function<std::vector<Array>(const std::string& path, const PackageOptions&)> save =
        nullptr;
    std::function<StaticGraphStatistics()> statistics =
        nullptr;  ///< Of its regions; null where there is none.
    std::function<RegionProfile()> profile =
        nullptr;                            ///< Of its regions; null where there is none.
    std::function<Array()> loss = nullptr;  ///< Of the last run; null where nothing is trained.
    int cycle =
        1;  ///< Runs after which the sizes come again: all are seen twice before times are taken.
    int programs = 1;  ///< That a cycle needs where it is compiled: one for each of its sizes,
    int branches =
        0;  ///< of which so many are not for other sizes but because the code takes another way.
};

/// One row of the benchmark. Shapes, models and optimizers are those that the scripts for other
/// frameworks use, so that figures of one machine compare.
struct Workload {
    std::string name;
    std::string description;
    /// Sizes are divided by `divisor`, for tests; layers that fix them keep theirs. Arrays are of
    /// config().dtype.
    std::function<Iteration(Variant, int64_t divisor)> prepare;
    /// Names under which its figures are reported as well: of rows that are other ways to write the
    /// same network.
    std::vector<std::string> also = {};
    /// Rounding grows from update to update: activations within it of 0, statistics of few numbers,
    /// gradients of nothing but rounding that Adam scales up. Two runs are compared by their first
    /// losses, not by their parameters.
    bool amplifies_rounding = false;
};
/// StaticGraphOptions::memory_budget of the regions of workloads that are prepared from now on;
/// initially 0.
size_t& workload_memory_budget();
int64_t divided(int64_t size, int64_t divisor);  ///< At least 2, if it was.
const std::vector<Workload>& workloads();
/// Rows whose sizes fill a GPU, where a host would need minutes for a step. `catena bench` runs
/// them by name, or on a device when nothing is named.
const std::vector<Workload>& large_workloads();
/// Of one of both, or of the model of a file (resnet50.onnx is resnet50_onnx). ValueError listing
/// what there is.
Workload find_workload(const std::string& name);

}  // namespace catena::tool
