// Convolutions that oneDNN 2.6.3 computes wrong on some processors are right here: windows with
// gaps and steps, windows that are larger than the image, and windows of which a part never meets
// it. The truth is the same in float64, which oneDNN does not compute.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "runtime/core/parallel/parallel.h"
#include "runtime/cpu/convolution/convolution_check.h"
#include "runtime/graph/variable/variable.h"
#include "runtime/ops/connection/convolution.h"

namespace catena {
namespace {

struct Case {
    Shape x, W;
    int64_t stride, pad, dilate;
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
    return out << to_string(c.x) << " " << to_string(c.W) << " stride " << c.stride << " pad "
               << c.pad << " dilate " << c.dilate;
}

Array random(const Shape& shape, uint64_t seed) {
    std::mt19937_64 generator(seed);
    std::vector<float> values(size_t(element_count(shape)));
    for (float& v : values) v = std::normal_distribution<float>()(generator);
    return Array::from(values, shape);
}

/// y, gx and gW of sum(y * y) / 2.
std::vector<std::vector<double>> computed(const Case& c, Dtype dtype) {
    // bfloat16 rounds the operands, so that all dtypes begin with the same numbers.
    const auto operand = [&](const Shape& shape, uint64_t seed) {
        return Variable(
            random(shape, seed).astype(Dtype::bfloat16).astype(Dtype::float32).astype(dtype));
    };
    Variable x = operand(c.x, 1), W = operand(c.W, 2);
    const Variable y =
        convolution_nd(x, W, Variable(), {.stride = c.stride, .pad = c.pad, .dilate = c.dilate});
    y.set_grad(Array(y.array()));
    y.backward();
    std::vector<std::vector<double>> all;
    for (const Array& array : {y.array(), x.grad(), W.grad()})
        all.push_back(array.astype(Dtype::float64).to_vector<double>());
    return all;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
    double most = 0, largest = 0;
    for (size_t i = 0; i < a.size(); ++i) {
        most = std::isnan(a[i]) ? INFINITY : std::max(most, std::abs(a[i] - b[i]));
        largest = std::max(largest, std::abs(b[i]));
    }
    return most / largest;
}

/// Freed memory of these sizes holds large numbers, so that elements that nobody writes show.
void spoil_free_memory() {
    std::vector<Array> arrays;
    for (const int64_t size : {100, 2304, 3000, 9000, 20000, 80000})
        arrays.push_back(Array::full({Dtype::float32, {size}}, 1e30));
}

class UnusualConvolution : public ::testing::TestWithParam<Case> {
protected:
    ~UnusualConvolution() override { set_thread_count(threads_); }
    void expect_right(Dtype dtype, double most) {
        const auto truth = computed(GetParam(), Dtype::float64);
        std::vector<std::vector<double>> on_one;
        for (const int threads : {1, 2}) {
            set_thread_count(threads);
            spoil_free_memory();
            const auto values = computed(GetParam(), dtype);
            for (size_t i = 0; i < truth.size(); ++i)
                EXPECT_LE(distance(values[i], truth[i]), most) << (i == 0   ? "y"
                                                                   : i == 1 ? "gx"
                                                                            : "gW")
                                                               << " on " << threads << " threads";
            if (threads == 1) on_one = values;
            EXPECT_EQ(values, on_one) << "threads change bits";
        }
    }

private:
    const int threads_ = thread_count();
};

TEST_P(UnusualConvolution, is_as_near_as_float32_can_be) { expect_right(Dtype::float32, 1e-5); }
TEST_P(UnusualConvolution, is_as_near_as_bfloat16_can_be) { expect_right(Dtype::bfloat16, 0.02); }

INSTANTIATE_TEST_SUITE_P(sizes, UnusualConvolution,
                         ::testing::Values(Case{{3, 3, 64}, {128, 3, 7}, 2, 24, 4},
                                           Case{{2, 3, 64}, {16, 3, 9}, 2, 16, 4},
                                           Case{{4, 16, 16, 64}, {32, 16, 7, 7}, 2, 24, 8},
                                           Case{{8, 3, 7, 7}, {64, 3, 5, 5}, 1, 4, 2},
                                           Case{{8, 64, 7, 7}, {64, 64, 9, 9}, 1, 4, 1},
                                           Case{{1, 4, 7, 7}, {64, 4, 5, 5}, 1, 4, 2},
                                           Case{{8, 16, 8, 1}, {16, 16, 3, 3}, 2, 1, 1},
                                           Case{{8, 16, 1, 1}, {16, 16, 3, 3}, 3, 1, 1},
                                           Case{{8, 16, 2, 2}, {16, 16, 3, 3}, 3, 1, 1},
                                           Case{{2, 8, 5, 5, 5}, {16, 8, 3, 3, 3}, 2, 3, 3}));

ConvolutionSizes sizes_of(const Case& c) {
    Shape y{c.x[0], c.W[0]};
    WindowSteps steps;
    for (int d = 2; d < c.x.rank(); ++d) {
        y.push_back((c.x[d] + 2 * c.pad - (c.W[d] - 1) * c.dilate - 1) / c.stride + 1);
        steps.stride.push_back(c.stride);
        steps.pad.push_back(c.pad);
        steps.dilate.push_back(c.dilate);
    }
    return ConvolutionSizes(c.x, c.W, y, steps);
}

TEST(ConvolutionCheck, tries_gaps_and_what_reaches_beyond_the_image) {
    EXPECT_FALSE(is_unusual(sizes_of({{8, 64, 56, 56}, {64, 64, 3, 3}, 1, 1, 1})));
    EXPECT_FALSE(is_unusual(sizes_of({{8, 64, 7, 7}, {64, 64, 7, 7}, 1, 3, 1})));
    EXPECT_FALSE(is_unusual(sizes_of({{8, 64, 56, 56}, {64, 64, 1, 1}, 2, 0, 1})));
    EXPECT_TRUE(is_unusual(sizes_of({{8, 64, 56, 56}, {64, 64, 3, 3}, 1, 2, 2})));
    EXPECT_TRUE(is_unusual(sizes_of({{8, 64, 2, 2}, {64, 64, 3, 3}, 1, 1, 1})));
    EXPECT_TRUE(is_unusual(sizes_of({{8, 64, 4, 4}, {64, 64, 3, 3}, 4, 1, 1})))
        << "the first column of the window only meets padding";
}

TEST(ConvolutionCheck, finds_a_primitive_that_computes_something_else) {
    using enum ConvolutionDirection;
    const ConvolutionSizes wanted = sizes_of({{2, 8, 9, 9}, {16, 8, 3, 3}, 1, 2, 2}),
                           other = sizes_of({{2, 8, 9, 9}, {16, 8, 5, 5}, 1, 2, 1});
    ConvolutionSizes shifted =
        wanted;  // Another padding at either side, so that all arrays have the same sizes.
    for (auto& pad : shifted.pad) pad = 1;
    for (auto& pad : shifted.pad_end) pad = 3;
    for (const ConvolutionDirection direction : {forward, forward_bias, data, weights}) {
        EXPECT_TRUE(is_right(ConvolutionPrimitive::find(direction, wanted), direction, wanted))
            << int(direction);
        EXPECT_FALSE(is_right(ConvolutionPrimitive::find(direction, shifted), direction, wanted))
            << int(direction);
        EXPECT_TRUE(is_right(ConvolutionPrimitive::find(direction, other), direction, other))
            << int(direction);
    }
}

}  // namespace
}  // namespace catena
