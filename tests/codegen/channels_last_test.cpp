// Images between convolutions are stored with their channels last: whatever reads them there gives
// what eager code gives.
#include <gtest/gtest.h>

#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/activation/activation.h"
#include "runtime/ops/activation/softmax.h"
#include "runtime/ops/array/layout/joining.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/array/layout/slicing.h"
#include "runtime/ops/connection/convolution.h"
#include "runtime/ops/math/math.h"
#include "runtime/ops/math/reduction/reduction.h"
#include "runtime/ops/normalization/normalization.h"
#include "runtime/ops/pooling/pooling.h"
#include "tests/codegen/region.h"

namespace catena::test {

namespace {

using Results = std::vector<Variable>;
using Given = const std::vector<Variable>&;

Array f32(const Shape& shape, uint32_t seed = 1) {
    return random_array({Dtype::float32, shape}, seed);
}

/// An image that convolutions write and read, and whatever `read` makes of it. It has the 1024
/// positions from which on its channels are last (tests/passes/layout.mlir).
void check(const std::function<Results(const Variable&)>& read, const Shape& x = {20, 3, 8, 7},
           double slack = 512) {
    const auto f = [&](Given v) -> Results {
        const Variable image = relu(convolution_2d(v[0], v[1], {.pad = {1}}));
        Results results = read(image);
        // So many that what the results cost does not decide.
        for (int k = 1; k <= 12; ++k)
            results.push_back(sum(convolution_2d(image, v[2] * double(k)), Axes{2, 3}));
        return results;
    };
    const std::vector<Array> arguments{f32(x), f32({5, x[1], 3, 3}, 2), f32({4, 5, 3, 3}, 3)};
    EXPECT_GT(Region(f, arguments).info().channels_last, 0) << "so this tests something else";
    expect_as_near_as_eager(f, arguments, slack);
}

}  // namespace

TEST(channels_last, maps) {
    check([](const Variable& h) -> Results {
        return {exp(h * -1.0), h + h, h * reshape(sum(h, Axes{0, 2, 3}), {1, 5, 1, 1})};
    });
}

TEST(channels_last, reductions_over_any_axes) {
    for (const Axes& axes : {Axes{0, 2, 3}, {2, 3}, {1}, {0}, {3}, {0, 1}, {1, 2, 3}, {0, 1, 2, 3}})
        check([&](const Variable& h) -> Results {
            return {sum(h, axes), max(h, axes, true), sum(square(h), axes) * 0.5};
        });
}

TEST(channels_last, maps_after_reductions) {
    check([](const Variable& h) -> Results {
        return {softmax(h, 1), softmax(h, 3), h - mean(h, {2, 3}, true),
                h - mean(h, {0, 2, 3}, true)};
    });
}

TEST(channels_last, views) {
    check([](const Variable& h) -> Results {
        return {reshape(h, {h.shape()[0], -1}), transpose(h, {0, 2, 3, 1}),
                slice_axis(h, 1, 1, 2, 2), flip(h, 3), reshape(h, {-1}) * 2.0};
    });
}

TEST(channels_last, library_calls) {
    check([](const Variable& h) -> Results {
        return {max_pooling_2d(h, 2), average_pooling_2d(h, 2), concat({h, h * 2.0}, 1)};
    });
}

TEST(channels_last, the_image_itself) {
    check([](const Variable& h) -> Results { return {h}; });
}

TEST(channels_last, one_image_one_channel_one_position) {
    const auto read = [](const Variable& h) -> Results { return {h * 2.0, sum(h, Axes{0, 2, 3})}; };
    check(read, {1, 3, 40, 30});
    check(read, {20, 1, 8, 7});
    check(read, {120, 3, 3, 3});
    check(read, {50, 3, 3, 8});
    check(read, {40, 3, 20, 20}, 4096);  // Reductions in blocks.
}

TEST(channels_last, maps_beside_reductions) {
    for (const Axes& axes : {Axes{0, 2, 3}, {2, 3}, {1}, {3}})
        check([&](const Variable& h) -> Results {
            return {h * 2.0, exp(h * -1.0), sum(h * 2.0, axes, true), max(h, axes)};
        });
}

TEST(channels_last, a_normalized_network) {
    const auto f = [](Given v) -> Results {
        const Variable first = convolution_2d(v[0], v[1], {.pad = {1}});
        const Variable h = relu(batch_normalization(first, v[3], v[4]));
        const Variable y = convolution_2d(h, v[2], {.stride = {2}});
        return {y, sum(square(y))};
    };
    expect_as_near_as_eager(
        f,
        {f32({16, 3, 9, 9}), f32({8, 3, 3, 3}, 2), f32({6, 8, 3, 3}, 3), f32({8}, 4), f32({8}, 5)},
        4096);
}

}  // namespace catena::test
