#pragma once

#include <memory>

#include "runtime/core/array/array.h"
#include "runtime/cpu/onednn/packed.h"

namespace catena {

/// How b of products c = a op(b) is kept while it is read again and again without a change
/// (runtime/cpu/onednn/packed.h).
class KeptMatrix {
public:
    /// For a [m, k] and b [k, n], or, if `transb`, [n, k], of float32. Null where keeping b does
    /// not pay. One object for all products with a b of this size and form: a program of a loop has
    /// hundreds, and oneDNN's descriptions take 1.5 KB.
    static std::shared_ptr<const KeptMatrix> find(bool transb, int64_t m, int64_t n, int64_t k);

    /// b, without gaps, as it is kept; undefined while it is not.
    Array of(const Array& b) const;
    /// Whether it is for sgemm_kept_rows() (runtime/cpu/product/kept_rows.h); else for tiles
    /// (runtime/cpu/product/kept_columns.h).
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
