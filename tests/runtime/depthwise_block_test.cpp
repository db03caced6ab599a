// Three convolutions some lines at a time (runtime/cpu/convolution/depthwise_block.h) against the
// same one after another, which direct_convolution_test.cpp holds against float64: every bit, for
// lines around those that are computed at once, on one thread and more.
#include "runtime/cpu/convolution/depthwise_block.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "runtime/core/array/device.h"
#include "runtime/core/array/memory_order.h"
#include "runtime/core/random/random.h"
#include "runtime/cpu/convolution/direct/direct_convolution.h"
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
    fill_normal(RandomStream{seed, 0}, all.to_fill<float>() + beside, element_count(shape));
    return all.view(shape, strides_in(order, shape), beside);
}

struct Case {
    Shape x;
    int64_t between, out;
    int64_t kernel = 1, first_stride = 1, stride = 1, pad = 1;
    bool adds = false;

    bool is_picture() const { return kernel > 1; }
    BlockSteps steps() const {
        const auto count = [](int64_t size, int64_t window, int64_t step, int64_t around) {
            return (size + 2 * around - window) / step + 1;
        };
        const int64_t around = kernel / 2;
        const Shape first{x[0], between, count(x[2], kernel, first_stride, around),
                          count(x[3], kernel, first_stride, around)};
        const Shape second{x[0], between, count(first[2], 3, stride, pad),
                           count(first[3], 3, stride, pad)};
        const auto windows = [](int64_t step, int64_t around_x, int64_t groups) {
            return WindowSteps{{step, step}, {around_x, around_x}, {1, 1}, groups};
        };
        return {{{{between, x[1], kernel, kernel}, windows(first_stride, around, 1), first},
                 {{between, 1, 3, 3}, windows(stride, pad, between), second},
                 {{out, between, 1, 1}, windows(1, 0, 1), {x[0], out, second[2], second[3]}}}};
    }
    std::string text() const {
        return fmt::format("x {}, {} and {} channels, kernel {}, strides {} and {}, pad {}",
                           to_string(x), between, out, kernel, first_stride, stride, pad);
    }
};

struct Trial {
    Case c;
    BlockSteps steps = c.steps();
    Array x = image(c.x, c.is_picture() ? MemoryOrder::row_major : MemoryOrder::channels_last, 1),
          other = image(steps[2].y, MemoryOrder::channels_last, 2),
          y = image(steps[2].y, MemoryOrder::channels_last, 3),
          wanted = image(steps[2].y, MemoryOrder::channels_last, 4);
    std::array<Array, block_steps> W{image(steps[0].W, MemoryOrder::row_major, 5),
                                     image(steps[1].W, MemoryOrder::row_major, 6),
                                     image(steps[2].W, MemoryOrder::row_major, 7)};
    std::vector<float> numbers = random(3000), ones = std::vector<float>(1000, 1),
                       none = std::vector<float>(1000, 0);

    explicit Trial(const Case& of) : c(of) {}
    static std::vector<float> random(int64_t count) {
        std::vector<float> made(static_cast<size_t>(count));
        fill_normal(RandomStream{8, 0}, made.data(), count);
        return made;
    }
    /// Bounds without a scale, as in networks; all; a sum.
    std::array<ConvolutionTail, block_steps> tails() const {
        return {{{numbers.data(), ones.data(), none.data(), nullptr, -1, 2},
                 {numbers.data(), numbers.data() + 1000, numbers.data() + 2000, nullptr, -2, 3},
                 {numbers.data(), ones.data(), none.data(),
                  c.adds ? other.elements<float>() : nullptr, -infinity, infinity}}};
    }
    std::optional<float> block() const { return convolve_block({x, W, tails()}, steps, y, {}); }
    float one_after_another() const {
        const Array first = image(steps[0].y, MemoryOrder::channels_last, 9),
                    second = image(steps[1].y, MemoryOrder::channels_last, 10);
        const auto tail = tails();
        convolve_directly(x, W[0], tail[0], steps[0].steps, first).value();
        convolve_depthwise(first, W[1], tail[1], steps[1].steps, second).value();
        return convolve_directly(second, W[2], tail[2], steps[2].steps, wanted).value();
    }
    void expect_same() const {
        SCOPED_TRACE(c.text());
        const float largest = one_after_another();
        for (int call = 0; call < 6; ++call) {  // Weights are kept from the fifth on.
            y.to_fill<float>()[y.size() / 2] = nan;
            const std::optional<float> found = block();
            ASSERT_TRUE(found);
            EXPECT_EQ(std::memcmp(&*found, &largest, sizeof largest), 0);
            EXPECT_EQ(std::memcmp(y.elements<float>(), wanted.elements<float>(),
                                  size_t(y.size()) * sizeof(float)),
                      0);
        }
    }
};

const std::vector<Case>& cases() {
    static const std::vector<Case> all{
        {.x = {1, 16, 30, 28}, .between = 96, .out = 24, .stride = 2},
        {.x = {1, 24, 19, 17}, .between = 144, .out = 24, .adds = true},
        {.x = {2, 24, 15, 13}, .between = 50, .out = 33, .stride = 2},
        {.x = {3, 9, 7, 5}, .between = 17, .out = 8, .adds = true},
        {.x = {1, 64, 14, 14}, .between = 384, .out = 96},
        {.x = {2, 20, 3, 40}, .between = 31, .out = 16, .pad = 0},
        {.x = {1, 20, 2, 3}, .between = 40, .out = 16},
        {.x = {1, 16, 9, 21}, .between = 24, .out = 40, .stride = 2, .pad = 2},
        {.x = {1, 16, 8, 9}, .between = 24, .out = 40, .pad = 2},
        {.x = {1, 12, 300, 4}, .between = 16, .out = 16, .stride = 2, .pad = 0},
        {.x = {1, 3, 61, 58}, .between = 32, .out = 16, .kernel = 3, .first_stride = 2},
        {.x = {2, 1, 20, 23}, .between = 20, .out = 19, .kernel = 3, .stride = 2},
        {.x = {1, 3, 33, 300}, .between = 32, .out = 16, .kernel = 3},
        {.x = {1, 20, 18, 18}, .between = 40, .out = 16, .first_stride = 2}};
    return all;
}

class DepthwiseBlock : public ::testing::Test {
protected:
    void SetUp() override {
        if (!are_direct_convolutions_on())
            GTEST_SKIP() << "not on this processor, or CATENA_DIRECT_CONVOLUTIONS=0";
    }
};

TEST_F(DepthwiseBlock, has_the_bits_of_its_convolutions_on_any_number_of_threads) {
    for (const int threads : {1, 2, 3, 7}) {
        const Threads count(threads);
        for (const Case& c : cases()) Trial(c).expect_same();
    }
}

TEST_F(DepthwiseBlock, keeps_what_is_not_finite) {
    for (const float bad : {nan, infinity, -infinity}) {
        Trial run({.x = {1, 24, 19, 17}, .between = 48, .out = 24, .adds = true});
        run.x.to_fill<float>()[1000] = bad;
        run.expect_same();
        Trial summed({.x = {1, 24, 19, 17}, .between = 48, .out = 24, .adds = true});
        summed.other.to_fill<float>()[2000] = bad;
        EXPECT_FALSE(std::isfinite(summed.block().value()));
    }
}

TEST_F(DepthwiseBlock, works_in_the_memory_that_it_is_given) {
    const Trial run({.x = {1, 16, 30, 28}, .between = 96, .out = 24, .stride = 2});
    run.one_after_another();
    std::vector<std::byte> memory(block_scratch_bytes(run.c.x, run.steps) + 64, std::byte(0xff));
    const size_t before = size_t(-reinterpret_cast<intptr_t>(memory.data())) % 64;
    ASSERT_TRUE(convolve_block({run.x, run.W, run.tails()}, run.steps, run.y,
                               std::span(memory).subspan(before)));
    EXPECT_EQ(std::memcmp(run.y.elements<float>(), run.wanted.elements<float>(),
                          size_t(run.y.size()) * sizeof(float)),
              0);
}

TEST_F(DepthwiseBlock, leaves_others_to_their_convolutions) {
    Trial row_major({.x = {1, 24, 19, 17}, .between = 48, .out = 24});
    row_major.x = image(row_major.c.x, MemoryOrder::row_major, 1);
    EXPECT_FALSE(row_major.block()) << "not a picture";
    Trial result({.x = {1, 24, 19, 17}, .between = 48, .out = 24});
    result.y = image(result.steps[2].y, MemoryOrder::row_major, 1);
    EXPECT_FALSE(result.block());
    EXPECT_FALSE(Trial({.x = {1, 24, 5, 5}, .between = 800, .out = 24}).block())
        << "threads share its weights";
    EXPECT_FALSE(Trial({.x = {1, 24, 19, 17}, .between = 48, .out = 4}).block()) << "few results";
}

TEST_F(DepthwiseBlock, pays_where_threads_have_several_lines) {
    const Threads two(2);
    const auto pays = [](const Case& c) { return is_block(c.x, c.steps()); };
    EXPECT_TRUE(pays({.x = {1, 16, 112, 112}, .between = 96, .out = 24, .stride = 2}));
    EXPECT_TRUE(
        pays({.x = {1, 3, 224, 224}, .between = 32, .out = 16, .kernel = 3, .first_stride = 2}));
    EXPECT_FALSE(pays({.x = {1, 16, 8, 112}, .between = 96, .out = 24}));
    EXPECT_FALSE(pays({.x = {1, 160, 7, 7}, .between = 960, .out = 160}));
    Case dense{.x = {1, 16, 112, 112}, .between = 96, .out = 24};
    BlockSteps steps = dense.steps();
    steps[1].steps.groups = 1;
    steps[1].W = {96, 96, 3, 3};
    EXPECT_FALSE(is_block(dense.x, steps));
}

}  // namespace
}  // namespace catena
