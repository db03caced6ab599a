#pragma once

#include <memory>

#include "runtime/core/array.h"
#include "runtime/cpu/onednn/packed.h"

namespace catena {

/// How b of products c = a op(b) is kept while it is read again and again without a change (runtime/cpu/onednn/packed.h).
class KeptMatrix {
public:
    /// For a [m, k] and b [k, n], or, if `transb`, [n, k], of float32. Null where keeping b does not pay.
    static std::unique_ptr<const KeptMatrix> find(bool transb, int64_t m, int64_t n, int64_t k);

    /// b, without gaps, as it is kept; undefined while it is not.
    Array of(const Array& b) const;
    /// Whether it is for sgemm_kept_rows() (runtime/cpu/product/kept_rows.h); else for tiles (runtime/cpu/product/kept_columns.h).
    bool is_for_few_rows() const { return form_ == onednn::WeightForm::lanes; }

private:
    KeptMatrix(onednn::WeightForm form, int64_t n, int64_t k);
    void make(const float* b, float* kept) const;

    onednn::WeightForm form_;
    int64_t n_, k_;
    Shape shape_;
    dnnl::memory::desc from_, to_;
};

}  // namespace catena
