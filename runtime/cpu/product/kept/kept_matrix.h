#pragma once

#include <memory>

#include "runtime/core/array/array.h"
#include "runtime/cpu/onednn/packed.h"

namespace catena {

/// The cached form of b for products c = a op(b), made while b is read again and again without a
/// change (runtime/cpu/onednn/packed.h).
class KeptMatrix {
public:
    /// The form for a [m, k] and b [k, n], or, if `transb`, [n, k], of float32. Null where caching
    /// b does not pay. One object serves all products with a b of this size and form: a program of
    /// a loop has hundreds, and oneDNN's descriptions take 1.5 KB.
    static std::shared_ptr<const KeptMatrix> find(bool transb, int64_t m, int64_t n, int64_t k);

    /// The cached form of b, which has no gaps; undefined while there is none.
    Array of(const Array& b) const;
    /// Whether the form is for sgemm_kept_rows() (runtime/cpu/product/kept/kept_rows.h); else for
    /// tiles (runtime/cpu/product/kept/kept_columns.h).
    bool is_for_few_rows() const { return form_ == onednn::WeightForm::lanes; }

private:
    static std::shared_ptr<const KeptMatrix> shared(onednn::WeightForm form, int64_t n, int64_t k);
    KeptMatrix(onednn::WeightForm form, int64_t n, int64_t k);
    void make(const float* b, float* kept) const;

    onednn::WeightForm form_;
    int64_t n_, k_;
    Shape shape_;
    dnnl::memory::desc from_, to_;
};

}  // namespace catena
