#include "runtime/cpu/product/gemm.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "runtime/core/parallel/parallel.h"
#include "runtime/cpu/product/bfloat16.h"
#include "runtime/cpu/product/double_product.h"
#include "runtime/cpu/product/float_product.h"
#include "runtime/cpu/product/matrices.h"
#include "runtime/cpu/machine.h"

namespace catena {
namespace {

/// Gives f operands that ProductBatches reads.
template <class F>
void with_readable(const Array& a, const Array& b, bool transa, bool transb, const Array& y,
                   F&& f) {
    const Shape batch = batch_of(y);
    f(ProductBatches::reads(a, transa, batch) ? a : a.as_contiguous(),
      ProductBatches::reads(b, transb, batch) ? b : b.as_contiguous());
}

void matmul_float(const Array& a, const Array& b, bool transa, bool transb, const Array& y,
                  bool accumulate) {
    with_readable(a, b, transa, transb, y, [&](const Array& from, const Array& by) {
        FloatProduct(from, by, transa, transb, y)
            .run(from.elements<float>(), by, y.to_fill<float>(), accumulate);
    });
}

/// y is bfloat16 or float32.
void matmul_bfloat16(const Array& a, const Array& b, bool transa, bool transb, const Array& y) {
    with_readable(a, b, transa, transb, y, [&](const Array& from, const Array& by) {
        const ProductBatches p(from, by, transa, transb, y);
        char* const to = static_cast<char*>(y.to_fill());
        p.for_each([&](const ProductBatches::Place& at, const ProductBatches::Place*, bool) {
            multiply_bfloat16({.transa = p.a.transposed,
                               .transb = p.b.transposed,
                               .m = p.m,
                               .n = p.n,
                               .k = p.k,
                               .a = from.elements<BFloat16>() + at.a,
                               .lda = p.a.stride,
                               .b = by.elements<BFloat16>() + at.b,
                               .ldb = p.b.stride,
                               .c = to + at.y * int64_t(size_of(y.dtype())),
                               .ldc = p.n,
                               .c_dtype = y.dtype()});
        });
    });
}

/// float32 sums of bfloat16 products are the same from bfloat16 operands as from widened ones, but
/// for their order.
bool takes_bfloat16(const Array& a, const Array& b, const Array& y, bool accumulate) {
    const bool gives = y.dtype() == Dtype::bfloat16 || y.dtype() == Dtype::float32;
    return has_bfloat16_products() && !accumulate && gives && a.dtype() == Dtype::bfloat16 &&
           b.dtype() == Dtype::bfloat16;
}

/// Rows [begin, end) of y = a b; b is row-major.
template <class T>
void multiply_rows(const T* a, const Matrices& ma, const T* b, int64_t n, int64_t k, T* y,
                   int64_t begin, int64_t end) {
    using Sum = uint64_t;
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
        parallel_for(m, machine::grain_of_elements(n * k), [&](int64_t begin, int64_t end) {
            multiply_rows(pa, ma, row_major.data(), n, k, py, begin, end);
        });
    }
}

void matmul_double(const Array& a, const Array& b, bool transa, bool transb, const Array& y) {
    const Shape batch = batch_of(y);
    const Matrices ma = matrices_of(a, transa, batch), mb = matrices_of(b, transb, batch);
    const int64_t m = ma.rows, n = mb.columns, k = ma.columns;
    if (k == 0) return std::fill(y.to_fill<double>(), y.to_fill<double>() + y.size(), 0.0);
    const bool is_read_as_it_is = ma.column_stride == 1;
    std::vector<double> packed(static_cast<size_t>(DoubleProduct::packed_size(k, n))),
        rows(is_read_as_it_is ? 0 : size_t(m * k));
    int64_t packed_at = -1;
    for (int64_t i = 0; i < element_count(batch); ++i) {
        if (const int64_t at = batch_offset(batch, mb.batch_strides, i);
            at != std::exchange(packed_at, at))
            PackedMatrix<double>::pack(mb.array.elements<double>() + at, k, n, mb.row_stride,
                                       mb.column_stride, packed.data(),
                                       DoubleProduct::packed_step(k));
        const double* from = ma.array.elements<double>() + batch_offset(batch, ma.batch_strides, i);
        for (int64_t r = 0; r < m && !is_read_as_it_is; ++r)
            for (int64_t p = 0; p < k; ++p)
                rows[size_t(r * k + p)] = from[r * ma.row_stride + p * ma.column_stride];
        const Rows<const double> left = is_read_as_it_is ? Rows<const double>{from, ma.row_stride}
                                                         : Rows<const double>{rows.data(), k};
        DoubleProduct{.m = m,
                      .n = n,
                      .k = k,
                      .a = left,
                      .b = packed.data(),
                      .c = {y.to_fill<double>() + i * m * n, n}}
            .run();
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
            return matmul_double(same_a, same_b, transa, transb, y);
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
