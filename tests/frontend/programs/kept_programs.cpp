// Runs static regions and prints what they give, and whether that took a compiler: `kept_programs
// own FACTOR` a region with an operation of its own, whose formula multiplies by FACTOR;
// `kept_programs VARIANT NAME...` iterations of workloads at small sizes.
#include <cstdio>
#include <string>

#include "benchmarks/workloads/workload.h"
#include "benchmarks/workloads/workloads.h"
#include "frontend/catena.h"
#include "frontend/compiler/compiler_loader.h"
#include "runtime/file/disk_cache.h"
#include "runtime/ops/define/define.h"
#include "runtime/ops/noise/random.h"

namespace catena {
namespace {

void run_own(double factor) {
    const OpDef& op_scaled = elementwise<1>("scaled")
                                 .forward([factor](auto x) { return x * factor; })
                                 .gradient([factor](auto, auto, auto gy) { return gy * factor; })
                                 .define();
    auto f = static_graph(
        [&](Variable x) { return sum(call(op_scaled, Operand(x).location(), {}, {}, x) + x); });
    const Variable x(Array::full({Dtype::float32, Shape{1, 4}}, 1));
    std::printf("own %g %g\n", f(x).item<double>(), f(x).item<double>());
    std::printf("programs %d, from disk %d\n", int(f.statistics().programs),
                int(f.statistics().from_disk));
}

/// The bits of everything that three iterations leave.
std::string results_of(const tool::Iteration& iteration) {
    std::string bits;
    const auto add = [&](const Array& array) {
        for (double value : array.to_vector<double>())
            bits.append(reinterpret_cast<const char*>(&value), sizeof value);
    };
    for (int i = 0; i < 3; ++i) {
        iteration.run();
        if (iteration.loss) add(iteration.loss());
    }
    if (iteration.results)
        for (const Array& array : iteration.results()) add(array);
    return fingerprint(bits);
}

void run_workload(const std::string& name, tool::Variant variant) {
    set_seed(11);
    const tool::Iteration iteration = tool::find_workload(name).prepare(variant, 16);
    std::printf("%s %s\n", name.c_str(), results_of(iteration).c_str());
    const StaticGraphStatistics statistics = iteration.statistics();
    std::printf("programs %d, from disk %d\n", int(statistics.programs - statistics.resized),
                int(statistics.from_disk));
}

}  // namespace
}  // namespace catena

int main(int count, char** arguments) {
    try {
        if (std::string(arguments[1]) == "own")
            catena::run_own(std::stod(arguments[2]));
        else
            for (int i = 2; i < count; ++i)
                catena::run_workload(arguments[i], catena::tool::parse_variant(arguments[1]));
    } catch (const std::exception& error) {
        std::printf("build %d: %s\n", BUILD, error.what());
        return 1;
    }
    std::printf("the compiler is %s\n", catena::loaded_compiler() ? "loaded" : "not loaded");
}
