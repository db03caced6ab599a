#include "runtime/cpu/product/packed_matrix.h"

#include <algorithm>
#include <cstring>

#include "runtime/core/error.h"
#include "runtime/core/parallel.h"
#include "runtime/core/vector_code.h"

namespace catena {
namespace {

/// Rows of a tile, so that its sums, two vectors of 64 bytes a row, stay in registers.
constexpr int64_t most_rows = 8;
int64_t rows_of_tile() {
#if defined(__x86_64__)
    static const int64_t rows = __builtin_cpu_supports("avx512f") ? most_rows : 3;
    return rows;
#else
    return 4;
#endif
}

/// Elements below which a second thread does not pay for packing.
constexpr int64_t elements_per_thread = 30'000;

/// Rows of a and c times a panel, whose first `width` columns are there.
template <class T>
struct Panel {
    const T* packed;
    int64_t k, width;
    Rows<const T> a;
    Rows<T> c;
    bool adds;
    bool ahead;  ///< Of few rows.
};

template <class T>
struct Sum {
    typename Vector<T>::Type left{}, right{};
};
/// The last panel has fewer columns: what is beyond them is not touched.
template <class T>
CATENA_INLINE Sum<T> load_sum(const T* from, int64_t width) {
    using V = Vector<T>;
    if (width == 2 * V::lanes) return {V::load(from), V::load(from + V::lanes)};
    T row[2 * V::lanes] = {};
    for (int64_t j = 0; j < width; ++j) row[j] = from[j];
    return {V::load(row), V::load(row + V::lanes)};
}
template <class T>
CATENA_INLINE void store_sum(const Sum<T>& sum, T* to, int64_t width) {
    constexpr int64_t lanes = Vector<T>::lanes;
    if (width == 2 * lanes) {
        std::memcpy(to, &sum.left, sizeof sum.left);
        std::memcpy(to + lanes, &sum.right, sizeof sum.right);
        return;
    }
    for (int64_t j = 0; j < width; ++j) to[j] = j < lanes ? sum.left[j] : sum.right[j - lanes];
}

/// Few rows wait for the elements of the panel, which come from a large cache: where the processor does not ask for them early enough itself, they are asked for
/// this far ahead, and beyond the end of the panel, where the next one stands.
template <class T>
constexpr int64_t elements_ahead = 2048 / sizeof(T);

/// On a Zen 4 a step of one row takes 24 us without and 30 with it, on a Zen 5 19 and 16 (the R of an LSTM of 512 units, two threads).
bool asks_ahead() {
#if defined(__x86_64__)
    static const bool is_older = __builtin_cpu_is("amdfam17h") || __builtin_cpu_is("amdfam19h");
    return !is_older;
#else
    return true;
#endif
}

/// Few rows would wait for each addition: k is dealt out to several sums, which are added at the end.
constexpr int sums_of(int rows) { return rows == 1 ? 4 : rows == 2 ? 2 : 1; }

template <class T, int rows, bool ahead>
CATENA_INLINE void multiply_tile(const Panel<T>& p) {
    using V = Vector<T>;
    constexpr int count = sums_of(rows);
    Sum<T> sum[count][rows];
    if (p.adds)
#pragma GCC unroll 8
        for (int i = 0; i < rows; ++i) sum[0][i] = load_sum(p.c.first + i * p.c.stride, p.width);
    const auto add = [&](int to, int64_t q) __attribute__((always_inline)) {
        const T *b = p.packed + q * 2 * V::lanes, *a = p.a.first + q;
        if constexpr (ahead) {
            __builtin_prefetch(b + elements_ahead<T>);
            __builtin_prefetch(b + elements_ahead<T> + V::lanes);
        }
        const typename V::Type left = V::load(b), right = V::load(b + V::lanes);
#pragma GCC unroll 8
        for (int i = 0; i < rows; ++i) {
            const T factor = a[i * p.a.stride];
            sum[to][i].left += factor * left;
            sum[to][i].right += factor * right;
        }
    };
    int64_t q = 0;
    for (; q + count <= p.k; q += count)
#pragma GCC unroll 4
        for (int to = 0; to < count; ++to) add(to, q + to);
    for (; q < p.k; ++q) add(0, q);
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 4
        for (int other = 1; other < count; ++other) {
            sum[0][i].left += sum[other][i].left;
            sum[0][i].right += sum[other][i].right;
        }
        store_sum(sum[0][i], p.c.first + i * p.c.stride, p.width);
    }
}

template <class T>
CATENA_INLINE void multiply_rows(const Panel<T>& p, int64_t rows) {
    switch (rows) {
        case 1: return p.ahead ? multiply_tile<T, 1, true>(p) : multiply_tile<T, 1, false>(p);
        case 2: return p.ahead ? multiply_tile<T, 2, true>(p) : multiply_tile<T, 2, false>(p);
        case 3: return multiply_tile<T, 3, false>(p);
        case 4: return multiply_tile<T, 4, false>(p);
        case 5: return multiply_tile<T, 5, false>(p);
        case 6: return multiply_tile<T, 6, false>(p);
        case 7: return multiply_tile<T, 7, false>(p);
        case 8: return multiply_tile<T, 8, false>(p);
    }
    CATENA_ASSERT(false, "a tile of more rows");
}

CATENA_VECTOR_CODE void run(const Panel<float>& p, int64_t rows) { multiply_rows(p, rows); }
CATENA_VECTOR_CODE void run(const Panel<double>& p, int64_t rows) { multiply_rows(p, rows); }

}  // namespace

template <class T>
void PackedMatrix<T>::pack(const T* from, int64_t k, int64_t n, int64_t row_stride, int64_t column_stride, T* to, int64_t panel_stride) {
    parallel_for(panels_of(n), 1 + elements_per_thread / (k * panel_width + 1), [&](int64_t begin, int64_t end) {
        for (int64_t panel = begin; panel < end; ++panel) {
            const int64_t first = panel * panel_width, width = std::min(panel_width, n - first);
            T* row = to + panel * panel_stride;
            const T* columns = from + first * column_stride;
            for (int64_t p = 0; p < k; ++p, row += panel_width, columns += row_stride) {
                if (column_stride == 1)
                    std::copy_n(columns, width, row);
                else
                    for (int64_t j = 0; j < width; ++j) row[j] = columns[j * column_stride];
                std::fill(row + width, row + panel_width, T(0));
            }
        }
    });
}

template <class T>
void PackedMatrix<T>::multiply(int64_t panel, int64_t rows, Rows<const T> a, Rows<T> c, bool adds) const {
    const int64_t first = panel * panel_width, tiles = (rows + rows_of_tile() - 1) / rows_of_tile();
    for (int64_t tile = 0; tile < tiles; ++tile) {
        const int64_t begin = rows * tile / tiles, end = rows * (tile + 1) / tiles;
        run(Panel<T>{.packed = packed_ + panel * panel_stride_, .k = k_, .width = std::min(panel_width, n_ - first),
                     .a = {a.first + begin * a.stride, a.stride}, .c = {c.first + begin * c.stride, c.stride}, .adds = adds, .ahead = asks_ahead()},
            end - begin);
    }
}

template class PackedMatrix<float>;
template class PackedMatrix<double>;

}  // namespace catena
