// Large arrays whose axes are in another order than their memory: copies, maps and reductions.
#include "runtime/cpu/blocks/across.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/graph/op/arithmetic.h"
#include "runtime/graph/variable/variable.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/math/math.h"
#include "runtime/ops/math/reduction/reduction.h"

namespace catena {
namespace {

/// Small whole numbers, whose sums are exact.
Array counted(const Shape& shape, Dtype dtype) {
    std::vector<float> values(size_t(element_count(shape)));
    for (size_t i = 0; i < values.size(); ++i) values[i] = float((i * 7 + i / 11) % 23);
    return Array::from(values, shape).astype(dtype);
}

/// `x` with its axes in the order `order`, without a copy, and with one that is made element by
/// element.
struct Ordered {
    Array view, copy;
    Ordered(const Array& x, const std::vector<int>& order) {
        Shape shape;
        Strides strides;
        for (int axis : order) {
            shape.push_back(x.dim(axis));
            strides.push_back(x.strides()[axis]);
        }
        view = x.view(shape, strides, x.body()->offset);
        const std::vector<double> from = x.to_vector<double>();
        std::vector<double> to(from.size());
        for (size_t i = 0; i < to.size(); ++i) {
            size_t rest = i, place = 0;
            for (int axis = shape.rank() - 1; axis >= 0; --axis) {
                place += rest % size_t(shape[axis]) * size_t(strides[axis]);
                rest /= size_t(shape[axis]);
            }
            to[i] = from[place];
        }
        copy = Array::from(to, shape).astype(x.dtype());
    }
};

std::vector<double> numbers(const Variable& x) { return x.array().to_vector<double>(); }

template <class F>
void for_each_order(const Shape& shape, F&& f) {
    std::vector<int> order(static_cast<size_t>(shape.rank()));
    std::iota(order.begin(), order.end(), 0);
    do f(order);
    while (std::next_permutation(order.begin(), order.end()));
}

constexpr Dtype dtypes[] = {Dtype::float32, Dtype::float64, Dtype::float16, Dtype::int32,
                            Dtype::uint8};

TEST(Across, copies_have_the_elements_of_the_view) {
    for (const Dtype dtype : dtypes)
        for (const Shape& shape : {Shape{3, 70, 65}, Shape{40, 2, 9, 17}, Shape{100, 90},
                                   Shape{5000, 3}, Shape{2, 9, 1, 700}})
            for_each_order(shape, [&](const std::vector<int>& order) {
                const Ordered x(counted(shape, dtype), order);
                EXPECT_EQ(x.view.as_contiguous().to_vector<double>(), x.copy.to_vector<double>())
                    << to_string(x.view.type());
            });
}

TEST(Across, maps_read_the_elements_of_the_view) {
    for (const Dtype dtype : dtypes)
        for (const Shape& shape : {Shape{70, 65}, Shape{3, 50, 40}})
            for_each_order(shape, [&](const std::vector<int>& order) {
                const Ordered x(counted(shape, dtype), order);
                const Variable other(counted(x.view.shape(), dtype), false);
                EXPECT_EQ(numbers(Variable(x.view, false) * other + Variable(x.view, false)),
                          numbers(Variable(x.copy, false) * other + Variable(x.copy, false)));
                // Broadcast along a new outermost axis.
                Shape wide{2};
                for (int64_t size : x.view.shape()) wide.push_back(size);
                const Variable more(counted(wide, dtype), false);
                EXPECT_EQ(numbers(more - Variable(x.view, false)),
                          numbers(more - Variable(x.copy, false)));
            });
}

TEST(Across, reductions_along_any_axes_are_those_of_a_copy) {
    for (const Dtype dtype : dtypes)
        for (const Shape& shape : {Shape{70, 65}, Shape{6, 30, 40}, Shape{3, 7, 20, 30}})
            for_each_order(shape, [&](const std::vector<int>& order) {
                const Ordered x(counted(shape, dtype), order);
                if (order[order.size() - 1] != int(order.size()) - 1) {
                    EXPECT_TRUE(lies_across(x.view)) << to_string(x.view.type());
                }
                for (int axes = 1; axes < 1 << shape.rank(); ++axes) {
                    Axes reduced;
                    for (int axis = 0; axis < shape.rank(); ++axis)
                        if (axes >> axis & 1) reduced.push_back(axis);
                    for (const bool keepdims : {false, true}) {
                        const Variable view(x.view, false), copy(x.copy, false);
                        const Variable sums = sum(cast(view, Dtype::float64), reduced, keepdims);
                        ASSERT_EQ(numbers(sums),
                                  numbers(sum(cast(copy, Dtype::float64), reduced, keepdims)));
                        ASSERT_EQ(numbers(max(view, reduced, keepdims)),
                                  numbers(max(copy, reduced, keepdims)));
                        ASSERT_EQ(max(view, reduced, keepdims).shape(),
                                  max(copy, reduced, keepdims).shape());
                        if (dtype != Dtype::float16) {
                            ASSERT_EQ(numbers(sum(view, reduced, keepdims)),
                                      numbers(sum(copy, reduced, keepdims)));
                        }
                    }
                }
            });
}

TEST(Across, repeated_and_few_elements_are_none) {
    const Array x = counted({100, 90}, Dtype::float32);
    EXPECT_FALSE(lies_across(x));
    EXPECT_TRUE(lies_across(x.view({90, 100}, {1, 90}, 0)));
    EXPECT_FALSE(lies_across(x.view({100, 90}, {1, 0}, 0)));
    EXPECT_FALSE(lies_across(x.view({10, 9}, {1, 10}, 0)));
    EXPECT_FALSE(lies_across(x.view({100, 45}, {90, 2}, 0)));
}

}  // namespace
}  // namespace catena
