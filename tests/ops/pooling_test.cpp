#include "runtime/ops/pooling/pooling.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace catena
