#pragma once

#include <algorithm>

#include "runtime/core/array/array.h"
#include "runtime/core/parallel/parallel.h"
#include "runtime/cpu/product/matrices.h"
#include "runtime/cpu/machine.h"

namespace catena {

/// The products of the matrices of two arrays, as matmul_arrays() defines them
/// (runtime/cpu/product/gemm.h): how a library that takes a distance between rows reads them, and
/// the walk over them. Only shapes and strides matter.
class ProductBatches {
public:
    /// Whether an operand can be read without a copy; every row-major one can. `batch`: the axes of
    /// y before its last two.
    static bool reads(const Array& operand, bool transposed, const Shape& batch);

    /// Prepares products of operands that can be read, and a row-major y with elements.
    ProductBatches(const Array& a, const Array& b, bool transa, bool transb, const Array& y);

    /// Whether there is a single product of two matrices.
    bool is_single() const { return count_ == 1; }

    struct Operand {
        bool transposed;
        int64_t stride;  ///< Distance between stored rows.
        Strides batch_strides;
    };
    int64_t m, n, k;
    Operand a, b;

    /// The offsets of a product's matrices in a, b and y, in elements.
    struct Place {
        int64_t a, b, y;
    };
    /// Calls f(place, next place, is alone) for every product. The next place is that of the
    /// product this thread computes next, or null. Small products run on several threads at once;
    /// others run alone.
    template <class F>
    void for_each(F&& f) const {
        constexpr int64_t large = 8'000'000;
        const int64_t work = m * n * k;
        if (count_ < 2 * thread_count() || work >= large) {
            for (int64_t i = 0; i < count_; ++i) f(place(i), nullptr, true);
            return;
        }
        parallel_for(count_, machine::grain_of_products(work / 2), [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
                const Place next = place(std::min(i + 1, end - 1));
                f(place(i), i + 1 < end ? &next : nullptr, false);
            }
        });
    }

private:
    Place place(int64_t i) const {
        return {batch_offset(batch_, a.batch_strides, i), batch_offset(batch_, b.batch_strides, i),
                i * m * n};
    }

    Shape batch_;
    int64_t count_;
};

}  // namespace catena
