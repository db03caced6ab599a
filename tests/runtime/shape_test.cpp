#include <gtest/gtest.h>

#include "runtime/core/array/loop_nest.h"
#include "runtime/core/array/shape.h"
#include "runtime/core/array/sizes.h"
#include "runtime/core/system/error.h"

namespace catena {
namespace {

TEST(Shape, broadcasting_is_numpys) {
    Shape result;
    ASSERT_TRUE(broadcast_shapes({2, 1, 3}, {4, 1}, result));
    EXPECT_EQ(result, (Shape{2, 4, 3}));
    ASSERT_TRUE(broadcast_shapes({}, {5}, result));
    EXPECT_EQ(result, (Shape{5}));
    ASSERT_TRUE(broadcast_shapes({0, 1}, {1, 3}, result));
    EXPECT_EQ(result, (Shape{0, 3}));
    EXPECT_FALSE(broadcast_shapes({2, 3}, {2, 4}, result));
}

TEST(Shape, more_than_eight_dimensions_are_refused) {
    Shape shape = Dims::filled(8, 1);
    EXPECT_THROW(shape.push_back(1), ShapeError);
    EXPECT_THROW(Dims({1, 2, 3, 4, 5, 6, 7, 8, 9}), ShapeError);
}

TEST(Shape, lists_are_edited_in_place) {
    Dims dims{1, 3};
    dims.insert(1, 2);
    dims.insert(3, 4);
    EXPECT_EQ(dims, (Dims{1, 2, 3, 4}));
    dims.erase(0);
    EXPECT_EQ(dims, (Dims{2, 3, 4}));
    EXPECT_TRUE(dims.contains(3));
    EXPECT_FALSE(dims.contains(1));
    EXPECT_EQ(to_string(dims), "[2,3,4]");
}

TEST(Shape, axes_are_normalised_sorted_and_checked) {
    EXPECT_EQ(normalize_axes("sum", {-1, 0}, 3, true), (Axes{0, 2}));
    EXPECT_EQ(normalize_axes("sum", {}, 3, true), (Axes{0, 1, 2}));
    EXPECT_EQ(normalize_axes("sum", {}, 3, false), (Axes{}));
    EXPECT_THROW(normalize_axes("sum", {1, -2}, 3, true), ShapeError);
    try {
        normalize_axis("sum", 3, 3);
        FAIL() << "not refused";
    } catch (const ShapeError& error) {
        EXPECT_STREQ(error.what(),
                     "sum: axis 3 is not one of an array of 3 dimensions; it must be in [-3, 3)");
    }
}

/// The message of the ShapeError that f throws.
template <class F>
std::string refusal(F&& f) {
    try {
        f();
    } catch (const ShapeError& error) {
        return error.what();
    }
    return "no error";
}

constexpr int64_t largest = INT64_MAX;

TEST(Sizes, are_counted_or_refused) {
    Strides dense;
    EXPECT_EQ(counted_elements(Dtype::float32, {2, 3, 4}, &dense), 24);
    EXPECT_EQ(dense, (Strides{12, 4, 1}));
    EXPECT_EQ(counted_elements(Dtype::float32, {largest, largest, 0}), 0);
    EXPECT_EQ(counted_elements(Dtype::float32, {}), 1);
    EXPECT_EQ(byte_count({Dtype::float64, {3, 5}}), 120u);
    EXPECT_EQ(byte_count({Dtype::int8, {largest}}), size_t(largest));
    EXPECT_EQ(refusal([] { counted_elements(Dtype::int8, {1 << 30, 1 << 30, 8}); }),
              "an array of int8[1073741824,1073741824,8] has more elements than can be counted");
    EXPECT_EQ(refusal([] { byte_count({Dtype::int16, {largest}}); }),
              "an array of int16[9223372036854775807] has more elements than can be counted");
    EXPECT_EQ(refusal([] { byte_count({Dtype::int16, {-1}}); }),
              "an array cannot have the shape [-1]");
}

TEST(Sizes, that_64_bits_do_not_hold_are_refused) {
    EXPECT_EQ(sum_of_sizes("pad", {largest, 1, -1}), largest);
    EXPECT_EQ(product_of_sizes("tile", {largest, 2, 0}), 0);
    EXPECT_EQ(product_of_sizes("tile", {-largest, 1}), -largest);
    EXPECT_EQ(refusal([] { sum_of_sizes("pad", {2, largest, largest}); }),
              "pad: 2 + 9223372036854775807 + 9223372036854775807 is a size that 64 bits do not "
              "hold");
    EXPECT_EQ(refusal([] { product_of_sizes("tile", {largest, 2}); }),
              "tile: 9223372036854775807 x 2 is a size that 64 bits do not hold");
}

TEST(LoopNest, neighbouring_dimensions_walked_evenly_are_one) {
    const Shape shape{2, 3, 4, 5};
    const Strides dense = contiguous_strides(shape);
    EXPECT_EQ(make_loop_nest(shape, std::vector<Strides>{dense, dense}).rank, 1);
    // A row broadcast over the two outer dimensions leaves two loops.
    const Strides row = broadcast_strides({4, 5}, {5, 1}, shape);
    const LoopNest nest = make_loop_nest(shape, std::vector<Strides>{dense, row});
    ASSERT_EQ(nest.rank, 2);
    EXPECT_EQ(nest.sizes[0], 6);
    EXPECT_EQ(nest.sizes[1], 20);
    EXPECT_EQ(nest.row_offset(0, 4), 80);
    EXPECT_EQ(nest.row_offset(1, 4), 0);
}

}  // namespace
}  // namespace catena
