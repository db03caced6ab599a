// Which way computes a convolution (runtime/cpu/convolution/ways.h): the first that fits, always
// the same for the same sizes; another only for values that it does not compute.
#include <cstring>
#include <limits>
#include <set>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "runtime/core/simd/instruction_set.h"
#include "runtime/cpu/convolution/float_convolution.h"
#include "runtime/cpu/convolution/ways.h"
#include "tests/runtime/convolution_truth.h"

namespace catena {
namespace {

using Direction = ConvolutionDirection;

constexpr Images tiled{8, 64, 64, 16, 16, 1, 1};

/// The name of the way, and whether a pass followed.
struct Took {
    std::string_view name;
    bool in_pass;
    bool operator==(const Took&) const = default;
};
std::ostream& operator<<(std::ostream& to, const Took& took) {
    return to << took.name << (took.in_pass ? ", then a pass" : "");
}

Took run(FloatConvolution& convolution, const ConvolutionTask& task) {
    const FloatConvolution::Taken taken = convolution.run(task);
    return {taken.way->name, taken.in_pass};
}

Took way_of(const Case& c, Direction direction, const Array& bias = Array()) {
    FloatConvolution convolution;
    const Epilogue epilogue{.bias = bias};
    switch (direction) {
        case Direction::data:
            return run(convolution, {direction, c.steps, c.gy, c.W, c.gx, epilogue});
        case Direction::weights:
            return run(convolution, {direction, c.steps, c.x, c.gy, c.gW, epilogue});
        default:
            return run(convolution, {direction, c.steps, c.x, c.W, c.y, epilogue});
    }
}

TEST(ConvolutionWays, have_distinct_names_and_the_last_one_takes_all_without_an_epilogue) {
    std::set<std::string_view> names;
    for (const ConvolutionWay* way : convolution_ways())
        EXPECT_TRUE(names.insert(way->name).second) << way->name;
    for (const Images& images : {tiled, Images{1, 3, 5, 9, 9, 0, 0}, Images{2, 1, 1, 4, 4, 1, 1}}) {
        const Case c(images, MemoryOrder::row_major);
        EXPECT_TRUE(convolution_ways().back()->fits(
            {Direction::forward, c.steps, c.x, c.W, c.y, Epilogue()}));
    }
}

TEST(ConvolutionWays, are_those_that_are_fastest_for_the_sizes) {
    const auto expect_way = [](std::string_view name, const Images& images, MemoryOrder order,
                               std::initializer_list<Direction> directions) {
        const Case c(images, order);
        for (const Direction direction : directions) {
            EXPECT_EQ(way_of(c, direction), (Took{name, false})) << int(direction);
        }
        if (*directions.begin() == Direction::forward) {
            EXPECT_EQ(way_of(c, Direction::forward, c.b), (Took{name, false})) << "with a bias";
        }
    };
    const auto all = {Direction::forward, Direction::data, Direction::weights};
    const MemoryOrder row_major = MemoryOrder::row_major, last = MemoryOrder::channels_last;
    expect_way("winograd 4x4", tiled, row_major, all);
    expect_way("winograd 4x4", tiled, last, all);
    expect_way("winograd by phases", {16, 64, 128, 32, 32, 1, 1, 4, 2}, last, all);
    expect_way("winograd 2x2", {64, 512, 512, 2, 2, 1, 1}, last, all);
    expect_way("product", {8, 64, 64, 32, 32, 0, 0, 1}, row_major, all);
    expect_way("product", {8, 64, 64, 32, 32, 0, 0, 1}, last,
               {Direction::data, Direction::weights});
    expect_way("library", {8, 64, 64, 32, 32, 0, 0, 1}, last, {Direction::forward});
    expect_way("library", {2, 64, 64, 16, 16, 2, 2, 5}, row_major, all);
    if (instruction_set() == InstructionSet::none) return;
    expect_way("sixteen images in lanes", {64, 6, 16, 14, 14, 0, 0, 5}, row_major,
               {Direction::data, Direction::weights});
    expect_way("patches", {16, 3, 64, 32, 32, 1, 1, 4, 2}, last, {Direction::data});
}

/// A tail that clips, and its operands.
struct Clipping {
    explicit Clipping(int64_t channels)
        : zeros(size_t(channels), 0.0f), ones(size_t(channels), 1.0f) {
        tail.numbers = {zeros.data(), ones.data(), zeros.data(), nullptr, 0, 6};
    }
    std::vector<float> zeros, ones;
    TailEpilogue tail;
};

TEST(ConvolutionWays, compute_a_tail_as_they_store_or_a_pass_follows) {
    const auto took = [](const Images& images, MemoryOrder order) {
        const Case c(images, order);
        Clipping clipping(images.out);
        const Epilogue epilogue{.bias = {}, .tail = &clipping.tail};
        FloatConvolution convolution;
        return run(convolution, {Direction::forward, c.steps, c.x, c.W, c.y, epilogue});
    };
    EXPECT_EQ(took(tiled, MemoryOrder::channels_last), (Took{"winograd 4x4", false}));
    EXPECT_EQ(took(tiled, MemoryOrder::row_major), (Took{"winograd 4x4", true}));
    EXPECT_EQ(took({2, 24, 24, 9, 9, 2, 2, 5}, MemoryOrder::row_major), (Took{"library", true}));
    if (!has_avx512()) return;
    EXPECT_EQ(took({2, 24, 32, 9, 9, 0, 0, 1}, MemoryOrder::channels_last),
              (Took{"direct tiles", false}));
}

TEST(ConvolutionWays, give_up_values_for_one_run_and_are_taken_again) {
    const Case c(tiled, MemoryOrder::channels_last);
    const Epilogue none;
    const ConvolutionTask task{Direction::forward, c.steps, c.x, c.W, c.y, none};
    FloatConvolution convolution;
    EXPECT_EQ(run(convolution, task), (Took{"winograd 4x4", false}));
    const std::vector<float> before = c.y.to_vector<float>();
    float& changed = element(c.x, 2, 5, 6, 9);
    const float usual = changed;
    changed = std::numeric_limits<float>::infinity();
    EXPECT_EQ(run(convolution, task), (Took{"library", false}));
    EXPECT_FALSE(std::isfinite(element(c.y, 2, 0, 6, 9)));
    EXPECT_TRUE(std::isfinite(element(c.y, 1, 0, 6, 9)));
    changed = usual;
    EXPECT_EQ(run(convolution, task), (Took{"winograd 4x4", false}));
    EXPECT_EQ(c.y.to_vector<float>(), before);
}

TEST(ConvolutionWays, give_the_same_tail_whichever_of_them_computes_it) {
    const Case last(tiled, MemoryOrder::channels_last);
    Clipping clipping(tiled.out);
    const Epilogue with_tail{.bias = {}, .tail = &clipping.tail}, none;
    FloatConvolution fused, plain;
    fused.run({Direction::forward, last.steps, last.x, last.W, last.y, with_tail});
    float largest = 0;
    const Array alone = unwritten_array(last.y.shape(), MemoryOrder::channels_last);
    plain.run({Direction::forward, last.steps, last.x, last.W, alone, none});
    for (int64_t i = 0; i < alone.size(); ++i) {
        const float v = alone.elements<float>()[i], clipped = v < 0 ? 0 : v > 6 ? 6 : v;
        ASSERT_EQ(last.y.elements<float>()[i], clipped) << i;
        largest = std::max(largest, clipped);
    }
    EXPECT_EQ(clipping.tail.largest, largest);
}

}  // namespace
}  // namespace catena
