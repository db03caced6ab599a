#include "runtime/cpu/product/packed_matrix.h"

#include <algorithm>
#include <cstring>

#include "runtime/core/parallel/parallel.h"
#include "runtime/core/simd/vector_widths.h"
#include "runtime/core/system/error.h"
#include "runtime/cpu/machine.h"

namespace catena {
namespace {

/// The bytes of a panel's row, which are a row's sums.
constexpr int panel_bytes = 128;

/// Rows of a tile, so that its sums stay in registers: 32 of 64 bytes, or 16 of 32 or 16 bytes.
constexpr int64_t rows_of_tile(int bytes) { return bytes == 64 ? 8 : bytes == 32 ? 3 : 1; }

/// Rows of a and c times a panel, whose first `width` columns are there.
template <class T>
struct Panel {
    const T* packed;
    int64_t k, width;
    Rows<const T> a;
    Rows<T> c;
    bool adds;
    bool ahead;  ///< Whether the matrix of few rows is asked for ahead.
};

/// A row's sums.
template <class T, int bytes>
struct Sum {
    using V = Vector<T, bytes>;
    static constexpr int parts = panel_bytes / bytes;
    typename V::Type part[parts]{};
};
template <class T, int bytes>
CATENA_INLINE Sum<T, bytes> load_parts(const T* from) {
    Sum<T, bytes> sum;
#pragma GCC unroll 8
    for (int j = 0; j < Sum<T, bytes>::parts; ++j)
        sum.part[j] = Vector<T, bytes>::load(from + j * Vector<T, bytes>::lanes);
    return sum;
}
template <class T, int bytes>
CATENA_INLINE void store_parts(const Sum<T, bytes>& sum, T* to) {
#pragma GCC unroll 8
    for (int j = 0; j < Sum<T, bytes>::parts; ++j)
        std::memcpy(to + j * Vector<T, bytes>::lanes, &sum.part[j], bytes);
}
/// The last panel has fewer columns: what is beyond them is not touched.
template <class T, int bytes>
CATENA_INLINE Sum<T, bytes> load_sum(const T* from, int64_t width) {
    constexpr int64_t columns = panel_bytes / sizeof(T);
    if (width == columns) return load_parts<T, bytes>(from);
    T row[columns] = {};
    for (int64_t j = 0; j < width; ++j) row[j] = from[j];
    return load_parts<T, bytes>(row);
}
template <class T, int bytes>
CATENA_INLINE void store_sum(const Sum<T, bytes>& sum, T* to, int64_t width) {
    constexpr int64_t columns = panel_bytes / sizeof(T);
    if (width == columns) return store_parts(sum, to);
    T row[columns];
    store_parts(sum, row);
    for (int64_t j = 0; j < width; ++j) to[j] = row[j];
}

/// Few rows wait for the elements of the panel, which come from a large cache: where the processor
/// does not ask for them early enough itself, they are asked for this far ahead, and beyond the end
/// of the panel, where the next one stands.
template <class T>
constexpr int64_t elements_ahead = 2048 / sizeof(T);

/// Whether the matrix is asked for ahead: on a Zen 4 a step of one row takes 24 us without and 30
/// with it, on a Zen 5 19 and 16 (the R of an LSTM of 512 units, two threads).
bool asks_ahead() {
#if defined(__x86_64__)
    static const bool is_older = __builtin_cpu_is("amdfam17h") || __builtin_cpu_is("amdfam19h");
    return !is_older;
#else
    return true;
#endif
}

/// Few rows would wait for each addition: k is dealt out to several sums, eight registers of them,
/// which are added at the end.
constexpr int sums_of(int rows, int bytes) {
    return rows >= 3 ? 1 : std::max(1, bytes / 16 / rows);
}

template <class T, int bytes, int rows, bool ahead>
CATENA_INLINE void multiply_tile(const Panel<T>& p) {
    using V = Vector<T, bytes>;
    constexpr int count = sums_of(rows, bytes), parts = Sum<T, bytes>::parts;
    constexpr int64_t columns = panel_bytes / sizeof(T);
    Sum<T, bytes> sum[count][rows];
    if (p.adds)
#pragma GCC unroll 8
        for (int i = 0; i < rows; ++i)
            sum[0][i] = load_sum<T, bytes>(p.c.first + i * p.c.stride, p.width);
    const auto add = [&](int to, int64_t q) __attribute__((always_inline)) {
        const T *b = p.packed + q * columns, *a = p.a.first + q;
        if constexpr (ahead) {
            __builtin_prefetch(b + elements_ahead<T>);
            __builtin_prefetch(b + elements_ahead<T> + columns / 2);
        }
#pragma GCC unroll 8
        for (int j = 0; j < parts; ++j) {
            const typename V::Type some = V::load(b + j * V::lanes);
#pragma GCC unroll 8
            for (int i = 0; i < rows; ++i) sum[to][i].part[j] += a[i * p.a.stride] * some;
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
        for (int other = 1; other < count; ++other)
#pragma GCC unroll 8
            for (int j = 0; j < parts; ++j) sum[0][i].part[j] += sum[other][i].part[j];
        store_sum<T, bytes>(sum[0][i], p.c.first + i * p.c.stride, p.width);
    }
}

template <int bytes, class T, int rows = 1>
CATENA_INLINE void multiply_rows(const Panel<T>& p, int64_t count) {
    if constexpr (rows < rows_of_tile(bytes))
        if (count > rows) return multiply_rows<bytes, T, rows + 1>(p, count);
    if constexpr (rows <= 2)
        if (p.ahead) return multiply_tile<T, bytes, rows, true>(p);
    multiply_tile<T, bytes, rows, false>(p);
}

/// Computes all rows in as many tiles as they need, as even as they can be.
template <int bytes, class T>
CATENA_INLINE void run_of(Panel<T> p, int64_t rows) {
    const Rows<const T> a = p.a;
    const Rows<T> c = p.c;
    const int64_t tiles = (rows + rows_of_tile(bytes) - 1) / rows_of_tile(bytes);
    for (int64_t tile = 0; tile < tiles; ++tile) {
        const int64_t begin = rows * tile / tiles, end = rows * (tile + 1) / tiles;
        p.a.first = a.first + begin * a.stride;
        p.c.first = c.first + begin * c.stride;
        multiply_rows<bytes, T>(p, end - begin);
    }
}

CATENA_VECTOR_WIDTHS(void, run, (const Panel<float>& p, int64_t rows), (p, rows))
CATENA_VECTOR_WIDTHS(void, run, (const Panel<double>& p, int64_t rows), (p, rows))

}  // namespace

template <class T>
void PackedMatrix<T>::pack(const T* from, int64_t k, int64_t n, int64_t row_stride,
                           int64_t column_stride, T* to, int64_t panel_stride) {
    parallel_for(
        panels_of(n), machine::grain_of_elements(k * panel_width), [&](int64_t begin, int64_t end) {
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
void PackedMatrix<T>::multiply(int64_t panel, int64_t rows, Rows<const T> a, Rows<T> c,
                               bool adds) const {
    run({.packed = packed_ + panel * panel_stride_,
         .k = k_,
         .width = std::min(panel_width, n_ - panel * panel_width),
         .a = a,
         .c = c,
         .adds = adds,
         .ahead = asks_ahead()},
        rows);
}

template class PackedMatrix<float>;
template class PackedMatrix<double>;

}  // namespace catena
