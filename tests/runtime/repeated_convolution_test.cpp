// Eager convolutions (convolve() and its gradients) of sizes that were computed before use what was
// prepared then (runtime/cpu/convolution/repeated_convolution.h), and give the same bits.
#include <cmath>
#include <limits>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/cpu/convolution/float_convolution.h"
#include "runtime/cpu/convolution/repeated_convolution.h"
#include "tests/runtime/convolution_truth.h"
#include "tests/support/threads.h"

namespace catena {
namespace {

using Direction = ConvolutionDirection;

/// The results of all three kernels, and of the forward one with a bias.
std::vector<std::vector<float>> eager_results(const Case& c) {
    std::vector<std::vector<float>> results;
    convolve(c.x, c.W, Array(), c.steps, c.y);
    results.push_back(c.y.to_vector<float>());
    convolve(c.x, c.W, c.b, c.steps, c.y);
    results.push_back(c.y.to_vector<float>());
    convolve_data(c.gy, c.W, c.steps, c.gx);
    results.push_back(c.gx.to_vector<float>());
    convolve_weights(c.x, c.gy, c.steps, c.gW);
    results.push_back(c.gW.to_vector<float>());
    return results;
}

/// The same by objects that were never used before.
std::vector<std::vector<float>> fresh_results(const Case& c) {
    std::vector<std::vector<float>> results;
    const Epilogue none, biased{.bias = c.b};
    FloatConvolution().run({Direction::forward, c.steps, c.x, c.W, c.y, none});
    results.push_back(c.y.to_vector<float>());
    FloatConvolution().run({Direction::forward, c.steps, c.x, c.W, c.y, biased});
    results.push_back(c.y.to_vector<float>());
    FloatConvolution().run({Direction::data, c.steps, c.gy, c.W, c.gx, none});
    results.push_back(c.gx.to_vector<float>());
    FloatConvolution().run({Direction::weights, c.steps, c.x, c.gy, c.gW, none});
    results.push_back(c.gW.to_vector<float>());
    return results;
}

TEST(RepeatedConvolution, is_prepared_at_its_first_call_alone) {
    const Case c({1, 3, 5, 7, 6, 1, 1}, MemoryOrder::row_major);
    const int64_t before = prepared_convolution_count();
    const auto first = eager_results(c);
    EXPECT_EQ(prepared_convolution_count(), before + 4);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(eager_results(c), first);
    EXPECT_EQ(prepared_convolution_count(), before + 4);
}

TEST(RepeatedConvolution, is_told_from_others_by_all_that_its_preparation_depends_on) {
    std::vector<Case> cases;
    for (const MemoryOrder order : {MemoryOrder::row_major, MemoryOrder::channels_last})
        for (const Images& images :
             {Images{2, 3, 5, 7, 6, 1, 1}, Images{2, 3, 5, 6, 7, 1, 1}, Images{3, 3, 5, 7, 6, 1, 1},
              Images{2, 5, 3, 7, 6, 1, 1}, Images{2, 3, 5, 7, 6, 0, 1},
              Images{2, 3, 5, 7, 6, 1, 1, 2}, Images{2, 3, 5, 7, 6, 1, 1, 3, 2}})
            cases.emplace_back(images, order);
    std::vector<std::vector<std::vector<float>>> expected;
    for (const Case& c : cases) expected.push_back(fresh_results(c));
    for (int i = 0; i < 2; ++i)
        for (size_t at = 0; at < cases.size(); ++at)
            EXPECT_EQ(eager_results(cases[at]), expected[at]) << at;
}

TEST(RepeatedConvolution, has_the_same_bits_on_another_number_of_threads) {
    const Case c({5, 8, 16, 12, 12, 1, 1}, MemoryOrder::row_major);
    const auto expected = eager_results(c);
    for (const int count : {1, 3, 2}) {
        const testing::Threads scope(count);
        EXPECT_EQ(eager_results(c), expected) << count;
    }
}

TEST(RepeatedConvolution, takes_another_way_for_one_call_with_infinite_values) {
    const Case c({8, 64, 64, 16, 16, 1, 1}, MemoryOrder::channels_last);
    const auto before = eager_results(c);
    float& changed = element(c.x, 2, 5, 6, 9);
    const float usual = changed;
    changed = std::numeric_limits<float>::infinity();
    convolve(c.x, c.W, Array(), c.steps, c.y);
    EXPECT_FALSE(std::isfinite(element(c.y, 2, 0, 6, 9)));
    EXPECT_TRUE(std::isfinite(element(c.y, 1, 0, 6, 9)));
    changed = usual;
    EXPECT_EQ(eager_results(c), before);
}

TEST(RepeatedConvolution, is_prepared_anew_after_many_other_sizes) {
    const Case c({1, 2, 3, 5, 5, 1, 1}, MemoryOrder::row_major);
    const auto expected = eager_results(c);
    for (int64_t width = 3; width < 303; ++width) {
        const Case other({1, 1, 1, 3, width, 0, 0}, MemoryOrder::row_major);
        convolve(other.x, other.W, Array(), other.steps, other.y);
    }
    const int64_t before = prepared_convolution_count();
    EXPECT_EQ(eager_results(c), expected);
    EXPECT_GT(prepared_convolution_count(), before);
}

TEST(RepeatedConvolution, belongs_to_its_thread) {
    const Case c({1, 3, 5, 9, 6, 1, 1}, MemoryOrder::row_major);
    const auto expected = eager_results(c);
    int64_t prepared = 0;
    std::vector<std::vector<float>> found;
    std::thread([&] {
        const Case same({1, 3, 5, 9, 6, 1, 1}, MemoryOrder::row_major);
        found = eager_results(same);
        prepared = prepared_convolution_count();
    }).join();
    EXPECT_EQ(found, expected);
    EXPECT_EQ(prepared, 4);
}

}  // namespace
}  // namespace catena
