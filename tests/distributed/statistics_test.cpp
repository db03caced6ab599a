// Batch normalisation with the statistics of all ranks, against one process with the whole batch.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/distributed/training.h"

namespace catena {
namespace {

using Comm = std::shared_ptr<Communicator>;

/// 16 rows of 3 columns around a mean.
Array waves(double mean, double deviation) {
    std::vector<float> values;
    for (int i = 0; i < 16 * 3; ++i)
        values.push_back(float(mean + deviation * std::sin(1.7 * i + 0.3 * i * i)));
    return Array::from(values, {16, 3});
}

std::vector<int64_t> rows_between(int64_t begin, int64_t end) {
    std::vector<int64_t> rows;
    for (int64_t row = begin; row < end; ++row) rows.push_back(row);
    return rows;
}

void expect_near(const Array& a, const Array& b, float allowed) {
    EXPECT_THAT(a.to_vector<float>(),
                ::testing::Pointwise(::testing::FloatNear(allowed), b.to_vector<float>()));
}

/// Value, gradients and averages, with `split` rows on rank 0.
void compare(const Comm& comm, const Array& whole, int64_t split, float allowed) {
    const auto own = comm->rank() == 0 ? rows_between(0, split) : rows_between(split, 16);
    MultiNodeBatchNormalization many(3, comm);
    BatchNormalization one(3);
    Variable x(take_rows(whole, own)), all(whole);
    const Variable y = many(x), z = one(all);
    expect_near(y.array(), take_rows(z.array(), own), allowed);
    expect_near(many.avg_mean.array(), one.avg_mean.array(), allowed);
    expect_near(many.avg_var.array(), one.avg_var.array(), allowed);
    sum(y * y * y).backward();
    sum(z * z * z).backward();
    const Array expected = take_rows(all.grad(), own);
    float largest = 1;
    for (float g : all.grad().to_vector<float>()) largest = std::max(largest, std::abs(g));
    expect_near(x.grad(), expected, allowed * largest);
    expect_near(comm->allreduce(many.gamma.grad()), one.gamma.grad(), 16 * allowed);
}

TEST(MultiNodeBatchNormalization, weighs_ranks_by_their_rows) {
    run_local(2, [](const Comm& comm) {
        for (const int64_t split : {12, 8, 1}) compare(comm, waves(2, 1), split, 1e-5f);
    });
}

TEST(MultiNodeBatchNormalization, has_a_variance_where_the_mean_is_far_larger_than_the_deviation) {
    run_local(2, [](const Comm& comm) {
        compare(comm, waves(300, 0.05), 8, 2e-3f);
        for (float mean = 5; mean < 60; mean += 0.7f) {
            MultiNodeBatchNormalization many(3, comm);
            for (float v : many(Variable(waves(mean, 0.001))).array().to_vector<float>())
                ASSERT_TRUE(std::isfinite(v)) << mean;
        }
    });
}

TEST(MultiNodeBatchNormalization, takes_a_rank_without_rows) {
    run_local(2, [](const Comm& comm) { compare(comm, waves(2, 1), 16, 1e-5f); });
}

}  // namespace
}  // namespace catena
