#include "tests/cuda/workload_results.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "runtime/ops/random.h"

namespace catena::testing {

namespace {

std::string difference_in(const std::vector<double>& before, const std::vector<double>& expected,
                          const std::vector<double>& actual) {
    if (actual.size() != expected.size()) return fmt::format("there are {} of {}", actual.size(), expected.size());
    double scale = 1e-3, moved = 0;
    for (size_t k = 0; k < expected.size(); ++k) {
        scale = std::max(scale, std::abs(expected[k]));
        moved = std::max(moved, std::abs(expected[k] - before[k]));
    }
    const double rounding = 2e-5 * scale, other_way = rounding + 3 * moved;
    size_t beyond = 0;
    for (size_t k = 0; k < expected.size(); ++k) {
        const double difference = std::abs(actual[k] - expected[k]);
        if (difference <= rounding) continue;
        ++beyond;
        if (!(difference <= other_way) || 100 * beyond > expected.size())
            return fmt::format("element {} is {}, not {}, and {} so far are beyond {} of {}", k, actual[k], expected[k], beyond,
                               rounding, expected.size());
    }
    return "";
}

}  // namespace

Results workload_results(Device& device, const tool::Workload& workload, tool::Variant variant, int64_t divisor,
                         int iterations) {
    set_seed(7);
    const DeviceScope scope(device);
    const tool::Iteration iteration = workload.prepare(variant, divisor);
    for (int i = 0; i < iterations; ++i) iteration.run();
    Results results;
    if (!iteration.results) return results;
    for (const Array& array : iteration.results()) {
        EXPECT_EQ(&array.device(), &device);
        results.push_back(array.to(cpu_device()).to_vector<double>());
    }
    return results;
}

std::string unexplained_difference(const Results& before, const Results& expected, const Results& actual) {
    if (actual.size() != expected.size()) return fmt::format("there are {} of {}", actual.size(), expected.size());
    for (size_t r = 0; r < actual.size(); ++r)
        if (const std::string difference = difference_in(before[r], expected[r], actual[r]); !difference.empty())
            return fmt::format("result {}: {}", r, difference);
    return "";
}

void expect_workload_of_host(Device& device, const tool::Workload& workload, tool::Variant variant, int64_t divisor) {
    EXPECT_EQ(unexplained_difference(workload_results(cpu_device(), workload, variant, divisor, 1),
                                     workload_results(cpu_device(), workload, variant, divisor),
                                     workload_results(device, workload, variant, divisor)),
              "");
}

}  // namespace catena::testing
