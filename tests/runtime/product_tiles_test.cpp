// Products in tiles (runtime/cpu/product/tiles/product_tiles.h) against float64: sizes around whole
// tiles and blocks, strides, what lies beside the operands.
#include "runtime/cpu/product/tiles/product_tiles.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "runtime/cpu/product/gemm.h"
#include "runtime/cpu/product/tiles/tile.h"
#include "tests/support/random_numbers.h"
#include "tests/support/threads.h"

namespace catena {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr int64_t page = 1024;  // Floats; rows that far apart are multiplied in tiles.

/// Random numbers with NaN between a row and the next, which is `stride` further.
struct Matrix {
    int64_t rows, columns, stride;
    std::vector<float> values = std::vector<float>(size_t(rows * stride), nan);

    Matrix(int64_t rows, int64_t columns, int64_t stride, uint64_t seed)
        : rows(rows), columns(columns), stride(stride) {
        for (int64_t i = 0; i < rows; ++i)
            testing::fill_random(seed + 1000 * uint64_t(i), values.data() + i * stride, columns);
    }
    double at(int64_t i, int64_t j, bool transposed) const {
        return values[size_t(transposed ? j * stride + i : i * stride + j)];
    }
};

/// Elements of as many pages as a row needs.
constexpr int64_t pages(int64_t columns) { return (columns + page - 1) / page * page; }

enum class Plus { nothing, result, row };

struct Product {
    bool transa, transb;
    int64_t m, n, k;
    Plus plus;
    Matrix a{transa ? k : m, transa ? m : k, pages(transa ? m : k), 1},
        b{transb ? n : k, transb ? k : n, pages(transb ? k : n), 2}, before{m, n, n + 5, 3},
        row{1, n, n, 4};

    TileProduct tiles(std::vector<float>& c) const {
        const float* const added = plus == Plus::row      ? row.values.data()
                                   : plus == Plus::result ? c.data()
                                                          : nullptr;
        return {.transa = transa,
                .transb = transb,
                .m = m,
                .n = n,
                .k = k,
                .a = a.values.data(),
                .lda = a.stride,
                .b = b.values.data(),
                .ldb = b.stride,
                .plus = added,
                .plus_row = plus == Plus::row ? 0 : before.stride,
                .c = c.data(),
                .ldc = before.stride};
    }
    std::vector<float> divided() const {
        std::vector<float> c = before.values;
        sgemm(transa, transb, m, n, k, 1, a.values.data(), a.stride, b.values.data(), b.stride,
              plus == Plus::result ? 1 : 0, c.data(), before.stride, {},
              plus == Plus::row ? row.values.data() : nullptr);
        return c;
    }
    double truth(int64_t i, int64_t j) const {
        double sum = plus == Plus::row      ? row.at(0, j, false)
                     : plus == Plus::result ? before.at(i, j, false)
                                            : 0;
        for (int64_t p = 0; p < k; ++p) sum += a.at(i, p, transa) * b.at(p, j, transb);
        return sum;
    }
    void expect_near(const std::vector<float>& c) const {
        for (int64_t i = 0; i < m; ++i)
            for (int64_t j = 0; j < before.stride; ++j) {
                const float value = c[size_t(i * before.stride + j)];
                if (j < n)
                    ASSERT_NEAR(value, truth(i, j), 2e-6 * double(k)) << i << " " << j;
                else
                    ASSERT_TRUE(std::isnan(value)) << i << " " << j;
            }
    }
};

struct Transposes {
    bool a, b;
};
class ProductTiles : public ::testing::TestWithParam<Transposes> {
protected:
    void SetUp() override {
        if (!has_product_tiles())
            GTEST_SKIP() << "not on this processor, or CATENA_PRODUCT_TILES=0";
    }
    /// Calls f(product) for sizes around whole tiles, panels and blocks of k.
    template <class F>
    void for_sizes(F&& f) const {
        for (const int64_t m : {8, 37, 136})
            for (const int64_t n : {16, 113})
                for (const int64_t k : {1, 37, 400}) {
                    const auto plus = Plus((m + n + k) % 3);
                    SCOPED_TRACE(fmt::format("{} x {} x {}, plus {}", m, n, k, int(plus)));
                    f(Product{GetParam().a, GetParam().b, m, n, k, plus});
                }
    }
};

TEST_P(ProductTiles, are_near_float64_and_nothing_beside_is_read_or_written) {
    for_sizes([](const Product& p) {
        std::vector<float> c = p.before.values;
        multiply_in_tiles(p.tiles(c));
        p.expect_near(c);
    });
}

TEST_P(ProductTiles, take_part_in_sgemm_for_any_addend) {
    for (const Plus plus : {Plus::nothing, Plus::result, Plus::row})
        for (const int64_t n : {101}) {
            const Product p{GetParam().a, GetParam().b, 96, n, 800, plus};
            p.expect_near(p.divided());
        }
}

TEST_P(ProductTiles, have_the_same_bits_in_parts_and_on_any_number_of_threads) {
    const Product p{GetParam().a, GetParam().b, 96, 101, 800, Plus::row};
    std::vector<float> whole = p.before.values;
    if (!has_avx512() && GetParam().b) GTEST_SKIP() << "with AVX2 oneDNN multiplies these";
    ASSERT_TRUE(are_tiles_faster(p.tiles(whole)));
    multiply_in_tiles(p.tiles(whole));
    for (const int threads : {1, 3}) {
        const testing::Threads scope(threads);
        EXPECT_EQ(std::memcmp(whole.data(), p.divided().data(), whole.size() * sizeof(float)), 0);
    }
}

/// A block's last tile may have one row, and a block may be a single such tile.
TEST_P(ProductTiles, are_right_in_the_rows_beyond_whole_blocks) {
    const TileShape shape = tile_shape();
    for (const int64_t more : {1, 7, 9}) {
        const Product p{GetParam().a,
                        GetParam().b,
                        (GetParam().a ? shape.packed_rows : 2048 / shape.rows * shape.rows) + more,
                        113,
                        40,
                        Plus::nothing};
        std::vector<float> c = p.before.values;
        multiply_in_tiles(p.tiles(c));
        p.expect_near(c);
    }
}

/// A long sum is divided into blocks of whole vectors, of which none may be longer than the memory
/// that its rows and columns are packed in.
TEST_P(ProductTiles, are_right_for_sums_around_whole_blocks) {
    for (const int64_t k : {767, 769, 1529, 1535, 1537, 2303}) {
        SCOPED_TRACE(k);
        const Product p{GetParam().a, GetParam().b, 41, 113, k, Plus::row};
        std::vector<float> c = p.before.values;
        multiply_in_tiles(p.tiles(c));
        p.expect_near(c);
    }
}

TEST_P(ProductTiles, have_the_same_bits_whatever_follows) {
    const Product p{GetParam().a, GetParam().b, 96, 101, 80, Plus::row},
        other{GetParam().a, GetParam().b, 37, 113, 400, Plus::nothing};
    std::vector<float> alone = p.before.values, first = alone, second = other.before.values;
    multiply_in_tiles(p.tiles(alone));
    const TileProduct following = other.tiles(second);
    TileProduct tiles = p.tiles(first);
    tiles.following = &following;
    multiply_in_tiles(tiles);
    EXPECT_EQ(std::memcmp(alone.data(), first.data(), alone.size() * sizeof(float)), 0);
    EXPECT_EQ(std::memcmp(second.data(), other.before.values.data(), second.size() * sizeof(float)),
              0);
}

/// Zeros above the diagonal, or below it.
TEST_P(ProductTiles, leave_out_zeros_at_the_ends_of_rows_unless_they_meet_infinity) {
    for (const bool is_upper : {false, true})
        for (const bool meets_infinity : {false, true}) {
            Product p{GetParam().a, GetParam().b, 140, 49, 140, Plus::row};
            for (int64_t i = 0; i < p.m; ++i)
                for (int64_t q = 0; q < p.k; ++q)
                    if (is_upper ? q > i : q < i)
                        p.a.values[size_t(GetParam().a ? q * page + i : i * page + q)] =
                            q % 2 ? 0.0f : -0.0f;
            const int64_t row =
                is_upper ? 139 : 0;  // Of b: nearly all rows of a have a zero there.
            if (meets_infinity)
                p.b.values[size_t(GetParam().b ? 3 * page + row : row * page + 3)] =
                    std::numeric_limits<float>::infinity();
            std::vector<float> c = p.before.values;
            multiply_in_tiles(p.tiles(c));
            for (int64_t i = 0; i < p.m; ++i)
                for (int64_t j = 0; j < p.n; ++j) {
                    const double truth = p.truth(i, j);
                    const float value = c[size_t(i * p.before.stride + j)];
                    if (!std::isfinite(truth))
                        ASSERT_EQ(std::isnan(value), std::isnan(truth)) << i << " " << j;
                    else
                        ASSERT_NEAR(value, truth, 6e-4) << i << " " << j;
                }
        }
}

INSTANTIATE_TEST_SUITE_P(all, ProductTiles,
                         ::testing::Values(Transposes{false, false}, Transposes{false, true},
                                           Transposes{true, false}, Transposes{true, true}),
                         [](const auto& info) {
                             return fmt::format("{}{}", info.param.a ? "T" : "N",
                                                info.param.b ? "T" : "N");
                         });

}  // namespace
}  // namespace catena
