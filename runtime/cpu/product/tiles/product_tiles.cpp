#include "runtime/cpu/product/tiles/product_tiles.h"

#include <algorithm>
#include <array>
#include <memory>
#include <new>
#include <optional>

#include "runtime/core/system/environment.h"
#include "runtime/core/system/error.h"
#include "runtime/core/system/per_thread.h"
#include "runtime/cpu/product/tiles/product_tile.h"
#include "runtime/cpu/product/tiles/product_zeros.h"
#include "runtime/cpu/transpose_lanes.h"

namespace catena {

#if defined(__x86_64__)
namespace {

constexpr int64_t most_rows = 2048, least_tile_rows = 6;
/// Columns of c for which a transposed a is not worth packing.
constexpr int64_t widest_unpacked = 96;

/// This thread's packed operands.
class Packed {
public:
    static Packed& of_thread() {
        static constinit PerThread<Packed> packed;
        return packed.get();
    }
    float* panel() { return memory_.get(); }
    float* rows() { return memory_.get() + panel_floats_; }

private:
    struct Free {
        void operator()(float* memory) const { ::operator delete[](memory, std::align_val_t(64)); }
    };
    const TileShape shape_ = tile_shape();
    const int64_t panel_floats_ = shape_.longest * shape_.vectors * tile_lanes;
    std::unique_ptr<float[], Free> memory_{new (
        std::align_val_t(64)) float[size_t(panel_floats_ + shape_.longest * shape_.packed_rows)]};
};

using Range = TileRange;

/// Part `index` of k, all but the last of as many whole vectors; none is longer than a tile's
/// `longest`, which is a multiple of these, if k is not longer than `count` of it.
Range block_of(int64_t k, int64_t index, int64_t count) {
    const int64_t step = ((k + count - 1) / count + tile_lanes - 1) / tile_lanes * tile_lanes;
    return {index * step, std::min(k, (index + 1) * step)};
}

/// A mask of the first `count` lanes, all of them from 16 on.
constexpr uint16_t first_lanes(int64_t count) {
    return uint16_t((1u << std::min(count, tile_lanes)) - 1);
}

/// The columns of op(b) for b stored as [n, k].
void pack_turned(const TileProduct& p, Range columns, Range depth, int64_t width, float* to) {
    for (int64_t j = 0; j < columns.size(); j += tile_lanes) {
        const float* const from = p.b + (columns.begin + j) * p.ldb + depth.begin;
        for (int64_t q = 0; q < depth.size(); q += tile_lanes)
            transpose_lanes(from + q, p.ldb, std::min(tile_lanes, columns.size() - j),
                            first_lanes(depth.size() - q), to + q * width + j, width);
    }
}

/// Finds, for each tile's rows, the part of k outside of which a has zeros that need not be
/// multiplied; all of it if b is not finite.
void find_parts(const TileProduct& p, Tile t, Range rows, Range depth, int64_t next, Range* parts) {
    const int64_t tile_rows = tile_shape().rows, tiles = (rows.size() + tile_rows - 1) / tile_rows;
    bool has_zeros = false;
    for (int64_t i = 0; i < tiles; ++i, t.a += next) {
        parts[i] = nonzero_part(t, std::min(tile_rows, rows.size() - i * tile_rows));
        has_zeros |= parts[i].size() < t.k;
    }
    if (!has_zeros) return;
    const bool finite = p.transb ? is_finite(p.b + depth.begin, p.ldb, p.n, t.k)
                                 : is_finite(p.b + depth.begin * p.ldb, p.ldb, t.k, p.n);
    if (!finite) std::fill_n(parts, tiles, Range{0, t.k});
}

/// What is fetched into the second-level cache while a panel is multiplied.
struct Ahead {
    LineWalk panel;  ///< What the next panel is made of. The last tiles share it, so that it is
                     ///< still there then.
    LineWalk* following;  ///< A matrix of the product that follows; the other tiles go on with it.

    void give_to(Tile& t, int64_t tiles_left, int64_t tiles) {
        constexpr int64_t most_sharing = 4;
        const int64_t sharing = std::min(tiles - 1, most_sharing);
        const bool shares = tiles_left <= sharing && !panel.is_done();
        t.ahead = shares ? &panel : following;
        t.lines_ahead = shares                 ? (panel.lines() + tiles_left - 1) / tiles_left
                        : following->is_done() ? 0
                                               : t.k;
    }
};

/// Gives a panel's rows of c to the statistics while they are in the first-level cache.
class StoredRows {
public:
    StoredRows(const StatisticsPlace& place, const float* c, int64_t step, int64_t row,
               Range columns)
        : place_(place),
          c_(c),
          step_(step),
          row_(place.row + row),
          columns_{place.column + columns.begin, place.column + columns.end} {}

    /// Stores `end` rows of the panel, of `all`.
    void stored(int64_t end, int64_t all) {
        const int64_t blocks_end = (row_ + end) % place_.rows_of_block;
        if (end - given_ < ColumnStatistics::rows_together && blocks_end != 0 && end < all) return;
        const int64_t first = row_ + given_;
        place_.statistics->add(first / place_.rows_of_block,
                               {c_ + given_ * step_, end - given_, step_}, columns_,
                               first % place_.rows_of_block == 0);
        given_ = end;
    }

private:
    const StatisticsPlace& place_;
    const float* const c_;
    const int64_t step_, row_;
    const ColumnStatistics::Columns columns_;
    int64_t given_ = 0;
};

/// A panel's columns of rows that are there, tile by tile; `next`: from a tile's a to that of the
/// next.
template <int vectors>
void compute_panel(Tile t, int64_t rows, int64_t next, const Range* parts, Ahead ahead,
                   StoredRows* measured) {
    const int64_t tile_rows = tile_shape().rows, tiles = (rows + tile_rows - 1) / tile_rows;
    for (int64_t i = 0; i < tiles; ++i) {
        const int64_t count = std::min(tile_rows, rows - i * tile_rows);
        ahead.give_to(t, tiles - i, tiles);
        if (const Range part = parts[i]; part.size() < t.k && !t.from) {
            Tile shorter = t;
            shorter.a += part.begin * t.a_step;
            shorter.panel.columns += part.begin * t.panel.row_step;
            if (t.packed) shorter.packed += part.begin * tile_rows;
            shorter.k = part.size();
            compute_rows<vectors>(shorter, count);
        } else {
            compute_rows<vectors>(t, count);
        }
        t.from = nullptr;
        t.a += next;
        if (t.packed) t.packed += tile_rows * t.k;
        if (t.plus) t.plus += tile_rows * t.plus_row;
        t.c += tile_rows * t.c_row;
        if (measured) measured->stored(i * tile_rows + count, rows);
    }
}

/// How many of the vectors that are left the next panel takes: three, but not so that one alone is
/// left over.
int64_t vectors_of_panel(int64_t left) {
    return left == 4 && tile_shape().vectors > 1 ? 2 : std::min(left, tile_shape().vectors);
}

/// What a panel of `vectors` vectors from a column on is made of, unless it is kept.
LineWalk panel_lines(const TileProduct& p, Range depth, int64_t column, int64_t vectors) {
    if (p.columns || column >= p.n) return {};
    const int64_t columns = std::min(p.n - column, vectors * tile_lanes);
    if (p.transb) return {p.b + column * p.ldb + depth.begin, p.ldb, columns, depth.size()};
    return {p.b + depth.begin * p.ldb + column, p.ldb, depth.size(), columns};
}

/// The matrices of the product that follows which stay in the second-level cache, in the order in
/// which it needs them.
class Following {
public:
    explicit Following(const TileProduct* p) {
        if (p)
            matrices_ = {lines(p->transb, p->b, p->ldb, p->k, p->n),
                         lines(p->transa, p->a, p->lda, p->m, p->k),
                         lines(false, p->c, p->ldc, p->m, p->n)};
    }
    /// The first that is not fetched, or the last.
    LineWalk* matrix() {
        while (at_ + 1 < matrices_.size() && matrices_[at_].is_done()) ++at_;
        return &matrices_[at_];
    }

private:
    static LineWalk lines(bool transposed, const float* from, int64_t row_step, int64_t rows,
                          int64_t columns) {
        constexpr int64_t most = 65'536;
        if (rows * columns > most) return {};
        return transposed ? LineWalk(from, row_step, columns, rows)
                          : LineWalk(from, row_step, rows, columns);
    }

    std::array<LineWalk, 3> matrices_;
    size_t at_ = 0;
};

/// The rows' part of c gets the products of a block of k.
void compute_block(const TileProduct& p, Range rows, Range depth, Packed& packed,
                   Following& following) {
    const int64_t tile_rows = tile_shape().rows, panel_width = tile_shape().vectors * tile_lanes;
    CATENA_ASSERT(depth.size() <= tile_shape().longest,
                  "the memory of packed rows and columns ends there");
    const bool packs = p.transa && p.n > widest_unpacked;
    int64_t next = p.transa ? tile_rows : tile_rows * p.lda;
    const float* const a =
        p.transa ? p.a + depth.begin * p.lda + rows.begin : p.a + rows.begin * p.lda + depth.begin;
    Tile t{.a = a,
           .a_row = p.transa ? 1 : p.lda,
           .a_step = p.transa ? p.lda : 1,
           .panel = {packed.panel(), panel_width},
           .k = depth.size(),
           .plus = nullptr,
           .plus_row = p.plus_row,
           .c = nullptr,
           .c_row = p.ldc,
           .last = 0,
           .from_row = p.ldb,
           .packed = packs ? packed.rows() : nullptr};
    std::array<Range, most_rows / least_tile_rows + 1> parts;
    find_parts(p, t, rows, depth, next, parts.data());
    const float* plus = p.plus;
    if (depth.begin > 0) plus = p.c, t.plus_row = p.ldc;  // What the blocks before gave.
    const int64_t all = (p.n + tile_lanes - 1) / tile_lanes;
    for (int64_t done = 0, vectors; done < all; done += vectors) {
        vectors = vectors_of_panel(all - done);
        const Range columns{done * tile_lanes, std::min(p.n, (done + vectors) * tile_lanes)};
        t.panel.row_step = vectors * tile_lanes;
        if (p.columns)
            t.panel = {
                const_cast<float*>(p.columns) + done * p.column_step + depth.begin * tile_lanes,
                tile_lanes, p.column_step};
        else if (p.transb)
            pack_turned(p, columns, depth, vectors * tile_lanes, packed.panel());
        else
            t.from = p.b + depth.begin * p.ldb + columns.begin;
        if (plus) t.plus = plus + rows.begin * t.plus_row + columns.begin;
        t.c = p.c + rows.begin * p.ldc + columns.begin;
        t.last = first_lanes(columns.size() - (vectors - 1) * tile_lanes);
        const Ahead ahead{panel_lines(p, depth, (done + vectors) * tile_lanes,
                                      vectors_of_panel(all - done - vectors)),
                          following.matrix()};
        std::optional<StoredRows> measured;
        if (p.measured && depth.end == p.k)
            measured.emplace(*p.measured, t.c, p.ldc, rows.begin, columns);
        StoredRows* const stored = measured ? &*measured : nullptr;
        vectors == 3   ? compute_panel<3>(t, rows.size(), next, parts.data(), ahead, stored)
        : vectors == 2 ? compute_panel<2>(t, rows.size(), next, parts.data(), ahead, stored)
                       : compute_panel<1>(t, rows.size(), next, parts.data(), ahead, stored);
        if (packs)
            t.a = packed.rows(), t.a_step = tile_rows, t.packed = nullptr,
            next = tile_rows * depth.size();
    }
}

}  // namespace

bool has_product_tiles() {
    static const bool able = instruction_set() != InstructionSet::none &&
                             environment::flag("CATENA_PRODUCT_TILES", true);
    return able;
}

bool are_tiles_faster(const TileProduct& p) {
    constexpr int64_t page = 4096 / sizeof(float), small = 16'000'000, long_sum = 256;
    if (!has_product_tiles() || p.m < 32 || p.n < 32 || p.k < 32) return false;
    const bool a_shares_lines = p.transa && p.lda % page == 0,
               b_shares_lines = !p.transb && p.ldb % page == 0;
    if (!has_avx512()) {
        constexpr int64_t least = 128, most_rows_kept = 512;
        if (p.transa) return a_shares_lines || (b_shares_lines && p.k >= 2 * long_sum);
        return b_shares_lines ||
               (p.m >= least && p.m <= most_rows_kept && p.n >= least && p.k >= long_sum);
    }
    const bool shares_lines = p.transa ? a_shares_lines : p.ldb % page == 0;
    return p.transb || (p.transa && p.k >= long_sum) || shares_lines || p.m * p.n * p.k <= small;
}

void multiply_in_tiles(const TileProduct& p) {
    Packed& packed = Packed::of_thread();
    const TileShape shape = tile_shape();
    const int64_t blocks = (p.k + shape.longest - 1) / shape.longest,
                  rows = p.transa ? shape.packed_rows : most_rows / shape.rows * shape.rows;
    Following following(p.following);
    for (int64_t i = 0; i < blocks; ++i)
        for (int64_t row = 0; row < p.m; row += rows)
            compute_block(p, {row, std::min(p.m, row + rows)}, block_of(p.k, i, blocks), packed,
                          following);
}

#else

bool has_product_tiles() { return false; }
bool are_tiles_faster(const TileProduct&) { return false; }
void multiply_in_tiles(const TileProduct&) { CATENA_ASSERT(false, "this processor has no tiles"); }

#endif

}  // namespace catena
