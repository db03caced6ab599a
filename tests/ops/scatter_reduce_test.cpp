// Gradients of scatter_maximum, scatter_minimum and scatter_multiply at ties and at zeros; the
// numbers are those of torch.Tensor.scatter_reduce (amax, amin, prod) of PyTorch 2.
#include <gtest/gtest.h>

#include <cmath>

#include "frontend/catena.h"

namespace catena::testing {
namespace {

using Numbers = std::vector<float>;

Variable floats(const Numbers& values) {
    return Variable(Array::from(values, Shape{int64_t(values.size())}));
}
Index at(const std::vector<int64_t>& places) {
    return Variable(Array::from(places, Shape{int64_t(places.size())}), false);
}
Numbers read(const Array& array) { return array.to_vector<float>(); }

TEST(ScatterReduce, equal_maxima_share_the_gradient_evenly) {
    const Variable a = floats({2, 5, 1}), b = floats({2, 2, 7, 1, 0});
    const Variable y = scatter_maximum(a, {at({0, 0, 1, 2, 2})}, b);
    EXPECT_EQ(read(y.array()), (Numbers{2, 7, 1}));
    sum(y * floats({3, 4, 6})).backward();
    EXPECT_EQ(read(a.grad()), (Numbers{1, 0, 3}));
    EXPECT_EQ(read(b.grad()), (Numbers{1, 1, 4, 3, 0}));
}

TEST(ScatterReduce, equal_minima_share_the_gradient_evenly) {
    const Variable a = floats({2, 5}), b = floats({2, 9, 3, 3});
    const Variable y = scatter_minimum(a, {at({0, 0, 1, 1})}, b);
    EXPECT_EQ(read(y.array()), (Numbers{2, 3}));
    sum(y * floats({2, 8})).backward();
    EXPECT_EQ(read(a.grad()), (Numbers{1, 0}));
    EXPECT_EQ(read(b.grad()), (Numbers{1, 0, 4, 4}));
}

TEST(ScatterReduce, a_not_a_number_stays_and_has_no_gradient) {
    const Variable a = floats({NAN, 1, 2}), b = floats({3, NAN, 4});
    const Variable y = scatter_maximum(a, {at({0, 1, 2})}, b);
    EXPECT_TRUE(std::isnan(read(y.array())[0]));
    EXPECT_TRUE(std::isnan(read(y.array())[1]));
    sum(y).backward();
    EXPECT_EQ(read(a.grad()), (Numbers{0, 0, 0}));
    EXPECT_EQ(read(b.grad()), (Numbers{0, 0, 1}));
}

TEST(ScatterReduce, a_single_zero_has_the_product_of_the_others_as_gradient) {
    const Variable a = floats({2, 3, 5}), b = floats({4, 0, 0, 0, 6});
    const Variable y = scatter_multiply(a, {at({0, 0, 1, 1, 2})}, b);
    EXPECT_EQ(read(y.array()), (Numbers{0, 0, 30}));
    sum(y).backward();
    EXPECT_EQ(read(a.grad()), (Numbers{0, 0, 6}));
    EXPECT_EQ(read(b.grad()), (Numbers{0, 8, 0, 0, 5}));
}

TEST(ScatterReduce, compiled_gradients_are_those_of_eager_code) {
    const Variable a = floats({2, 5, 1}), b = floats({2, 2, 7, 1, 0});
    const auto loss = [&](const Variable& x, const Variable& u) {
        const Index places = at({0, 0, 1, 2, 2});
        return sum(scatter_maximum(x, {places}, u) * scatter_multiply(x, {places}, u));
    };
    auto region = static_graph(loss);
    loss(a, b).backward();
    const Numbers ga = read(a.grad()), gb = read(b.grad());
    for (int i = 0; i < 4; ++i) {
        a.cleargrad();
        b.cleargrad();
        region(a, b).backward();
        EXPECT_EQ(read(a.grad()), ga);
        EXPECT_EQ(read(b.grad()), gb);
    }
}

}  // namespace
}  // namespace catena::testing
