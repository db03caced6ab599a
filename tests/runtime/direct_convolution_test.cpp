// Convolutions in tiles of our own (runtime/cpu/convolution/direct/direct_convolution.h) against
// float64: sizes around whole tiles, ends of lines, tails, what is not finite.
#include "runtime/cpu/convolution/direct/direct_convolution.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "runtime/core/array/device.h"
#include "runtime/core/array/memory_order.h"
#include "tests/support/random_numbers.h"
#include "tests/support/threads.h"

namespace catena {
namespace {

using testing::Threads;

constexpr float nan = std::numeric_limits<float>::quiet_NaN(),
                infinity = std::numeric_limits<float>::infinity();

/// Numbers in one order, between numbers that are NaN: whoever reads those gives NaN.
Array image(const Shape& shape, MemoryOrder order, uint64_t seed) {
    constexpr int64_t beside = 4096;
    const Array all = Array::full({Dtype::float32, Shape{element_count(shape) + 2 * beside}}, nan);
    testing::fill_random(seed, all.to_fill<float>() + beside, element_count(shape));
    return all.view(shape, strides_in(order, shape), beside);
}

double at(const Array& a, int64_t n, int64_t c, int64_t i, int64_t j) {
    const Strides& s = a.strides();
    return a.elements<float>()[n * s[0] + c * s[1] + i * s[2] + j * s[3]];
}

struct Case {
    Shape x, W;
    int64_t stride, pad;
    bool x_last = true, has_tail = true;

    int64_t groups() const { return x[1] / W[1]; }
    WindowSteps steps() const {
        return {Dims{stride, stride}, Dims{pad, pad}, Dims{1, 1}, groups()};
    }
    int64_t count(int d) const { return (x[d] + 2 * pad - W[d]) / stride + 1; }
    Shape y() const { return {x[0], W[0], count(2), count(3)}; }
    std::string text() const {
        return fmt::format("x {}, W {}, stride {}, pad {}, {}", to_string(x), to_string(W), stride,
                           pad, x_last ? "last" : "row-major");
    }
};

struct Trial {
    Case c;
    Array x = image(c.x, c.x_last ? MemoryOrder::channels_last : MemoryOrder::row_major, 1),
          W = image(c.W, MemoryOrder::row_major, 2),
          other = image(c.y(), MemoryOrder::channels_last, 3),
          y = image(c.y(), MemoryOrder::channels_last, 4);
    std::vector<float> before = numbers(5), scale = numbers(6), shift = numbers(7);
    float lowest = -0.75f, highest = 1.5f;

    explicit Trial(const Case& of) : c(of) {
        if (c.has_tail) return;
        before.assign(before.size(), 0), scale.assign(before.size(), 1),
            shift.assign(before.size(), 0);
        lowest = -infinity, highest = infinity;
    }
    std::vector<float> numbers(uint64_t seed) const {
        std::vector<float> made(size_t(c.W[0]));
        testing::fill_random(seed, made.data(), c.W[0]);
        return made;
    }
    ConvolutionTail tail() const {
        return {before.data(), scale.data(),
                shift.data(),  c.has_tail ? other.elements<float>() : nullptr,
                lowest,        highest};
    }
    std::optional<float> operator()() const {
        if (c.groups() > 1) return convolve_depthwise(x, W, tail(), c.steps(), y);
        return convolve_directly(x, W, tail(), c.steps(), y);
    }
    /// A result before its bounds.
    double unclipped(int64_t n, int64_t o, int64_t i, int64_t j) const {
        double sum = before[size_t(o)];
        for (int64_t k = 0; k < c.W[1]; ++k)
            for (int64_t a = 0; a < c.W[2]; ++a)
                for (int64_t b = 0; b < c.W[3]; ++b) {
                    const int64_t h = i * c.stride - c.pad + a, w = j * c.stride - c.pad + b;
                    if (h >= 0 && h < c.x[2] && w >= 0 && w < c.x[3])
                        sum += at(x, n, c.groups() > 1 ? o : k, h, w) * at(W, o, k, a, b);
                }
        return float(double(float(sum)) * scale[size_t(o)] + shift[size_t(o)] +
                     (c.has_tail ? at(other, n, o, i, j) : 0));
    }
    double truth(int64_t n, int64_t o, int64_t i, int64_t j) const {
        const double v = unclipped(n, o, i, j);
        return v <= lowest ? lowest : v >= highest ? highest : v;
    }
    /// Compares every element and returns the largest magnitude.
    double compare() const {
        double largest = 0;
        const double rounding =
            2e-5 * std::sqrt(std::max(1.0, double(element_count(c.W) / c.W[0]) / 200));
        const Shape s = c.y();
        for (int64_t n = 0; n < s[0]; ++n)
            for (int64_t o = 0; o < s[1]; ++o)
                for (int64_t i = 0; i < s[2]; ++i)
                    for (int64_t j = 0; j < s[3]; ++j) {
                        const double found = at(y, n, o, i, j), wanted = truth(n, o, i, j);
                        const double large = std::abs(wanted) > 1e30 ? 1e-3 * std::abs(wanted)
                                                                     : 0;  // Products that cancel.
                        largest = std::isnan(found) ? infinity : std::max(largest, std::abs(found));
                        if (std::isnan(wanted)
                                ? std::isnan(found)
                                : found == wanted || std::abs(found - wanted) <
                                                         rounding * (1 + std::abs(wanted)) + large)
                            continue;
                        ADD_FAILURE() << c.text() << " at " << n << ", " << o << ", " << i << ", "
                                      << j << ": " << found << ", not " << wanted;
                        return largest;
                    }
        return largest;
    }
    std::vector<float> result() const {
        const float* const first = y.elements<float>();
        return {first, first + y.size()};
    }
};

const std::vector<Case>& cases() {
    static const std::vector<Case> all{
        // Products: channels around vectors and panels, positions around tiles.
        {{1, 16, 7, 7}, {48, 16, 1, 1}, 1, 0},
        {{1, 5, 3, 3}, {8, 5, 1, 1}, 1, 0},
        {{2, 19, 5, 9}, {33, 19, 1, 1}, 1, 0, true, false},
        {{1, 33, 1, 2}, {17, 33, 1, 1}, 1, 0},
        {{3, 64, 7, 9}, {100, 64, 1, 1}, 1, 0},
        {{1, 96, 20, 9}, {24, 96, 1, 1}, 1, 0},
        {{1, 70, 3, 5}, {200, 70, 1, 1}, 1, 0, true, false},
        {{1, 300, 2, 2}, {144, 300, 1, 1}, 1, 0},
        {{1, 16, 41, 40}, {96, 16, 1, 1}, 1, 0},
        // In steps.
        {{2, 24, 9, 11}, {40, 24, 1, 1}, 2, 0},
        {{1, 32, 28, 28}, {64, 32, 1, 1}, 2, 0},
        {{1, 8, 10, 10}, {16, 8, 1, 1}, 3, 0},
        // Pictures.
        {{1, 3, 32, 30}, {32, 3, 3, 3}, 2, 1, false},
        {{2, 3, 21, 19}, {20, 3, 3, 3}, 1, 1, false, false},
        {{1, 1, 12, 40}, {16, 1, 3, 3}, 1, 1, false},
        {{1, 2, 20, 41}, {64, 2, 7, 7}, 2, 3, false},
        {{1, 4, 9, 9}, {8, 4, 5, 5}, 1, 0, false},
        {{1, 2, 3, 3}, {8, 2, 5, 5}, 1, 2, false},
        {{2, 3, 4, 2}, {50, 3, 3, 2}, 1, 2, false},
        // Larger windows: lines that are alike but for their ends, at the ends of images, narrower
        // than a window.
        {{1, 16, 9, 9}, {24, 16, 3, 3}, 1, 1},
        {{2, 12, 14, 15}, {40, 12, 3, 3}, 2, 1},
        {{3, 9, 7, 7}, {8, 9, 5, 5}, 1, 2, true, false},
        {{1, 20, 4, 3}, {33, 20, 5, 3}, 1, 2},
        {{1, 3, 20, 20}, {32, 3, 7, 7}, 2, 3},
        {{2, 48, 3, 3}, {64, 48, 3, 3}, 1, 1},
        {{1, 33, 12, 2}, {50, 33, 1, 3}, 1, 1},
        {{1, 64, 21, 20}, {70, 64, 3, 3}, 1, 0},
        {{4, 8, 1, 30}, {16, 8, 3, 3}, 1, 1},
        // Depthwise.
        {{1, 32, 14, 14}, {32, 1, 3, 3}, 1, 1},
        {{2, 24, 7, 7}, {24, 1, 3, 3}, 1, 1},
        {{1, 7, 9, 15}, {7, 1, 3, 3}, 1, 1, true, false},
        {{1, 40, 16, 17}, {40, 1, 3, 3}, 2, 1},
        {{3, 16, 5, 33}, {16, 1, 3, 3}, 1, 0},
        {{1, 150, 2, 3}, {150, 1, 3, 3}, 1, 1},
        {{1, 18, 3, 3}, {18, 1, 3, 3}, 2, 2},
        {{1, 17, 30, 30}, {17, 1, 3, 3}, 2, 0},
        {{1, 32, 8, 1}, {32, 1, 3, 3}, 1, 1}};
    return all;
}

class DirectConvolution : public ::testing::Test {
protected:
    void SetUp() override {
        if (!are_direct_convolutions_on())
            GTEST_SKIP() << "not on this processor, or CATENA_DIRECT_CONVOLUTIONS=0";
    }
};

TEST_F(DirectConvolution, is_that_of_the_definition) {
    for (const Case& c : cases()) {
        const Trial run(c);
        for (int call = 0; call < 6; ++call) {  // Weights are kept from the fifth on.
            const std::optional<float> largest = run();
            ASSERT_TRUE(largest) << c.text();
            if (call == 0 || call == 5) {
                EXPECT_EQ(run.compare(), double(*largest)) << c.text();
            }
        }
    }
}

TEST_F(DirectConvolution, has_the_same_bits_on_any_number_of_threads) {
    for (const Case& c : cases()) {
        const Trial run(c);
        std::vector<float> first;
        for (int threads : {1, 2, 3, 5}) {
            const Threads scope(threads);
            run();
            if (first.empty()) first = run.result();
            EXPECT_EQ(std::memcmp(first.data(), run.result().data(), first.size() * sizeof(float)),
                      0)
                << c.text() << ", " << threads << " threads";
        }
    }
}

TEST_F(DirectConvolution, keeps_nan_and_infinity_where_they_belong) {
    for (const float bad : {nan, -nan, infinity, -infinity, 3e38f})
        for (const Case& c : cases()) {
            if (element_count(c.y()) > 5000) continue;
            const Trial of_x(c), of_W(c);
            Trial of_numbers(c);
            of_x.x.to_fill<float>()[of_x.x.size() / 2] = bad;
            of_W.W.to_fill<float>()[of_W.W.size() / 2] = bad;
            of_numbers.before[size_t(c.W[0] / 2)] = of_numbers.shift[size_t(c.W[0] / 3)] =
                of_numbers.scale[0] = bad;
            for (const Trial* run : {&of_x, &of_W, static_cast<const Trial*>(&of_numbers)}) {
                const std::optional<float> largest = (*run)();
                ASSERT_TRUE(largest);
                EXPECT_EQ(std::isfinite(run->compare()), std::isfinite(*largest))
                    << c.text() << " with " << bad;
            }
        }
}

TEST_F(DirectConvolution, packs_weights_again_where_they_changed) {
    for (const Case& c : {cases()[0], cases()[12], cases()[19], cases()[28]}) {
        const Trial run(c);
        for (int call = 0; call < 6; ++call) run();
        run.W.data<float>()[3] = 7;
        run();
        run.compare();
    }
}

/// The same weights, shared by threads or not: they are packed in other panels.
TEST_F(DirectConvolution, packs_weights_for_each_size_of_images) {
    Trial small({{1, 64, 2, 2}, {80, 64, 1, 1}, 1, 0}),
        large({{1, 64, 9, 30}, {80, 64, 1, 1}, 1, 0});
    large.W = small.W;
    for (int call = 0; call < 12; ++call)
        for (const Trial* run :
             {static_cast<const Trial*>(&small), static_cast<const Trial*>(&large)}) {
            (*run)();
            if (call % 6 == 5) run->compare();
        }
}

TEST_F(DirectConvolution, leaves_other_windows_to_others) {
    const auto is_taken = [](const Case& c, Dims dilate = {1, 1}) {
        const Trial run(c);
        WindowSteps steps = c.steps();
        steps.dilate = dilate;
        return convolve_directly(run.x, run.W, run.tail(), steps, run.y) ||
               convolve_depthwise(run.x, run.W, run.tail(), steps, run.y);
    };
    EXPECT_TRUE(is_taken({{1, 16, 9, 9}, {16, 16, 1, 1}, 1, 0}));
    EXPECT_TRUE(is_taken({{1, 16, 9, 9}, {16, 16, 3, 3}, 1, 1}));
    EXPECT_FALSE(is_taken({{1, 16, 9, 9}, {16, 16, 1, 1}, 1, 0, false})) << "row-major";
    EXPECT_FALSE(is_taken({{1, 16, 9, 9}, {16, 8, 1, 1}, 1, 0})) << "two groups";
    EXPECT_FALSE(is_taken({{1, 3, 20, 41}, {64, 3, 7, 7}, 2, 3, false})) << "many taps";
    EXPECT_FALSE(is_taken({{1, 16, 9, 9}, {16, 1, 5, 5}, 1, 2})) << "5x5";
    EXPECT_FALSE(is_taken({{1, 16, 9, 9}, {16, 1, 3, 3}, 3, 1})) << "steps of three";
    EXPECT_FALSE(is_taken({{1, 16, 9, 9}, {16, 1, 3, 3}, 1, 1}, {2, 2})) << "dilated";
}

}  // namespace
}  // namespace catena
