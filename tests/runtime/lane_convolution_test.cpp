// Convolutions of sixteen images side by side against the definition in float64.

#include "runtime/cpu/convolution/lanes/lane_convolution.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "runtime/core/array/device.h"
#include "runtime/cpu/convolution/convolution_kernel.h"
#include "runtime/core/array/memory_order.h"
#include "runtime/core/parallel/parallel.h"
#include "tests/support/random_numbers.h"

namespace catena {
namespace {

using Direction = ConvolutionDirection;

struct Sizes {
    int64_t batch, in, out, height, width, kernel_rows, kernel_columns, pad_rows, pad_columns,
        stride_rows = 1, stride_columns = 1;
    int64_t beyond = 0;  ///< Positions whose windows pass the end of x.
};

Array random_array(const Shape& shape, uint64_t seed, MemoryOrder order = MemoryOrder::row_major) {
    const Array array = Array::empty({Dtype::float32, shape}, cpu_device());
    testing::fill_random(seed, array.to_fill<float>(), array.size());
    return array.view(shape, strides_in(order, shape), 0);
}

float& element(const Array& array, int64_t n, int64_t c, int64_t h, int64_t w) {
    const Strides& s = array.strides();
    return array.to_fill<float>()[n * s[0] + c * s[1] + h * s[2] + w * s[3]];
}

struct Case {
    Case(const Sizes& s, MemoryOrder order)
        : steps{Dims{s.stride_rows, s.stride_columns}, Dims{s.pad_rows, s.pad_columns}, Dims{1, 1},
                1} {
        const int64_t rows =
            (s.height + 2 * s.pad_rows - s.kernel_rows) / s.stride_rows + 1 + s.beyond;
        const int64_t columns =
            (s.width + 2 * s.pad_columns - s.kernel_columns) / s.stride_columns + 1 + s.beyond;
        x = random_array({s.batch, s.in, s.height, s.width}, 1, order);
        W = random_array({s.out, s.in, s.kernel_rows, s.kernel_columns}, 2);
        b = random_array({s.out}, 3);
        gy = random_array({s.batch, s.out, rows, columns}, 4, order);
        y = random_array(gy.shape(), 5, order);
        gx = random_array(x.shape(), 6, order);
        gW = random_array(W.shape(), 7);
    }
    /// Calls f(x's row and column, W's) for each tap of a position that is inside of x.
    template <class F>
    void for_taps(int64_t h, int64_t w, F&& f) const {
        for (int64_t i = 0; i < W.dim(2); ++i)
            for (int64_t j = 0; j < W.dim(3); ++j) {
                const int64_t row = h * steps.stride[0] + i - steps.pad[0],
                              column = w * steps.stride[1] + j - steps.pad[1];
                if (row >= 0 && row < x.dim(2) && column >= 0 && column < x.dim(3))
                    f(row, column, i, j);
            }
    }
    /// What the definition gives in float64, in row-major order.
    std::vector<double> results(Direction direction, bool biased) const {
        const Array& like = direction == Direction::data      ? gx
                            : direction == Direction::weights ? gW
                                                              : y;
        std::vector<double> sums(size_t(like.size()));
        const std::vector<double> xs = x.to_vector<double>(), Ws = W.to_vector<double>(),
                                  gys = gy.to_vector<double>();
        const auto index = [](const Shape& of, int64_t n, int64_t c, int64_t h, int64_t w) {
            return size_t(((n * of[1] + c) * of[2] + h) * of[3] + w);
        };
        const Shape x_shape = x.shape(), W_shape = W.shape(), y_shape = y.shape();
        for (int64_t n = 0; n < y.dim(0); ++n)
            for (int64_t o = 0; o < y.dim(1); ++o)
                for (int64_t h = 0; h < y.dim(2); ++h)
                    for (int64_t w = 0; w < y.dim(3); ++w) {
                        const size_t position = index(y_shape, n, o, h, w);
                        if (direction == Direction::forward && biased)
                            sums[position] = b.to_fill<float>()[o];
                        for (int64_t c = 0; c < x_shape[1]; ++c)
                            for_taps(h, w, [&](int64_t row, int64_t column, int64_t i, int64_t j) {
                                const size_t pixel = index(x_shape, n, c, row, column),
                                             weight = index(W_shape, o, c, i, j);
                                if (direction == Direction::forward)
                                    sums[position] += xs[pixel] * Ws[weight];
                                else if (direction == Direction::data)
                                    sums[pixel] += gys[position] * Ws[weight];
                                else
                                    sums[weight] += gys[position] * xs[pixel];
                            });
                    }
        return sums;
    }
    const Array& result(Direction direction) const {
        return direction == Direction::data ? gx : direction == Direction::weights ? gW : y;
    }
    std::optional<LaneConvolution> find(Direction direction, bool if_faster = false) const {
        const Array &a = direction == Direction::data ? gy : x,
                    &second = direction == Direction::weights ? gy : W;
        return if_faster
                   ? LaneConvolution::find(direction, a, second, result(direction), steps)
                   : LaneConvolution::find_possible(direction, a, second, result(direction), steps);
    }
    bool run(Direction direction, bool biased, std::span<std::byte> scratch = {}) const {
        const Array &a = direction == Direction::data ? gy : x,
                    &second = direction == Direction::weights ? gy : W;
        return find(direction).value().run(a, second, biased ? b : Array(), result(direction),
                                           scratch);
    }

    WindowSteps steps;
    Array x, W, b, gy, y, gx, gW;
};

/// Root mean square of the differences in units of that of the truth; not a number where one of
/// these is none.
double difference(const Array& actual, const std::vector<double>& truth) {
    double squares = 0, differences = 0;
    size_t i = 0;
    for (int64_t n = 0; n < actual.dim(0); ++n)
        for (int64_t c = 0; c < actual.dim(1); ++c)
            for (int64_t h = 0; h < actual.dim(2); ++h)
                for (int64_t w = 0; w < actual.dim(3); ++w, ++i) {
                    squares += truth[i] * truth[i];
                    differences += std::pow(double(element(actual, n, c, h, w)) - truth[i], 2);
                }
    return std::sqrt(differences / squares);
}

std::vector<float> copied(const Array& array) {
    return {array.to_fill<float>(), array.to_fill<float>() + array.size()};
}

bool can_run() {
    return Case({16, 1, 1, 6, 6, 3, 3, 1, 1}, MemoryOrder::row_major)
        .find(Direction::forward)
        .has_value();
}

class LaneConvolutions : public ::testing::TestWithParam<Sizes> {
    void SetUp() override {
        if (!can_run()) GTEST_SKIP() << "needs AVX2";
    }
};

TEST_P(LaneConvolutions, are_near_the_definition) {
    for (const MemoryOrder order : {MemoryOrder::row_major, MemoryOrder::channels_last}) {
        SCOPED_TRACE(order == MemoryOrder::row_major ? "row-major" : "channels last");
        const Case c(GetParam(), order);
        const bool in_steps = c.steps.stride[0] * c.steps.stride[1] > 1,
                   is_large = c.x.dim(3) > 100;
        ASSERT_EQ(c.find(Direction::data).has_value(), !in_steps);
        ASSERT_EQ(c.find(Direction::weights).has_value(), !is_large);
        for (const Direction direction : {Direction::forward, Direction::data, Direction::weights})
            for (const bool biased : {true, false}) {
                if (!c.find(direction) || (biased && direction != Direction::forward)) continue;
                ASSERT_TRUE(c.run(direction, biased));
                EXPECT_LT(difference(c.result(direction), c.results(direction, biased)), 1e-6)
                    << int(direction);
            }
    }
}

TEST_P(LaneConvolutions, give_the_same_bits_for_any_number_of_threads_and_in_given_memory) {
    const int before = thread_count();
    const Case c(GetParam(), MemoryOrder::row_major);
    for (const Direction direction : {Direction::forward, Direction::data, Direction::weights}) {
        if (!c.find(direction)) continue;
        std::vector<float> first;
        for (const int threads : {1, 2, 3, 7}) {
            set_thread_count(threads);
            std::vector<std::byte> memory(c.find(direction)->scratch_bytes() + 64,
                                          std::byte{0xFF});  // NaN
            std::byte* const begin =
                memory.data() + (64 - reinterpret_cast<uintptr_t>(memory.data()) % 64) % 64;
            ASSERT_TRUE(c.run(direction, false, {begin, memory.size() - 64}));
            const std::vector<float> results = copied(c.result(direction));
            if (first.empty()) first = results;
            EXPECT_EQ(std::memcmp(results.data(), first.data(), first.size() * sizeof(float)), 0)
                << threads << " threads";
        }
    }
    set_thread_count(before);
}

// LeNet-5; batches that do not fill their last group; each padding; windows beyond the end; long
// rows of taps; steps of two; rows so long that bands of them are packed.
INSTANTIATE_TEST_SUITE_P(
    sizes, LaneConvolutions,
    ::testing::Values(Sizes{64, 1, 6, 28, 28, 5, 5, 2, 2}, Sizes{32, 6, 16, 14, 14, 5, 5, 0, 0},
                      Sizes{21, 3, 7, 9, 12, 3, 3, 1, 0}, Sizes{5, 2, 5, 7, 6, 4, 3, 0, 2},
                      Sizes{17, 2, 11, 8, 7, 2, 9, 1, 8}, Sizes{40, 3, 9, 11, 13, 3, 5, 1, 2, 2, 2},
                      Sizes{16, 2, 3, 9, 9, 3, 3, 1, 1, 2, 2, 1},
                      Sizes{16, 2, 3, 9, 9, 3, 3, 1, 1, 1, 1, 2},
                      Sizes{18, 1, 2, 61, 150, 3, 3, 1, 1}),
    [](const auto& info) { return fmt::format("number_{}", info.index); });

TEST(LaneConvolutionNumbers, what_is_not_finite_stays_in_the_windows_that_see_it) {
    if (!can_run()) GTEST_SKIP() << "needs AVX2";
    const Case c({16, 1, 6, 10, 10, 5, 5, 2, 2}, MemoryOrder::row_major);
    ASSERT_TRUE(c.find(Direction::forward, true).has_value()) << "else convolve() would not use it";
    const float infinity = std::numeric_limits<float>::infinity();
    element(c.x, 3, 0, 0, 0) = infinity;
    convolve(c.x, c.W, Array(), c.steps, c.y);
    for (int64_t n = 0; n < 16; ++n)
        for (int64_t h = 0; h < 10; ++h)
            for (int64_t w = 0; w < 10; ++w)
                ASSERT_EQ(std::isfinite(element(c.y, n, 2, h, w)), n != 3 || h > 2 || w > 2)
                    << n << ", " << h << ", " << w;
    element(c.x, 3, 0, 0, 0) = 1;
    element(c.W, 2, 0, 0, 4) =
        infinity;  // Sees zeros beside the images in the first rows and the last columns.
    convolve(c.x, c.W, Array(), c.steps, c.y);
    for (int64_t h = 0; h < 10; ++h)
        for (int64_t w = 0; w < 10; ++w)
            ASSERT_EQ(std::isfinite(element(c.y, 0, 2, h, w)), h < 2 || w > 7) << h << ", " << w;
    element(c.gy, 1, 4, 0, 0) =
        infinity;  // In the first position only the last taps are inside of x.
    convolve_weights(c.x, c.gy, c.steps, c.gW);
    for (int64_t i = 0; i < 5; ++i)
        for (int64_t j = 0; j < 5; ++j)
            ASSERT_EQ(std::isfinite(element(c.gW, 4, 0, i, j)), i < 2 || j < 2) << i << ", " << j;
}

TEST(LaneConvolutionSizes, what_it_cannot_do_or_would_not_do_faster_is_left_alone) {
    if (!can_run()) GTEST_SKIP() << "needs AVX2";
    const auto taken = [](const Sizes& s, MemoryOrder order = MemoryOrder::row_major) {
        const Case c(s, order);
        return fmt::format("{:d}{:d}{:d}", c.find(Direction::forward, true).has_value(),
                           c.find(Direction::data, true).has_value(),
                           c.find(Direction::weights, true).has_value());
    };
    EXPECT_EQ(taken({64, 1, 6, 28, 28, 5, 5, 2, 2}), "111");
    EXPECT_EQ(taken({64, 6, 16, 14, 14, 5, 5, 0, 0}), "111");
    EXPECT_EQ(taken({64, 20, 48, 12, 12, 5, 5, 0, 0}), "011");
    EXPECT_EQ(taken({64, 20, 48, 12, 12, 5, 5, 0, 0}, MemoryOrder::channels_last), "010");
    EXPECT_EQ(taken({64, 64, 64, 8, 8, 3, 3, 1, 1}), "000") << "many channels";
    EXPECT_EQ(taken({8, 1, 6, 28, 28, 5, 5, 2, 2}), "000") << "lanes without images";
    EXPECT_EQ(taken({64, 1, 6, 28, 28, 1, 1, 0, 0}), "000") << "a product";
    Case c({64, 2, 6, 10, 10, 3, 3, 1, 1}, MemoryOrder::row_major);
    c.steps.dilate = Dims{2, 2};
    EXPECT_FALSE(c.find(Direction::forward)) << "dilated";
    c.steps.dilate = Dims{1, 1};
    c.steps.groups = 2;
    EXPECT_FALSE(c.find(Direction::forward)) << "groups";
}

}  // namespace
}  // namespace catena
