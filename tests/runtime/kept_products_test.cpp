// Products with a matrix that is kept in another order (runtime/cpu/product/kept/kept_matrix.h):
// the bits of those with one that is not.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "runtime/core/simd/instruction_set.h"
#include "runtime/cpu/product/float_product.h"
#include "runtime/cpu/onednn/packed.h"
#include "tests/support/random_numbers.h"
#include "tests/support/threads.h"

namespace catena {
namespace {

Array random_array(const Shape& shape, uint64_t seed) {
    Array array = Array::empty({Dtype::float32, shape}, cpu_device());
    testing::fill_random(seed, array.to_fill<float>(), array.size());
    return array;
}
Array copy_of(const Array& array) { return array.astype(Dtype::float64).astype(Dtype::float32); }

enum class Plus { nothing, row, result };

struct Product {
    int64_t m, n, k;
    bool transb = true;
    Plus plus = Plus::nothing;
    Array a = random_array({m, k}, 1), b = random_array(transb ? Shape{n, k} : Shape{k, n}, 2),
          row = random_array({n}, 3), before = random_array({m, n}, 4);

    /// a op(with) and what is added.
    std::vector<uint32_t> bits(const Array& with) const {
        const Array y = copy_of(before);
        FloatProduct(a, with, false, transb, y)
            .run(a.elements<float>(), with, y.to_fill<float>(), plus == Plus::result, {},
                 plus == Plus::row ? row.elements<float>() : nullptr);
        const auto* words = static_cast<const uint32_t*>(y.elements());
        return {words, words + y.size()};
    }
    /// Of ten products with b how many took the kept one; each has to give the bits of the first
    /// use of a copy.
    int64_t kept() const {
        const int64_t uses = onednn::packed_uses();
        const std::vector<uint32_t> expected = bits(copy_of(b));
        for (int i = 0; i < 10; ++i) EXPECT_TRUE(bits(b) == expected) << "product " << i;
        return onednn::packed_uses() - uses;
    }
};

/// How many of ten uses take a kept matrix: four come before, and one keeps it.
int64_t uses_kept(const Product& p) {
    const bool are_many = p.m >= 32 && p.n >= 32 && p.k >= 32;
    bool kept = false;
    if (has_avx512())
        kept = p.transb
                   ? true
                   : are_many && p.m <= 512 && (p.n % 1024 == 0 || p.m * p.n * p.k <= 16'000'000);
    else if (instruction_set() == InstructionSet::avx2)
        kept = (p.transb && p.m <= 10) || (p.m >= 128 && p.m <= 512 && p.n >= 128 && p.k >= 256);
    return kept ? 5 : 0;
}

class KeptProducts : public ::testing::TestWithParam<int64_t> {};

TEST_P(KeptProducts, have_the_bits_of_others) {
    for (const bool transb : {true, false})
        for (const int64_t n : {65, 100, 200})
            for (const int64_t k : {640, 655, 1700})
                for (const Plus plus : {Plus::nothing, Plus::row, Plus::result}) {
                    SCOPED_TRACE(fmt::format("{} x {} x {}, {}, plus {}", GetParam(), n, k,
                                             transb ? "transposed" : "as it is", int(plus)));
                    const Product p{GetParam(), n, k, transb, plus};
                    for (int64_t i = 8; i < std::min<int64_t>(24, p.m);
                         ++i)  // Zeros that tiles leave out.
                        std::fill_n(p.a.to_fill<float>() + i * k + k / 2, k - k / 2, 0.0f);
                    EXPECT_EQ(p.kept(), uses_kept(p));
                }
}

TEST_P(KeptProducts, have_the_same_bits_on_any_number_of_threads) {
    for (const bool transb : {true, false}) {
        const Product p{GetParam(), 1000, 650, transb};
        p.kept();
        const std::vector<uint32_t> expected = p.bits(p.b);
        for (const int threads : {1, 3}) {
            const testing::Threads scope(threads);
            EXPECT_TRUE(p.bits(p.b) == expected) << threads << " threads";
        }
    }
}

TEST_P(KeptProducts, follow_what_is_written) {
    for (const bool transb : {true, false}) {
        const Product p{GetParam(), 256, 256, transb};
        EXPECT_EQ(p.kept(), uses_kept(p));
        copy_elements(random_array({256, 256}, 5), p.b);
        EXPECT_EQ(p.kept(), uses_kept(p));
    }
}

/// One matrix may be read both ways.
TEST_P(KeptProducts, are_kept_for_each_way_to_read_them) {
    const Product turned{GetParam(), 256, 256, true};
    Product plain{GetParam(), 256, 256, false};
    plain.b = turned.b;
    for (int i = 0; i < 2; ++i) {
        turned.kept();
        plain.kept();
    }
}

TEST_P(KeptProducts, have_nan_and_infinity_where_others_do) {
    const Product p{GetParam(), 200, 300};
    float *a = p.a.to_fill<float>(), *b = p.b.to_fill<float>();
    std::fill_n(a, 2 * 300, 0.0f);  // Rows of zeros, times infinity.
    a[2 * 300 + 7] = std::numeric_limits<float>::quiet_NaN();
    b[5 * 300 + 299] = std::numeric_limits<float>::infinity();
    b[199 * 300] = std::numeric_limits<float>::quiet_NaN();
    const Array y = Array::empty({Dtype::float32, {GetParam(), 200}}, cpu_device());
    for (int i = 0; i < 7; ++i)
        FloatProduct(p.a, p.b, false, true, y).run(a, p.b, y.to_fill<float>(), false);
    const float* c = y.elements<float>();
    for (int64_t i = 0; i < GetParam(); ++i)
        for (int64_t j = 0; j < 200; ++j) {
            const float value = c[i * 200 + j];
            if (i == 2 || j == 199 || (j == 5 && i < 2))
                EXPECT_TRUE(std::isnan(value)) << i << " " << j;
            else if (j == 5)
                EXPECT_TRUE(std::isinf(value)) << i;
            else
                EXPECT_TRUE(std::isfinite(value)) << i << " " << j;
        }
}

TEST(KeptProducts, another_part_of_the_same_memory_is_another_matrix) {
    constexpr int64_t rows = 200;
    if (instruction_set() == InstructionSet::none) GTEST_SKIP() << "this processor keeps none";
    const Array both = random_array({512, 256}, 6);
    for (const int64_t first : {0, 256, 0}) {
        Product p{rows, 256, 256};
        p.b = both.view({256, 256}, both.strides(), first * 256);
        EXPECT_GE(p.kept(), 5) << first;
    }
}

INSTANTIATE_TEST_SUITE_P(rows, KeptProducts,
                         ::testing::Values(4, 7, 20, 33, 64, 65, 100, 130, 512));

}  // namespace
}  // namespace catena
