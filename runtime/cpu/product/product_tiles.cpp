#include "runtime/cpu/product/product_tiles.h"

#include <algorithm>
#include <array>
#include <memory>
#include <new>
#include <optional>

#include "runtime/core/environment.h"
#include "runtime/core/error.h"
#include "runtime/cpu/product/product_tile.h"
#include "runtime/cpu/product/product_zeros.h"
#include "runtime/cpu/transpose_lanes.h"

namespace catena {

#if defined(__x86_64__)
namespace {

/// Blocks of k, so that a panel of b, and the packed rows of a transposed a, stay in a core's second-level cache.
constexpr int64_t longest = 768, most_packed_rows = 512, most_rows = 2048;
/// Columns of c for which a transposed a is not worth packing.
constexpr int64_t widest_unpacked = 96;
constexpr int64_t panel_width = most_tile_vectors * tile_lanes;

/// This thread's packed operands.
class Packed {
public:
    static Packed& of_thread() {
        static thread_local Packed packed;
        return packed;
    }
    float* panel() { return memory_.get(); }
    float* rows() { return memory_.get() + longest * panel_width; }

private:
    struct Free {
        void operator()(float* memory) const { ::operator delete[](memory, std::align_val_t(64)); }
    };
    std::unique_ptr<float[], Free> memory_{
        new (std::align_val_t(64)) float[longest * (panel_width + most_packed_rows)]};
};

using Range = TileRange;

/// Part `index` of k, at multiples of a vector.
Range block_of(int64_t k, int64_t index, int64_t count) {
    const auto at = [&](int64_t i) { return i == count ? k : k * i / count / tile_lanes * tile_lanes; };
    return {at(index), at(index + 1)};
}

/// A mask of the first `count` lanes, all of them from 16 on.
constexpr uint16_t first_lanes(int64_t count) { return uint16_t((1u << std::min(count, tile_lanes)) - 1); }

/// Rows [begin, end) of op(a) for a stored as [k, m], as tiles of [k, tile_rows]. Eight tiles at a time: they share lines of a.
CATENA_AVX512 void pack_rows(const TileProduct& p, Range rows, Range depth, float* to) {
    constexpr int64_t together = 8 * tile_rows;
    const int64_t k = depth.size();
    for (int64_t first = rows.begin; first < rows.end; first += together, to += together * k) {
        const int64_t count = std::min(together, rows.end - first), whole = count / tile_rows;
        const auto rest = __mmask8((1u << (count % tile_rows)) - 1);
        const float* from = p.a + depth.begin * p.lda + first;
        for (int64_t q = 0; q < k; ++q, from += p.lda) {
            for (int64_t i = 0; i < whole; ++i) {
                _mm_prefetch(reinterpret_cast<const char*>(from + 8 * p.lda + i * tile_rows), _MM_HINT_T0);
                _mm256_store_ps(to + (i * k + q) * tile_rows, _mm256_loadu_ps(from + i * tile_rows));
            }
            if (rest) _mm256_store_ps(to + (whole * k + q) * tile_rows, _mm256_maskz_loadu_ps(rest, from + whole * tile_rows));
        }
    }
}

/// The columns of op(b) for b stored as [n, k].
CATENA_AVX512 void pack_turned(const TileProduct& p, Range columns, Range depth, int64_t width, float* to) {
    for (int64_t j = 0; j < columns.size(); j += tile_lanes) {
        const float* const from = p.b + (columns.begin + j) * p.ldb + depth.begin;
        for (int64_t q = 0; q < depth.size(); q += tile_lanes)
            transpose_lanes(from + q, p.ldb, std::min(tile_lanes, columns.size() - j), first_lanes(depth.size() - q), to + q * width + j, width);
    }
}

/// Of each tile's rows the part of k outside of which a has zeros that need not be multiplied; all of it if b is not finite.
void find_parts(const TileProduct& p, Tile t, Range rows, Range depth, int64_t next, Range* parts) {
    const int64_t tiles = (rows.size() + tile_rows - 1) / tile_rows;
    bool has_zeros = false;
    for (int64_t i = 0; i < tiles; ++i, t.a += next) {
        parts[i] = nonzero_part(t, std::min(tile_rows, rows.size() - i * tile_rows));
        has_zeros |= parts[i].size() < t.k;
    }
    if (!has_zeros) return;
    const bool finite = p.transb ? is_finite(p.b + depth.begin, p.ldb, p.n, t.k) : is_finite(p.b + depth.begin * p.ldb, p.ldb, t.k, p.n);
    if (!finite) std::fill_n(parts, tiles, Range{0, t.k});
}

/// Gives a panel's rows of c to the statistics while they are in the first-level cache.
class StoredRows {
public:
    StoredRows(const StatisticsPlace& place, const float* c, int64_t step, int64_t row, Range columns)
        : place_(place), c_(c), step_(step), row_(place.row + row), columns_{place.column + columns.begin, place.column + columns.end} {}

    /// `end` rows of the panel are stored, of `all`.
    void stored(int64_t end, int64_t all) {
        const int64_t blocks_end = (row_ + end) % place_.rows_of_block;
        if (end - given_ < ColumnStatistics::rows_together && blocks_end != 0 && end < all) return;
        const int64_t first = row_ + given_;
        place_.statistics->add(first / place_.rows_of_block, {c_ + given_ * step_, end - given_, step_}, columns_, first % place_.rows_of_block == 0);
        given_ = end;
    }

private:
    const StatisticsPlace& place_;
    const float* const c_;
    const int64_t step_, row_;
    const ColumnStatistics::Columns columns_;
    int64_t given_ = 0;
};

/// A panel's columns of rows that are there, tile by tile; `next`: from a tile's a to that of the next. All tiles but the first share
/// in fetching the rows of b from `ahead` on, if that is not null.
template <int vectors>
void compute_panel(Tile t, int64_t rows, int64_t next, const Range* parts, const float* ahead, StoredRows* measured) {
    const int64_t others = (rows - 1) / tile_rows, share = ahead && others > 0 ? (t.k + others - 1) / others : 0;
    for (int64_t i = 0, fetched = 0; i < rows; i += tile_rows) {
        const int64_t count = std::min(tile_rows, rows - i);
        if (const Range part = parts[i / tile_rows]; part.size() < t.k && !t.from) {
            Tile shorter = t;
            shorter.a += part.begin * t.a_step;
            shorter.panel.columns += part.begin * t.panel.row_step;
            shorter.k = part.size();
            compute_rows<vectors>(shorter, count);
        } else {
            compute_rows<vectors>(t, count);
        }
        t.from = nullptr;
        t.ahead_rows = std::min(share, t.k - fetched);
        t.ahead = ahead + fetched * t.from_row;
        fetched += t.ahead_rows;
        t.a += next;
        if (t.plus) t.plus += tile_rows * t.plus_row;
        t.c += tile_rows * t.c_row;
        if (measured) measured->stored(i + count, rows);
    }
}

/// How many of the vectors that are left the next panel takes: three, but not so that one alone is left over.
int64_t vectors_of_panel(int64_t left) { return left == 4 ? 2 : std::min(left, most_tile_vectors); }

/// The rows' part of c gets the products of a block of k.
void compute_block(const TileProduct& p, Range rows, Range depth, Packed& packed) {
    const bool packs = p.transa && p.n > widest_unpacked;
    if (packs) pack_rows(p, rows, depth, packed.rows());
    const int64_t next = packs ? tile_rows * depth.size() : p.transa ? tile_rows : tile_rows * p.lda;
    const float* const a = p.transa ? p.a + depth.begin * p.lda + rows.begin : p.a + rows.begin * p.lda + depth.begin;
    Tile t{.a = packs ? packed.rows() : a, .a_row = p.transa ? 1 : p.lda, .a_step = packs ? tile_rows : p.transa ? p.lda : 1, .panel = {packed.panel(), panel_width}, .k = depth.size(), .plus = nullptr, .plus_row = p.plus_row,
           .c = nullptr, .c_row = p.ldc, .last = 0, .from_row = p.ldb};
    std::array<Range, most_rows / tile_rows> parts;
    find_parts(p, t, rows, depth, next, parts.data());
    const float* plus = p.plus;
    if (depth.begin > 0) plus = p.c, t.plus_row = p.ldc;  // What the blocks before gave.
    const int64_t all = (p.n + tile_lanes - 1) / tile_lanes;
    for (int64_t done = 0, vectors; done < all; done += vectors) {
        vectors = vectors_of_panel(all - done);
        const Range columns{done * tile_lanes, std::min(p.n, (done + vectors) * tile_lanes)};
        t.panel.row_step = vectors * tile_lanes;
        if (p.columns) t.panel = {const_cast<float*>(p.columns) + done * p.column_step + depth.begin * tile_lanes, tile_lanes, p.column_step};
        else if (p.transb) pack_turned(p, columns, depth, vectors * tile_lanes, packed.panel());
        else t.from = p.b + depth.begin * p.ldb + columns.begin;
        if (plus) t.plus = plus + rows.begin * t.plus_row + columns.begin;
        t.c = p.c + rows.begin * p.ldc + columns.begin;
        t.last = first_lanes(columns.size() - (vectors - 1) * tile_lanes);
        const float* const ahead = p.transb || done + vectors == all ? nullptr : t.from + vectors * tile_lanes;
        std::optional<StoredRows> measured;
        if (p.measured && depth.end == p.k) measured.emplace(*p.measured, t.c, p.ldc, rows.begin, columns);
        StoredRows* const stored = measured ? &*measured : nullptr;
        vectors == 3   ? compute_panel<3>(t, rows.size(), next, parts.data(), ahead, stored)
        : vectors == 2 ? compute_panel<2>(t, rows.size(), next, parts.data(), ahead, stored)
                       : compute_panel<1>(t, rows.size(), next, parts.data(), ahead, stored);
    }
}

}  // namespace

bool has_product_tiles() {
    static const bool able = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                             __builtin_cpu_supports("avx512vl") && environment::flag("CATENA_PRODUCT_TILES", true);
    return able;
}

bool are_tiles_faster(const TileProduct& p) {
    constexpr int64_t page = 4096 / sizeof(float), small = 16'000'000, long_sum = 256;
    return has_product_tiles() && p.m >= 32 && p.n >= 32 && p.k >= 32 &&
           (p.transb || (p.transa && p.k >= long_sum) || (p.transa ? p.lda : p.ldb) % page == 0 || p.m * p.n * p.k <= small);
}

void multiply_in_tiles(const TileProduct& p) {
    Packed& packed = Packed::of_thread();
    const int64_t blocks = (p.k + longest - 1) / longest;
    const int64_t rows = p.transa ? most_packed_rows : most_rows;
    for (int64_t i = 0; i < blocks; ++i)
        for (int64_t row = 0; row < p.m; row += rows)
            compute_block(p, {row, std::min(p.m, row + rows)}, block_of(p.k, i, blocks), packed);
}

#else

bool has_product_tiles() { return false; }
bool are_tiles_faster(const TileProduct&) { return false; }
void multiply_in_tiles(const TileProduct&) { CATENA_ASSERT(false, "this processor has no tiles"); }

#endif

}  // namespace catena
