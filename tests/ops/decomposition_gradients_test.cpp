#include <vector>

#include <gtest/gtest.h>

#include "runtime/graph/op/variable_math.h"
#include "runtime/ops/array/layout/creation.h"
#include "runtime/ops/math/linalg/linalg.h"
#include "runtime/ops/math/reduction/reduction.h"

namespace catena::testing {
namespace {

TEST(DecompositionGradients, of_eigenvalues_and_singular_values_are_finite_where_values_are_equal) {
    const Variable identity(eye(3)), other(eye(3));
    sum(eigvalsh(identity)).backward();
    EXPECT_EQ(identity.grad().to_vector<float>(), (std::vector<float>{1, 0, 0, 0, 1, 0, 0, 0, 1}));
    sum(svd(other, false).s).backward();
    EXPECT_EQ(other.grad().to_vector<float>(), (std::vector<float>{1, 0, 0, 0, 1, 0, 0, 0, 1}));
}

}  // namespace
}  // namespace catena::testing
