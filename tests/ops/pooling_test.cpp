#include "runtime/ops/pooling/pooling.h"

#include <cmath>

#include <gtest/gtest.h>

#include "runtime/graph/walk/backward.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/pooling/pooling_nd.h"

namespace catena {
namespace {

TEST(Pooling, windows_are_one_number_or_two) {
    const Variable x(Array::from(
        std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}, {1, 1, 4, 4}));
    const std::vector<float> largest{6, 8, 14, 16}, means{3.5, 5.5, 11.5, 13.5};
    EXPECT_EQ(max_pooling_2d(x, 2).array().to_vector<float>(), largest);
    EXPECT_EQ(max_pooling_2d(x, {2}).array().to_vector<float>(), largest);
    EXPECT_EQ(max_pooling_2d(x, {2, 2}).array().to_vector<float>(), largest);
    EXPECT_EQ(max_pooling_2d(x, 2, {.stride = {2, 1}}).shape(), (Shape{1, 1, 2, 3}));
    EXPECT_EQ(average_pooling_2d(x, 2).array().to_vector<float>(), means);
    EXPECT_EQ(average_pooling_2d(x, 2, 2).array().to_vector<float>(), means);
    EXPECT_EQ(average_pooling_2d(x, {2, 2}, {1, 2}).shape(), (Shape{1, 1, 3, 2}));
}

/// Few different values, so that windows have ties, and one NaN.
Variable with_ties(const Shape& shape) {
    std::vector<float> values(size_t(element_count(shape)));
    for (size_t i = 0; i < values.size(); ++i) values[i] = float(int64_t(i * 7 + i / 5) % 4) - 2;
    values[3] = NAN;
    return Variable(Array::from(values, shape));
}

void expect_equal(const Variable& a, const Variable& b) {
    ASSERT_EQ(a.shape(), b.shape());
    const std::vector<float> left = a.array().to_vector<float>(),
                             right = b.array().to_vector<float>();
    for (size_t i = 0; i < left.size(); ++i)
        EXPECT_TRUE(left[i] == right[i] || (std::isnan(left[i]) && std::isnan(right[i])))
            << i << ": " << left[i] << " and " << right[i];
}

TEST(Pooling, along_any_axes_equals_pooling_them_one_after_the_other) {
    const Variable x = with_ties({2, 3, 5, 7, 6});
    const auto one_by_one =
        [&](bool cover_all) {  // The last axis first; each is the height of an image.
            Variable y = x;
            y = max_pooling_2d(reshape(y, {1, 2 * 3 * 5 * 7, 6, 1}), {3, 1},
                               {.stride = {2, 1}, .pad = {1, 0}, .cover_all = cover_all});
            const int64_t width = y.shape()[2];
            y = max_pooling_2d(reshape(y, {1, 2 * 3 * 5, 7, width}), {2, 1},
                               {.stride = {3, 1}, .pad = {0, 0}, .cover_all = cover_all});
            const int64_t height = y.shape()[2];
            y = max_pooling_2d(reshape(y, {1, 2 * 3, 5, height * width}), {4, 1},
                               {.stride = {1, 1}, .pad = {2, 0}, .cover_all = cover_all});
            return reshape(y, {2, 3, y.shape()[2], height, width});
        };
    for (bool cover_all : {false, true}) {
        const Variable y = max_pooling_nd(
            x, {4, 2, 3}, {.stride = {1, 3, 2}, .pad = {2, 0, 1}, .cover_all = cover_all});
        const Variable truth = one_by_one(cover_all), gy = with_ties(y.shape());
        expect_equal(y, truth);
        expect_equal(grad({y}, {x}, {gy})[0], grad({truth}, {x}, {gy})[0]);
    }
}

TEST(Pooling, along_one_or_two_axes_equals_that_of_images) {
    const Variable line = with_ties({2, 3, 11}), image = with_ties({2, 3, 5, 7});
    const auto lines = max_pooling_1d(line, 3, {.stride = 2, .pad = 1}),
               images = max_pooling_nd(image, {3, 2}, {.stride = 2, .pad = 1});
    expect_equal(lines, reshape(max_pooling_2d(reshape(line, {2, 3, 1, 11}), {1, 3},
                                               {.stride = {1, 2}, .pad = {0, 1}}),
                                lines.shape()));
    expect_equal(images, max_pooling_2d(image, {3, 2}, {.stride = 2, .pad = 1}));
    const Variables numbers = max_pooling_nd_with_indices(image, {3, 2}, {.stride = 2, .pad = 1});
    EXPECT_EQ(numbers[1].array().to_vector<int32_t>(),
              max_pooling_2d_with_indices(image, {3, 2}, {.stride = 2, .pad = 1})[1]
                  .array()
                  .to_vector<int32_t>());
    expect_equal(average_pooling_nd(image, {2, 2}, {.stride = 2, .pad = 1}),
                 average_pooling_2d(image, {2, 2}, 2, 1));
}

}  // namespace
}  // namespace catena
