#include "runtime/ops/math/sparse.h"

#include <gtest/gtest.h>

#include "runtime/core/system/error.h"
#include "runtime/graph/walk/gradient.h"
#include "runtime/ops/math/linalg/contraction.h"

namespace catena {
namespace {

Variable batch() {
    return Variable(
        Array::from(std::vector<double>{0, 2, 0, 0, 0, -3, 1, 0, 0, 4, 0, 5}, {2, 2, 3}), true);
}

TEST(to_coo, gives_the_elements_in_order_of_rows_and_fills_up_with_places_that_do_not_count) {
    const CooMatrix a = to_coo(batch());
    EXPECT_EQ(a.data.array().to_vector<double>(), (std::vector<double>{2, -3, 0, 1, 4, 5}));
    EXPECT_EQ(a.row.array().to_vector<int>(), (std::vector<int>{0, 1, -1, 0, 1, 1}));
    EXPECT_EQ(a.col.array().to_vector<int>(), (std::vector<int>{1, 2, -1, 0, 0, 2}));
    EXPECT_EQ(to_coo(batch(), 5).data.shape(), (Shape{2, 5}));
    EXPECT_THROW(to_coo(batch(), 2), ValueError);
}

TEST(to_coo, and_back_is_the_identity) {
    EXPECT_EQ(to_coo(batch()).to_dense().array().to_vector<double>(),
              batch().array().to_vector<double>());
}

TEST(sparse_matmul, equals_the_dense_product_on_either_side) {
    const Variable x = batch();
    const CooMatrix a = to_coo(x);
    const Variable right(Array::from(std::vector<double>{1, 2, 3, 4, 5, 6}, {2, 3, 1}), false);
    const Variable left(Array::from(std::vector<double>{1, 2, 3, 4}, {2, 2, 1}), false);
    EXPECT_EQ(sparse_matmul(a, right).array().to_vector<double>(),
              matmul(x, right).array().to_vector<double>());
    EXPECT_EQ(sparse_matmul(a, left, true).array().to_vector<double>(),
              matmul(x, left, true).array().to_vector<double>());
    EXPECT_EQ(sparse_matmul(left, a, true).array().to_vector<double>(),
              matmul(left, x, true).array().to_vector<double>());
    EXPECT_EQ(sparse_matmul(right, a, true, true).array().to_vector<double>(),
              matmul(right, x, true, true).array().to_vector<double>());
}

TEST(sparse_matmul, entries_that_do_not_count_get_no_gradient) {
    const CooMatrix a = to_coo(batch(), {}, true);
    const Variable b(Array::full({Dtype::float64, {2, 3, 1}}, 7), false);
    const Variable y = sparse_matmul(a, b);
    const Variables gx = grad({y}, {a.data}, {Variable(Array::full(y.type(), 1), false)});
    EXPECT_EQ(gx[0].array().to_vector<double>(), (std::vector<double>{7, 7, 0, 7, 7, 7}));
}

}  // namespace
}  // namespace catena
