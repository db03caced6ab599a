#include "runtime/cpu/gemm.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "runtime/core/parallel.h"
#include "runtime/cpu/bfloat16.h"

namespace catena {
namespace {

/// Batches of matrices smaller than this are divided among threads by matrix.
constexpr int64_t large_matrix = 8'000'000;

/// Matrices of an array after op(), with the walk over its batches.
struct Matrices {
    Array array;
    int64_t rows, columns, row_stride, column_stride;
    Strides batch_strides;  ///< One per batch axis of y; 0 where broadcast.
};

Matrices matrices_of(const Array& array, bool transposed, const Shape& batch) {
    int rank = array.rank();
    Matrices m{array,
               array.dim(rank - 2),
               array.dim(rank - 1),
               array.strides()[rank - 2],
               array.strides()[rank - 1],
               Strides::filled(batch.rank(), 0)};
    if (transposed) {
        std::swap(m.rows, m.columns);
        std::swap(m.row_stride, m.column_stride);
    }
    int lead = batch.rank() - (rank - 2);
    for (int i = 0; i < rank - 2; ++i)
        if (array.dim(i) != 1) m.batch_strides[lead + i] = array.strides()[i];
    return m;
}

Shape batch_of(const Array& y) { return Shape(std::span(y.shape().begin(), size_t(y.rank() - 2))); }

/// Element offset of batch `index` (row-major over `batch`).
int64_t batch_offset(const Shape& batch, const Strides& strides, int64_t index) {
    int64_t offset = 0;
    for (int i = batch.rank() - 1; i >= 0; --i) {
        offset += index % batch[i] * strides[i];
        index /= batch[i];
    }
    return offset;
}

/// What sgemm can read without a copy: one unit stride, the other at least as long as a row.
bool find_layout(const Matrices& m, bool& transposed, int64_t& stride) {
    if (m.column_stride == 1 || m.columns <= 1) {
        transposed = false;
        stride = m.rows <= 1 ? m.columns : m.row_stride;
        if (stride >= std::max<int64_t>(m.columns, 1)) return true;
    }
    if (m.row_stride == 1 || m.rows <= 1) {
        transposed = true;
        stride = m.columns <= 1 ? m.rows : m.column_stride;
        if (stride >= std::max<int64_t>(m.rows, 1)) return true;
    }
    return false;
}

/// As matrices_of, copied where sgemm could not read it.
Matrices readable(const Array& array, bool transposed, const Shape& batch, bool& flag,
                  int64_t& stride) {
    Matrices m = matrices_of(array, transposed, batch);
    if (!find_layout(m, flag, stride)) {
        m = matrices_of(array.as_contiguous(), transposed, batch);
        // A broadcast view is flagged by its strides, never by its layout, so this always succeeds.
        if (!find_layout(m, flag, stride)) {
            flag = false;
            stride = std::max<int64_t>(m.columns, 1);
        }
    }
    return m;
}

/// One product of a batch: operands with their flags and distances between rows, and where its result goes.
struct Operands {
    const void* a;
    bool transa;
    int64_t lda;
    const void* b;
    bool transb;
    int64_t ldb;
    void* y;
    int64_t m, n, k;
};

/// multiply(operands) for each matrix of y; the arrays have the dtypes that it takes.
template <class Multiply>
void for_each_matrix(const Array& a, const Array& b, bool transa, bool transb, const Array& y, Multiply&& multiply) {
    Shape batch = batch_of(y);
    bool flag_a, flag_b;
    int64_t lda, ldb;
    Matrices ma = readable(a, transa, batch, flag_a, lda);
    Matrices mb = readable(b, transb, batch, flag_b, ldb);
    int64_t m = ma.rows, n = mb.columns, k = ma.columns, count = element_count(batch);
    const int64_t element = int64_t(size_of(a.dtype())), y_element = int64_t(size_of(y.dtype()));
    const char* pa = static_cast<const char*>(ma.array.elements());
    const char* pb = static_cast<const char*>(mb.array.elements());
    char* py = static_cast<char*>(y.to_fill());
    auto one = [&](int64_t i) {
        multiply(Operands{pa + batch_offset(batch, ma.batch_strides, i) * element, flag_a, lda,
                          pb + batch_offset(batch, mb.batch_strides, i) * element, flag_b, ldb,
                          py + i * m * n * y_element, m, n, k});
    };
    int64_t work = m * n * k;
    if (count < 2 * thread_count() || work >= large_matrix) {
        for (int64_t i = 0; i < count; ++i) one(i);
    } else {
        int64_t grain = 1 + 500'000 / std::max<int64_t>(work, 1);
        parallel_for(count, grain, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) one(i);
        });
    }
}

void matmul_float(const Array& a, const Array& b, bool transa, bool transb, const Array& y,
                  bool accumulate) {
    for_each_matrix(a, b, transa, transb, y, [&](const Operands& o) {
        sgemm(o.transa, o.transb, o.m, o.n, o.k, 1, static_cast<const float*>(o.a), o.lda,
              static_cast<const float*>(o.b), o.ldb, accumulate ? 1 : 0, static_cast<float*>(o.y), o.n);
    });
}

/// y is bfloat16 or float32.
void matmul_bfloat16(const Array& a, const Array& b, bool transa, bool transb, const Array& y) {
    for_each_matrix(a, b, transa, transb, y, [&](const Operands& o) {
        multiply_bfloat16({.transa = o.transa, .transb = o.transb, .m = o.m, .n = o.n, .k = o.k,
                           .a = static_cast<const BFloat16*>(o.a), .lda = o.lda,
                           .b = static_cast<const BFloat16*>(o.b), .ldb = o.ldb,
                           .c = o.y, .ldc = o.n, .c_dtype = y.dtype()});
    });
}

/// float32 sums of bfloat16 products are the same from bfloat16 operands as from widened ones, but for their order.
bool takes_bfloat16(const Array& a, const Array& b, const Array& y, bool accumulate) {
    const bool gives = y.dtype() == Dtype::bfloat16 || y.dtype() == Dtype::float32;
    return has_bfloat16_products() && !accumulate && gives && a.dtype() == Dtype::bfloat16 && b.dtype() == Dtype::bfloat16;
}

template <class T>
struct Accumulator {
    using type = uint64_t;
};
template <>
struct Accumulator<double> {
    using type = double;
};

/// Rows [begin, end) of y = a b; b is row-major.
template <class T>
void multiply_rows(const T* a, const Matrices& ma, const T* b, int64_t n, int64_t k, T* y,
                   int64_t begin, int64_t end) {
    using Sum = typename Accumulator<T>::type;
    constexpr int64_t block = 256;
    Sum sums[block];
    for (int64_t j0 = 0; j0 < n; j0 += block) {
        int64_t width = std::min(block, n - j0);
        for (int64_t i = begin; i < end; ++i) {
            std::fill(sums, sums + width, Sum());
            for (int64_t p = 0; p < k; ++p) {
                Sum factor = Sum(a[i * ma.row_stride + p * ma.column_stride]);
                const T* row = b + p * n + j0;
                for (int64_t j = 0; j < width; ++j) sums[j] += factor * Sum(row[j]);
            }
            for (int64_t j = 0; j < width; ++j) y[i * n + j0 + j] = T(sums[j]);
        }
    }
}

template <class T>
void matmul_loops(const Array& a, const Array& b, bool transa, bool transb, const Array& y) {
    Shape batch = batch_of(y);
    Matrices ma = matrices_of(a, transa, batch), mb = matrices_of(b, transb, batch);
    int64_t m = ma.rows, n = mb.columns, k = ma.columns;
    std::vector<T> row_major(size_t(k * n) + 1);
    for (int64_t i = 0; i < element_count(batch); ++i) {
        const T* pb = mb.array.elements<T>() + batch_offset(batch, mb.batch_strides, i);
        for (int64_t p = 0; p < k; ++p)
            for (int64_t j = 0; j < n; ++j)
                row_major[p * n + j] = pb[p * mb.row_stride + j * mb.column_stride];
        const T* pa = ma.array.elements<T>() + batch_offset(batch, ma.batch_strides, i);
        T* py = y.to_fill<T>() + i * m * n;
        parallel_for(m, 1 + 30'000 / (n * k + 1), [&](int64_t begin, int64_t end) {
            multiply_rows(pa, ma, row_major.data(), n, k, py, begin, end);
        });
    }
}

void matmul_bool(const Array& a, const Array& b, bool transa, bool transb, const Array& y) {
    Array counts = Array::empty({Dtype::int64, y.shape()}, y.device());
    matmul_loops<int64_t>(a.astype(Dtype::int64), b.astype(Dtype::int64), transa, transb, counts);
    const int64_t* from = counts.elements<int64_t>();
    bool* to = y.to_fill<bool>();
    for (int64_t i = 0; i < y.size(); ++i) to[i] = from[i] != 0;
}

}  // namespace

void matmul_arrays(const Array& a, const Array& b, bool transa, bool transb, const Array& y,
                   bool accumulate) {
    Dtype dtype = y.dtype();
    if (y.size() == 0) return;
    if (takes_bfloat16(a, b, y, accumulate)) return matmul_bfloat16(a, b, transa, transb, y);
    if (dtype == Dtype::float16 || dtype == Dtype::bfloat16) {
        Array wide = Array::empty({Dtype::float32, y.shape()}, y.device());
        matmul_float(a.astype(Dtype::float32), b.astype(Dtype::float32), transa, transb, wide,
                     false);
        copy_elements(wide, y);
        return;
    }
    Array same_a = a.astype(dtype), same_b = b.astype(dtype);
    switch (dtype) {
        case Dtype::float32:
            return matmul_float(same_a, same_b, transa, transb, y, accumulate);
        case Dtype::float64:
            return matmul_loops<double>(same_a, same_b, transa, transb, y);
        case Dtype::int8:
            return matmul_loops<int8_t>(same_a, same_b, transa, transb, y);
        case Dtype::int16:
            return matmul_loops<int16_t>(same_a, same_b, transa, transb, y);
        case Dtype::int32:
            return matmul_loops<int32_t>(same_a, same_b, transa, transb, y);
        case Dtype::int64:
            return matmul_loops<int64_t>(same_a, same_b, transa, transb, y);
        case Dtype::uint8:
            return matmul_loops<uint8_t>(same_a, same_b, transa, transb, y);
        default:
            return matmul_bool(same_a, same_b, transa, transb, y);
    }
}

}  // namespace catena
