// Code that asks for memory ahead of its use, and sums of several rows side by side:
// emission.fetching.test looks at it. Parts of an image with channels last are read as they lie.
#include <gtest/gtest.h>

#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/activation/activation.h"
#include "runtime/ops/activation/softmax.h"
#include "runtime/ops/array/layout/slicing.h"
#include "runtime/ops/connection/convolution.h"
#include "runtime/ops/math/math.h"
#include "runtime/ops/math/reduction/reduction.h"
#include "tests/codegen/region.h"

namespace catena::test {

namespace {

using Results = std::vector<Variable>;
using Given = const std::vector<Variable>&;

Array f32(const Shape& shape, uint32_t seed = 1) {
    return random_array({Dtype::float32, shape}, seed);
}

}  // namespace

TEST(fetching, columns_are_fetched_rows_ahead) {
    const auto f = [](Given v) -> Results {
        return {sum(v[0] * v[1], Axes{0}), max(v[0], Axes{0})};
    };
    // Fewer columns than lanes, a vector and a part, several vectors; rows that are no multiple of
    // those side by side.
    for (const Shape& shape :
         {Shape{1001, 5}, Shape{777, 19}, Shape{130, 70}, Shape{3, 33}, Shape{1, 8}})
        expect_as_near_as_eager(f, {f32(shape), f32(shape, 2)}, 64);
}

TEST(fetching, the_next_long_row_is_fetched) {
    const auto f = [](Given v) -> Results { return {softmax(v[0], 1)}; };
    expect_as_near_as_eager(f, {f32({7, 5001})}, 16);
}

TEST(fetching, each_stage_of_a_row_fetches_another_input) {
    // As in the gradient of a layer normalization.
    const auto f = [](Given v) -> Results {
        const Variable &x = v[0], &gamma = v[1], &gy = v[2];
        const Variable centred = x - mean(x, Axes{1}, true);
        const Variable z = centred * rsqrt(mean(centred * centred, Axes{1}, true) + 1e-5);
        const Variable g = gy * gamma;
        return {g - z * mean(g * z, Axes{1}, true), sum(gy * z, Axes{0})};
    };
    // 4 KB, two rows ahead; 2 KB and a part of a vector, four rows ahead, which is as many as there
    // are.
    for (const Shape& shape : {Shape{70, 1024}, Shape{4, 531}}) {
        expect_as_near_as_eager(f, {f32(shape), f32({shape[1]}, 2), f32(shape, 3)}, 64);
    }
}

TEST(fetching, short_rows_are_not_fetched) {
    const auto f = [](Given v) -> Results { return {softmax(v[0], 1)}; };
    expect_as_near_as_eager(f, {f32({70, 500})}, 16);
}

TEST(fetching, parts_of_an_image_have_its_order) {
    const auto f = [](Given v) -> Results {
        const Variable h = convolution_2d(v[0], v[1], {.pad = {1}});
        const Variable z = tanh(slice_axis(h, 1, 0, 6)) * sigmoid(slice_axis(h, 1, 6, 6));
        Results results{sum(slice_axis(h, 1, 2, 3), Axes{0, 2, 3})};
        for (int k = 1; k <= 12; ++k)
            results.push_back(sum(convolution_2d(z, v[2] * double(k)), Axes{2, 3}));
        return results;
    };
    const std::vector<Array> arguments{f32({20, 3, 8, 7}), f32({12, 3, 3, 3}, 2),
                                       f32({4, 6, 3, 3}, 3)};
    EXPECT_GE(Region(f, arguments).info().channels_last, 2)
        << "the image and what is made of its parts";
    expect_as_near_as_eager(f, arguments, 512);
}

}  // namespace catena::test
