// Batches of small matrix products (runtime/cpu/product/small_product.h) against sums in float64.
#include "runtime/cpu/product/small_product.h"

#include <vector>

#include <gtest/gtest.h>

#include "runtime/core/device.h"
#include "runtime/core/error.h"
#include "runtime/core/random.h"
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

TEST(SmallProduct, of_batches_is_near_sums_in_float64_and_the_same_on_any_number_of_threads) {
    constexpr int64_t batch = 7;
    std::vector<Sizes> all;
    for (const int64_t m : {1, 2, 5, 17, 70})
        for (const int64_t n : {1, 3, 16, 33, 65})
            for (const int64_t k : {1, 2, 15, 48})
                for (const int flags : {0, 1, 2, 3})
                    all.push_back({m, n, k, bool(flags & 1), bool(flags & 2)});
    int small = 0;
    for (const Sizes& s : all) {
        SCOPED_TRACE(
            fmt::format("{} x {} x {}, transposed {} {}", s.m, s.n, s.k, s.transa, s.transb));
        const Array a = random_array(s.transa ? Shape{batch, s.k, s.m} : Shape{batch, s.m, s.k}, 1);
        const Array b = random_array(s.transb ? Shape{batch, s.n, s.k} : Shape{batch, s.k, s.n}, 2);
        const Array before = random_array({batch, s.m, s.n}, 3);
        const ProductBatches batches(a, b, s.transa, s.transb, before);
        small += is_small_product({.transa = batches.a.transposed,
                                   .transb = batches.b.transposed,
                                   .m = s.m,
                                   .n = s.n,
                                   .k = s.k,
                                   .lda = batches.a.stride,
                                   .ldb = batches.b.stride,
                                   .ldc = s.n});
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
