#include "tests/cuda/workload_results.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "runtime/ops/noise/random.h"

namespace catena::testing {

namespace {

std::string difference_in(const std::vector<double>& before, const std::vector<double>& expected,
                          const std::vector<double>& actual) {
    if (actual.size() != expected.size())
        return fmt::format("there are {} of {}", actual.size(), expected.size());
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
            return fmt::format("element {} is {}, not {}, and {} so far are beyond {} of {}", k,
                               actual[k], expected[k], beyond, rounding, expected.size());
    }
    return "";
}

}  // namespace

Results workload_results(Device& device, const tool::Workload& workload, tool::Variant variant,
                         int64_t divisor, int iterations) {
    set_seed(7);
    const DeviceScope scope(device);
    const tool::Iteration iteration = workload.prepare(variant, divisor);
    Results results;
    const auto see = [&](const Array& array) {
        EXPECT_EQ(&array.device(), &device);
        results.push_back(array.to(cpu_device()).to_vector<double>());
    };
    for (int i = 0; i < iterations; ++i) {
        iteration.run();
        if (workload.amplifies_rounding && i < 2) see(iteration.loss());
    }
    if (!iteration.results || workload.amplifies_rounding) return results;
    for (const Array& array : iteration.results()) see(array);
    return results;
}

std::string unexplained_difference(const Results& before, const Results& expected,
                                   const Results& actual) {
    if (actual.size() != expected.size())
        return fmt::format("there are {} of {}", actual.size(), expected.size());
    for (size_t r = 0; r < actual.size(); ++r)
        if (const std::string difference = difference_in(before[r], expected[r], actual[r]);
            !difference.empty())
            return fmt::format("result {}: {}", r, difference);
    return "";
}

/// The first loss is that of equal parameters; the second, of parameters that rounding has moved.
void expect_near_losses(const Results& expected, const Results& actual) {
    ASSERT_EQ(actual.size(), expected.size());
    for (size_t r = 0; r < actual.size(); ++r) {
        const double scale = std::max(1e-3, std::abs(expected[r][0]));
        ASSERT_NEAR(actual[r][0], expected[r][0], (r == 0 ? 2e-5 : 1e-3) * scale) << "loss " << r;
    }
}

void expect_workload_of_host(Device& device, const tool::Workload& workload, tool::Variant variant,
                             int64_t divisor) {
    const Results expected = workload_results(cpu_device(), workload, variant, divisor),
                  actual = workload_results(device, workload, variant, divisor);
    if (workload.amplifies_rounding) return expect_near_losses(expected, actual);
    const Results before = workload_results(cpu_device(), workload, variant, divisor, 1);
    EXPECT_EQ(unexplained_difference(before, expected, actual), "");
}

}  // namespace catena::testing
