// What an iteration of each row of `catena bench` is on a GPU, as numbers, without one: at full
// size, with the plug-in's own choice of what cuBLASLt and cuDNN compute. A change of a pass, a
// rule or a kernel that splits a group, adds a copy, or takes a call from a library is seen here.
// After a change that was meant, this writes the table anew (some minutes):
//
//     build/bin/test_cuda --gtest_filter='*DeviceCounts*' | grep '^    {"' >
//     tests/cuda/device_counts.inc
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string_view>

#include "benchmarks/workloads/workload.h"
#include "benchmarks/workloads/workloads.h"
#include "frontend/catena.h"
#include "runtime/graph/settings/autocast.h"
#include "tests/cuda/counting_device.h"
#include "tests/cuda/recording_cublas_lt.h"
#include "tests/cuda/recording_cudnn.h"

#if defined(CATENA_HAS_CUBLAS_LT) && defined(CATENA_HAS_CUDNN)

namespace catena::testing {
namespace {

struct DeviceCounts {
    std::string_view workload, precision;
    int64_t programs;                          ///< Compiled in at most eight iterations.
    int64_t launches, kernels, library_calls;  ///< Of the last call's programs.
    int64_t taken;      ///< Of the calls, those that cuBLASLt or cuDNN would compute,
    int64_t started;    ///< generated kernels that an iteration starts, copies and all,
    int64_t copies;     ///< and copies between host and device.
    int64_t megabytes;  ///< That its launches read and write, if each reads its inputs once.
    bool operator==(const DeviceCounts&) const = default;
};

constexpr DeviceCounts expected_counts[] = {
#include "tests/cuda/device_counts.inc"
};

std::ostream& operator<<(std::ostream& out, const DeviceCounts& c) {
    return out << "    {\"" << c.workload << "\", \"" << c.precision << "\", " << c.programs << ", "
               << c.launches << ", " << c.kernels << ", " << c.library_calls << ", " << c.taken
               << ", " << c.started << ", " << c.copies << ", " << c.megabytes << "},";
}

struct Case {
    const tool::Workload* workload;
    const char* precision;
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
    return out << c.workload->name << " " << c.precision;
}

/// Large rows are there for tensor cores.
std::vector<Case> all_cases() {
    std::vector<Case> cases;
    for (const tool::Workload& workload : tool::workloads())
        for (const char* precision : {"float32", "tf32", "bfloat16"})
            cases.push_back({&workload, precision});
    for (const tool::Workload& workload : tool::large_workloads())
        for (const char* precision : {"tf32", "bfloat16"}) cases.push_back({&workload, precision});
    return cases;
}

/// Of an iteration as one compiled step: of the last of some, in which rows of many sizes have come
/// to few of them.
DeviceCounts counted(const Case& c) {
    RecordingCublasLt cublas_lt;
    RecordingCudnn cudnn;
    auto& device = *new CountingDevice("counting");  // Its programs outlive the test.
    const DeviceScope scope(device);
    const auto tf32 = using_config(&Config::tf32, std::string_view(c.precision) != "float32");
    const AutocastScope casting(std::string_view(c.precision) == "bfloat16" ? Dtype::bfloat16
                                                                            : Dtype::float32);
    const tool::Iteration iteration = c.workload->prepare(tool::Variant::step, 1);
    CountingDevice::Counts before;
    for (int i = 0; i < std::clamp(2 * iteration.cycle, 3, 8); ++i) {
        before = device.counts();
        iteration.run();
    }
    const CountingDevice::Counts after = device.counts();
    DeviceCounts counts{
        c.workload->name, c.precision, iteration.statistics().programs, 0, 0, 0, 0, 0, 0, 0};
    double bytes = 0;
    for (const RegionProfile::Row& row : iteration.profile().rows) {
        ++counts.launches;
        counts.kernels += row.launch.kernels;
        counts.library_calls += row.launch.is_library_call;
        bytes += row.launch.bytes_read + row.launch.bytes_written;
    }
    counts.taken = after.taken - before.taken;
    counts.started = after.kernels - before.kernels;
    counts.copies = after.from_host - before.from_host + after.to_host - before.to_host;
    counts.megabytes = std::llround(bytes / 1e6);
    return counts;
}

class DeviceCountsOfRows : public ::testing::TestWithParam<Case> {};

TEST_P(DeviceCountsOfRows, are_those_of_the_table) {
    const DeviceCounts found = counted(GetParam());
    const auto* wanted = std::ranges::find_if(expected_counts, [&](const DeviceCounts& c) {
        return c.workload == found.workload && c.precision == found.precision;
    });
    std::ostringstream text;
    text << found;
    std::printf("%s\n", text.str().c_str());
    ASSERT_NE(wanted, std::end(expected_counts))
        << "tests/cuda/device_counts.inc has no line for it; it is\n"
        << found;
    EXPECT_EQ(found, *wanted)
        << "(workload, precision, programs, launches, kernels, library calls, "
           "taken by a library, kernels started, copies, megabytes). If that "
           "was the aim, write the table anew.";
}

INSTANTIATE_TEST_SUITE_P(All, DeviceCountsOfRows, ::testing::ValuesIn(all_cases()),
                         [](const auto& info) {
                             return info.param.workload->name + "_" + info.param.precision;
                         });

TEST(DeviceCountsTable, has_no_line_of_another_row) {
    const std::vector<Case> cases = all_cases();
    for (const DeviceCounts& line : expected_counts)
        EXPECT_TRUE(std::ranges::any_of(cases, [&](const Case& c) {
            return c.workload->name == line.workload && c.precision == line.precision;
        })) << line;
    EXPECT_EQ(std::size(expected_counts), cases.size());
}

}  // namespace
}  // namespace catena::testing

#endif
