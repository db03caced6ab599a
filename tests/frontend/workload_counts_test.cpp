// What each workload's iteration is compiled to, as numbers: a change of a pass or a rule that
// splits a group, adds a copy or compiles twice is seen here, and not only in a benchmark.
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>

#include "benchmarks/workloads/workload.h"
#include "benchmarks/workloads/workloads.h"
#include "frontend/catena.h"
#include "frontend/compiler/compiler_loader.h"
#include "runtime/core/parallel/parallel.h"
#include "runtime/core/simd/instruction_set.h"
#include "runtime/cpu/convolution/lanes/lane_convolution.h"
#include "tests/frontend/allocation_count.h"

namespace catena::testing {
namespace {

/// Of the whole iteration as one region, with sizes divided by 4.
struct Counts {
    const char* workload;
    int64_t programs;                      ///< Compiled in two cycles of its sizes.
    int launches, kernels, library_calls;  ///< Of one call, together for all sizes.
    int64_t allocations;          ///< Of the C++ heap in a later call, at most: by Catena and the
                                  ///< workload's own code,
    int64_t library_allocations;  ///< and by oneDNN inside of its calls.
    bool needs_lanes = false;  ///< True of processors that compute convolutions of few channels by
                               ///< runtime/cpu/convolution/lanes/lane_convolution.h.
    int64_t library_allocations_of_avx2 =
        library_allocations;  ///< oneDNN computes more of some networks without AVX-512.
};

constexpr Counts expected[] = {
#include "tests/frontend/workload_counts.inc"
};

std::ostream& operator<<(std::ostream& out, const Counts& c) {
    return out << "    {\"" << c.workload << "\", " << c.programs << ", " << c.launches << ", "
               << c.kernels << ", " << c.library_calls << ", " << c.allocations << ", "
               << c.library_allocations << (c.needs_lanes ? ", true" : "") << "},";
}

Counts measured(const char* name) {
    const tool::Iteration iteration = tool::find_workload(name).prepare(tool::Variant::step, 4);
    for (int i = 0; i < std::max(8, 2 * iteration.cycle); ++i)
        iteration.run();  // Weights are kept packed from the fifth use on.
    Counts counts{name, iteration.statistics().programs, 0, 0, 0, 0, 0, false};
    for (const RegionProfile::Row& row : iteration.profile().rows) {
        ++counts.launches;
        counts.kernels += row.launch.kernels;
        counts.library_calls += row.launch.is_library_call;
    }
    // How much scratch memory is in use at once depends on how threads meet: sooner or later there
    // is enough of it.
    size_t from_the_system = 0, now = cpu_memory_statistics().system_allocations;
    for (int round = 0; round < 10 && now != from_the_system; ++round) {
        from_the_system = now;
        counts.allocations = counts.library_allocations = 0;
        for (int i = 0; i < 2 * iteration.cycle; ++i) {
            const int64_t before = allocation_count(), library_before = library_allocation_count();
            iteration.run();
            counts.allocations = std::max(counts.allocations, allocation_count() - before);
            counts.library_allocations =
                std::max(counts.library_allocations, library_allocation_count() - library_before);
        }
        now = cpu_memory_statistics().system_allocations;
    }
    EXPECT_EQ(now, from_the_system) << "memory for arrays is reused from call to call";
    EXPECT_EQ(iteration.statistics().programs, counts.programs) << "a later call compiled";
    return counts;
}

class WorkloadCounts : public ::testing::TestWithParam<Counts> {};

TEST_P(WorkloadCounts, are_those_of_the_table) {
    if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
    set_thread_count(2);
    const Counts wanted = GetParam();
    const LaneSizes of_lenet{64, 1, 6, 28, Dims{5, 5}, Dims{1, 1}, false};
    if (wanted.needs_lanes && !is_faster_by_lanes(ConvolutionDirection::forward, of_lenet))
        GTEST_SKIP() << "the numbers are those with AVX2 or AVX-512";
    Counts found = measured(wanted.workload);
    found.needs_lanes = wanted.needs_lanes;
    const bool agree =
        found.programs == wanted.programs && found.launches == wanted.launches &&
        found.kernels == wanted.kernels && found.library_calls == wanted.library_calls &&
        found.allocations <= wanted.allocations &&
        found.library_allocations <=
            (has_avx512() ? wanted.library_allocations : wanted.library_allocations_of_avx2);
    EXPECT_TRUE(agree) << "tests/frontend/workload_counts.inc says (workload, programs, launches, "
                          "kernels, library calls, allocations, oneDNN's)\n"
                       << wanted << "\nbut it is\n"
                       << found << "\nIf that was the aim, change the line.";
}

INSTANTIATE_TEST_SUITE_P(All, WorkloadCounts, ::testing::ValuesIn(expected),
                         [](const auto& info) { return std::string(info.param.workload); });

TEST(WorkloadCountsTable, has_every_workload_that_is_compiled) {
    for (const tool::Workload& workload : tool::workloads())
        EXPECT_TRUE(std::ranges::any_of(expected, [&](const Counts& c) {
            return workload.name == c.workload;
        })) << workload.name;
}

}  // namespace
}  // namespace catena::testing
