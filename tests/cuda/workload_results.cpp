#include "tests/cuda/workload_results.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "runtime/ops/random.h"

namespace catena::testing {

std::vector<std::vector<double>> workload_results(Device& device, const tool::Workload& workload, tool::Variant variant,
                                                  int64_t divisor) {
    set_seed(7);
    const DeviceScope scope(device);
    const tool::Iteration iteration = workload.prepare(variant, divisor);
    std::vector<std::vector<double>> results;
    const auto see = [&](const Array& array) {
        EXPECT_EQ(&array.device(), &device);
        results.push_back(array.to(cpu_device()).to_vector<double>());
    };
    for (int i = 0; i < 3; ++i) {
        iteration.run();
        if (workload.amplifies_rounding && i < 2) see(iteration.loss());
    }
    if (!iteration.results || workload.amplifies_rounding) return results;
    for (const Array& array : iteration.results()) see(array);
    return results;
}

void expect_workload_of_host(Device& device, const tool::Workload& workload, tool::Variant variant, int64_t divisor) {
    const auto expected = workload_results(cpu_device(), workload, variant, divisor),
               actual = workload_results(device, workload, variant, divisor);
    ASSERT_EQ(actual.size(), expected.size());
    for (size_t r = 0; r < actual.size(); ++r) {
        ASSERT_EQ(actual[r].size(), expected[r].size());
        double scale = 1e-3;
        for (double value : expected[r]) scale = std::max(scale, std::abs(value));
        const double tolerance = workload.amplifies_rounding && r > 0 ? 1e-3 : 2e-5;
        for (size_t k = 0; k < actual[r].size(); ++k)
            ASSERT_NEAR(actual[r][k], expected[r][k], tolerance * scale) << "result " << r << ", element " << k;
    }
}

}  // namespace catena::testing
