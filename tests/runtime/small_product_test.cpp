// Small matrix products, alone and in batches (runtime/cpu/product/small_product.h) against sums in
// float64.
#include "runtime/cpu/product/small_product.h"

#include <vector>

#include <gtest/gtest.h>

#include "runtime/core/array/device.h"
#include "runtime/core/random/random.h"
#include "runtime/core/system/error.h"
#include "runtime/cpu/product/float_product.h"
#include "runtime/cpu/product/gemm.h"
#include "runtime/cpu/product/product_batches.h"
#include "tests/support/threads.h"

namespace catena {
namespace {

struct Sizes {
    int64_t m, n, k;
    bool transa, transb;
};

Array random_array(const Shape& shape, uint64_t seed) {
    const Array array = Array::empty({Dtype::float32, shape}, cpu_device());
    fill_normal(RandomStream{seed, 0}, array.to_fill<float>(), array.size());
    return array;
}

/// The first element of the product of two matrices, in float64.
double first_of(const Array& a, const Array& b, const Sizes& s) {
    const std::vector<float> left = a.to_vector<float>(), right = b.to_vector<float>();
    double sum = 0;
    for (int64_t p = 0; p < s.k; ++p)
        sum += double(left[size_t(s.transa ? p * s.m : p)]) *
               double(right[size_t(s.transb ? p : p * s.n)]);
    return sum;
}

std::vector<Sizes> many_sizes() {
    std::vector<Sizes> all;
    for (const int64_t m : {1, 2, 5, 17, 70})
        for (const int64_t n : {1, 3, 16, 33, 65})
            for (const int64_t k : {1, 2, 15, 48})
                for (const int flags : {0, 1, 2, 3})
                    all.push_back({m, n, k, bool(flags & 1), bool(flags & 2)});
    return all;
}

bool is_small(const Sizes& s, const ProductBatches& batches) {
    return is_small_product({.transa = batches.a.transposed,
                             .transb = batches.b.transposed,
                             .m = s.m,
                             .n = s.n,
                             .k = s.k,
                             .lda = batches.a.stride,
                             .ldb = batches.b.stride,
                             .ldc = s.n});
}

Array left_of(const Sizes& s, int64_t batch) {
    return random_array(s.transa ? Shape{batch, s.k, s.m} : Shape{batch, s.m, s.k}, 1);
}
Array right_of(const Sizes& s, int64_t batch) {
    return random_array(s.transb ? Shape{batch, s.n, s.k} : Shape{batch, s.k, s.n}, 2);
}

/// One matrix of a batch.
Array matrix_of(const Array& batch, int64_t i) {
    const int64_t rows = batch.dim(1), columns = batch.dim(2);
    return batch.view({rows, columns}, {columns, 1}, i * rows * columns);
}

TEST(SmallProduct, of_batches_is_near_sums_in_float64_and_the_same_on_any_number_of_threads) {
    constexpr int64_t batch = 7;
    const std::vector<Sizes> all = many_sizes();
    int small = 0;
    for (const Sizes& s : all) {
        SCOPED_TRACE(
            fmt::format("{} x {} x {}, transposed {} {}", s.m, s.n, s.k, s.transa, s.transb));
        const Array a = left_of(s, batch), b = right_of(s, batch);
        const Array before = random_array({batch, s.m, s.n}, 3);
        const ProductBatches batches(a, b, s.transa, s.transb, before);
        small += is_small(s, batches);
        for (const bool adds : {false, true}) {
            std::vector<std::vector<float>> results;
            for (const int threads : {1, 3}) {
                const testing::Threads scope(threads);
                const Array y = Array::empty(before.type(), cpu_device());
                copy_elements(before, y);
                matmul_arrays(a, b, s.transa, s.transb, y, adds);
                results.push_back(y.to_vector<float>());
            }
            EXPECT_EQ(results[0], results[1]);
            const std::vector<float> pa = a.to_vector<float>(), pb = b.to_vector<float>(),
                                     start = before.to_vector<float>();
            for (int64_t at = 0; at < batch * s.m * s.n; ++at) {
                const int64_t i = at / s.n % s.m, j = at % s.n, of = at / (s.m * s.n);
                double sum = adds ? start[at] : 0;
                for (int64_t p = 0; p < s.k; ++p)
                    sum += double(pa[of * s.m * s.k + (s.transa ? p * s.m + i : i * s.k + p)]) *
                           double(pb[of * s.k * s.n + (s.transb ? j * s.k + p : p * s.n + j)]);
                ASSERT_NEAR(results[0][at], sum, 1e-5) << "element " << at;
            }
        }
    }
    EXPECT_EQ(small > int(all.size() / 2), has_product_tiles());
}

TEST(SmallProduct, alone_has_the_bits_that_it_has_in_a_batch) {
    constexpr int64_t batch = 7;
    int small = 0;
    for (const Sizes& s : many_sizes()) {
        SCOPED_TRACE(
            fmt::format("{} x {} x {}, transposed {} {}", s.m, s.n, s.k, s.transa, s.transb));
        const Array a = left_of(s, batch), b = right_of(s, batch),
                    together = Array::empty({Dtype::float32, {batch, s.m, s.n}}, cpu_device());
        if (!is_small(s, ProductBatches(a, b, s.transa, s.transb, together))) continue;
        ++small;
        matmul_arrays(a, b, s.transa, s.transb, together);
        const Array alone = Array::empty({Dtype::float32, {s.m, s.n}}, cpu_device());
        matmul_arrays(matrix_of(a, 3), matrix_of(b, 3), s.transa, s.transb, alone);
        EXPECT_EQ(alone.to_vector<float>(), matrix_of(together, 3).to_vector<float>());
    }
    EXPECT_EQ(small > 0, has_product_tiles());
}

TEST(SmallProduct, plus_a_row_has_the_bits_of_adding_to_rows_that_hold_it) {
    for (const Sizes& s : many_sizes()) {
        SCOPED_TRACE(
            fmt::format("{} x {} x {}, transposed {} {}", s.m, s.n, s.k, s.transa, s.transb));
        const Array a = matrix_of(left_of(s, 1), 0), b = matrix_of(right_of(s, 1), 0),
                    row = random_array({s.n}, 3);
        const Array y = Array::empty({Dtype::float32, {s.m, s.n}}, cpu_device()),
                    filled = Array::empty(y.type(), cpu_device());
        const FloatProduct product(a, b, s.transa, s.transb, y);
        product.run(a.elements<float>(), b, y.to_fill<float>(), false, {}, row.elements<float>());
        fill_rows(row, filled);
        product.run(a.elements<float>(), b, filled.to_fill<float>(), true);
        EXPECT_EQ(y.to_vector<float>(), filled.to_vector<float>());
        EXPECT_NEAR(y.to_vector<float>()[0], row.to_vector<float>()[0] + first_of(a, b, s), 1e-4);
    }
}

TEST(SmallProduct, reads_matrices_in_parts_of_others) {
    const Array whole = random_array({9, 6, 40}, 4), vectors = random_array({9, 40, 3}, 5);
    const std::vector<float> w = whole.to_vector<float>(), v = vectors.to_vector<float>();
    const Array a = whole.view({9, 6, 20}, {240, 40, 1}, 10),
                b = vectors.view({9, 20, 1}, {120, 3, 1}, 31),
                y = Array::empty({Dtype::float32, {9, 6, 1}}, cpu_device());
    matmul_arrays(a, b, false, false, y);
    const std::vector<float> result = y.to_vector<float>();
    for (int64_t of = 0; of < 9; ++of)
        for (int64_t i = 0; i < 6; ++i) {
            double sum = 0;
            for (int64_t p = 10; p < 30; ++p)
                sum += double(w[(of * 6 + i) * 40 + p]) * double(v[(of * 40 + p) * 3 + 1]);
            ASSERT_NEAR(result[of * 6 + i], sum, 1e-5);
        }
}

}  // namespace
}  // namespace catena
