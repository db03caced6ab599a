// What a workload is compiled to when only its model's call is a region: forward and backward as
// one program.
#include <gtest/gtest.h>

#include <ostream>

#include "benchmarks/workloads/workload.h"
#include "benchmarks/workloads/workloads.h"
#include "frontend/catena.h"
#include "frontend/compiler/compiler_loader.h"

namespace catena::testing {
namespace {

/// Of one call with sizes divided by 4, forward and backward.
struct Counts {
    const char* workload;
    int64_t programs;
    int forward, backward;  ///< Launches.
    int library_calls;      ///< Of both.
};

std::ostream& operator<<(std::ostream& out, const Counts& c) {
    return out << "    {\"" << c.workload << "\", " << c.programs << ", " << c.forward << ", "
               << c.backward << ", " << c.library_calls << "},";
}

constexpr Counts expected[] = {
    {"mlp", 1, 6, 8, 8},
    {"resnet20", 1, 57, 59, 47},
    {"unet", 1, 70, 67, 62},
    {"transformer", 1, 34, 41, 43},
};

class JointCounts : public ::testing::TestWithParam<Counts> {};

TEST_P(JointCounts, are_those_of_the_table) {
    if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
    const Counts wanted = GetParam();
    const tool::Iteration iteration =
        tool::find_workload(wanted.workload).prepare(tool::Variant::compiled, 4);
    for (int i = 0; i < 3; ++i) iteration.run();
    Counts found{wanted.workload, iteration.statistics().programs, 0, 0, 0};
    for (const RegionProfile::Row& row : iteration.profile().rows) {
        ++(row.program.ends_with("_backward") ? found.backward : found.forward);
        found.library_calls += row.launch.is_library_call;
    }
    const bool agree = found.programs == wanted.programs && found.forward == wanted.forward &&
                       found.backward == wanted.backward &&
                       found.library_calls == wanted.library_calls;
    EXPECT_TRUE(agree)
        << "expected (workload, programs, launches forward, backward, library calls)\n"
        << wanted << "\nbut it is\n"
        << found;
}

INSTANTIATE_TEST_SUITE_P(All, JointCounts, ::testing::ValuesIn(expected),
                         [](const auto& info) { return std::string(info.param.workload); });

}  // namespace
}  // namespace catena::testing
