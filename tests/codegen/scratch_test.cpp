// What library calls of a program work in is free again after each: the largest of them serves all.
#include <gtest/gtest.h>

#include "runtime/core/array/device.h"
#include "runtime/ops/connection/convolution.h"
#include "runtime/ops/math/reduction/reduction.h"
#include "tests/codegen/region.h"

namespace catena::test {

TEST(scratch, of_library_calls_is_the_largest_not_the_sum) {
    // Winograd's method takes some megabytes for each size, more for larger images.
    constexpr int64_t channels = 64, kinds = 4;
    std::vector<Array> arguments;
    for (int64_t k = 0; k < kinds; ++k) {
        arguments.push_back(
            random_array({Dtype::float32, {4, channels, 12 + 20 * k, 12 + 20 * k}}, 1));
        arguments.push_back(random_array({Dtype::float32, {channels, channels, 3, 3}}, 2));
    }
    const auto pool_after = [&](int64_t first) {
        const Region region(
            [&](const std::vector<Variable>& v) {
                std::vector<Variable> results;
                for (int64_t k = first; k < kinds; ++k)
                    results.push_back(
                        sum(convolution_2d(v[size_t(2 * k)], v[size_t(2 * k + 1)], {.pad = {1}}),
                            Axes{2, 3}));
                return results;
            },
            arguments);
        release_cached_memory();
        for (int call = 0; call < 2; ++call) region.run();
        const MemoryStatistics statistics = cpu_memory_statistics();
        return int64_t(statistics.bytes_reserved - statistics.bytes_in_use);
    };
    // The arena of the whole program is larger, too, but is one of its images and results.
    const int64_t largest = pool_after(kinds - 1), all = pool_after(0);
    EXPECT_LE(all, largest + (int64_t(6) << 20))
        << "of it the results, and what the measured ways of computing a convolution differ by";
}

}  // namespace catena::test
