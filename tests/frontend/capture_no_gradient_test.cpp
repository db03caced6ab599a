#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/static_graph/static_graph.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/graph/walk/gradient.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/math/math.h"
#include "runtime/ops/math/reduction/reduction.h"

namespace catena {
namespace {

/// R of a wide matrix's QR decomposition has no gradient.
Variable upper_triangle(const Variable& x) {
    return sum(exp(sin(call_function("qr", {x})[1] * 0.5) + 1));
}

TEST(CaptureNoGradient, a_region_without_a_gradient_runs_and_its_backward_says_why) {
    const Variable x(Array::from(std::vector<float>{1, 2, 3, 4, 5, 7}, {2, 3}));
    auto region = static_graph(upper_triangle);
    for (int call = 0; call < 3; ++call) {
        const Variable y = region(x);
        EXPECT_FLOAT_EQ(y.item<float>(), upper_triangle(x).item<float>());
        try {
            grad({y}, {x});
            ADD_FAILURE() << "a gradient was given";
        } catch (const Error& error) {
            EXPECT_THAT(error.what(), ::testing::HasSubstr("r is not square"));
        }
    }
}

}  // namespace
}  // namespace catena
