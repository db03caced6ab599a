// Arrays that users read by a pointer are row-major: gradients of leaves, and what a custom
// function is given.
#include <vector>

#include <gtest/gtest.h>

#include "tests/frontend/capture_models.h"

namespace catena::testing {
namespace {

Variable counted(const Shape& shape) {
    std::vector<float> values(size_t(element_count(shape)));
    for (size_t i = 0; i < values.size(); ++i) values[i] = float(i + 1);
    return Variable(Array::from(values, shape));
}
std::vector<float> by_pointer(const Array& a) {
    return {a.elements<float>(), a.elements<float>() + a.size()};
}

Variable scaled(const Array& a, float factor) {
    std::vector<float> values = by_pointer(a);
    for (float& v : values) v *= factor;
    return Variable(Array::from(values, a.shape()));
}

TEST(RowMajor, gradients_of_leaves_are) {
    const Variable W = counted({2, 3}), b = counted({6}), all = counted({2, 2});
    (sum(transpose(W) * counted({3, 2})) + sum(b) + sum(broadcast_to(all, {3, 2, 2}))).backward();
    for (const Variable& x : {W, b, all})
        EXPECT_EQ(by_pointer(x.grad()), x.grad().to_vector<float>());
    EXPECT_EQ(by_pointer(b.grad()), std::vector<float>(6, 1.0F));
}

TEST(RowMajor, is_what_a_custom_function_is_given) {
    const auto twice = custom_function(
        "row_major_twice", [](const Variable& x) { return scaled(x.array(), 2); },
        [](const Variable& x, const Variable& y, const Variable& gy) {
            EXPECT_EQ(by_pointer(x.array()), x.array().to_vector<float>());
            EXPECT_EQ(by_pointer(y.array()), y.array().to_vector<float>());
            return scaled(gy.array(), 2);
        });
    const auto f = [&](const Variable& x) { return twice(transpose(x)); };
    auto region = static_graph(f, {.name = "custom"});
    for (int call = 0; call < 4; ++call) {
        const Variable x = counted({2, 3});
        const Variable y = call ? region(x) : f(x);
        EXPECT_EQ(y.array().to_vector<float>(), (std::vector<float>{2, 8, 4, 10, 6, 12}));
        sum(y).backward();
        EXPECT_EQ(x.grad().to_vector<float>(), std::vector<float>(6, 2.0F));
    }
}

}  // namespace
}  // namespace catena::testing
