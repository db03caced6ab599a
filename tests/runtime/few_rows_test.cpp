// Products of few rows (runtime/cpu/product/rows/gemm_rows.h) against float64: sizes around whole
// blocks, strides, what lies beside the operands.
#include "runtime/cpu/product/rows/gemm_rows.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "runtime/core/random/random.h"
#include "runtime/core/simd/instruction_set.h"
#include "tests/support/threads.h"

namespace catena {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

/// Rows of `columns` random numbers, with NaN between a row and the next.
std::vector<float> rows_of(int64_t rows, int64_t columns, int64_t stride, uint64_t seed) {
    std::vector<float> values(size_t(rows * stride), nan), numbers(size_t(rows * columns));
    fill_normal(RandomStream{seed, 0}, numbers.data(), rows * columns);
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < columns; ++j)
            values[size_t(i * stride + j)] = numbers[size_t(i * columns + j)];
    return values;
}

constexpr int64_t gap = 5;

struct Product {
    int64_t m, n, k;
    float beta;
    std::vector<float> a = rows_of(m, k, k + gap, 1), b = rows_of(n, k, k + gap, 2),
                       before = rows_of(m, n, n + gap, 3);

    /// Empty: not for these sizes, or not on this processor.
    std::vector<float> result() const {
        std::vector<float> c = before;
        const bool is_done =
            sgemm_few_rows(m, n, k, a.data(), k + gap, b.data(), k + gap, beta, c.data(), n + gap);
        return is_done ? c : std::vector<float>();
    }
    double truth(int64_t i, int64_t j) const {
        double sum = beta == 0 ? 0 : double(beta) * before[size_t(i * (n + gap) + j)];
        for (int64_t p = 0; p < k; ++p)
            sum += double(a[size_t(i * (k + gap) + p)]) * b[size_t(j * (k + gap) + p)];
        return sum;
    }
};

class FewRows : public ::testing::TestWithParam<int64_t> {
protected:
    /// Calls f(product, its result) for sizes around whole blocks and vectors.
    template <class F>
    void for_sizes(F&& f) const {
        int found = 0;
        for (const int64_t n : {8, 9, 16, 23, 300})
            for (const int64_t k : {80, 81, 95, 96, 700})
                for (const float beta : {0.0f, 1.0f, 0.5f}) {
                    SCOPED_TRACE(fmt::format("{} x {} x {}, beta {}", GetParam(), n, k, beta));
                    const Product product{GetParam(), n, k, beta};
                    if (const std::vector<float> c = product.result(); !c.empty())
                        ++found, f(product, c);
                }
        if (instruction_set() == InstructionSet::none) GTEST_SKIP() << "not on this processor";
        // With AVX2 more than ten rows are left to others, but for up to 16 columns.
        EXPECT_EQ(found, has_avx512() || GetParam() <= 10 ? 75 : 45);
    }
};

TEST_P(FewRows, are_near_float64_and_nothing_beside_is_read_or_written) {
    for_sizes([](const Product& p, const std::vector<float>& c) {
        for (int64_t i = 0; i < p.m; ++i)
            for (int64_t j = 0; j < p.n + gap; ++j) {
                const float value = c[size_t(i * (p.n + gap) + j)];
                if (j < p.n)
                    EXPECT_NEAR(value, p.truth(i, j), 2e-6 * double(p.k)) << i << " " << j;
                else
                    EXPECT_TRUE(std::isnan(value)) << i << " " << j;
            }
    });
}

TEST_P(FewRows, have_the_same_bits_on_any_number_of_threads) {
    for_sizes([](const Product& p, const std::vector<float>& c) {
        for (const int threads : {1, 3}) {
            const testing::Threads scope(threads);
            EXPECT_EQ(std::memcmp(c.data(), p.result().data(), c.size() * sizeof(float)), 0);
        }
    });
}

INSTANTIATE_TEST_SUITE_P(rows, FewRows, ::testing::Values(1, 4, 5, 6, 7, 15, 20));

}  // namespace
}  // namespace catena
