#include <gtest/gtest.h>

#include "runtime/graph/op/variable_math.h"
#include "runtime/graph/walk/gradient.h"
#include "runtime/ops/math/math.h"
#include "runtime/ops/math/reduction/reduction.h"

namespace catena {
namespace {

Variable second_gradient(const Variable& x) {
    const Variable first = grad({prod(x)}, {x}, {}, {.enable_double_backprop = true})[0];
    return grad({sum(square(first))}, {x})[0];
}

// All pairs of so many elements would take gigabytes.
TEST(Product, of_many_elements_has_a_second_gradient) {
    constexpr int64_t n = 30'000;
    const std::vector<float> ones =
        second_gradient(Variable(Array::full({Dtype::float32, {n}}, 1))).array().to_vector<float>();
    for (float each : ones) ASSERT_EQ(each, 2 * (n - 1));
}

TEST(Product, of_zeros_has_a_second_gradient) {
    const auto of = [](std::vector<float> x) {
        return second_gradient(Variable(Array::from(x, {int64_t(x.size())})))
            .array()
            .to_vector<float>();
    };
    EXPECT_EQ(of({0, 2, 3}),
              (std::vector<float>{0, 2 * 6 * 3, 2 * 6 * 2}));  // The gradients are 6, 0 and 0.
    EXPECT_EQ(of({0, 0, 3}), (std::vector<float>{0, 0, 0}));
    EXPECT_EQ(of({5}), (std::vector<float>{0}));
}

}  // namespace
}  // namespace catena
