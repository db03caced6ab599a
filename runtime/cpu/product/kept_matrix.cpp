#include "runtime/cpu/product/kept_matrix.h"

#include "runtime/cpu/product/kept_columns.h"
#include "runtime/cpu/product/kept_rows.h"

namespace catena {

KeptMatrix::KeptMatrix(bool few_rows, int64_t n, int64_t k)
    : form_(few_rows ? onednn::WeightForm::lanes : onednn::WeightForm::columns), n_(n), k_(k),
      shape_(few_rows ? kept_rows_shape(n, k) : kept_columns_shape(n, k)), from_(onednn::ordered({n, k})),
      to_(onednn::ordered({shape_[0], shape_[1], shape_[2]})) {}

std::unique_ptr<const KeptMatrix> KeptMatrix::find(int64_t m, int64_t n, int64_t k) {
    const bool few_rows = are_kept_rows_faster(m, n, k);
    if (!few_rows && !are_kept_columns_faster(m, n, k)) return nullptr;
    return std::unique_ptr<const KeptMatrix>(new KeptMatrix(few_rows, n, k));
}

Array KeptMatrix::of(const Array& b) const {
    return onednn::form_if_kept(b, form_, from_, to_, [this, &b] {
        const Array made = Array::empty({Dtype::float32, shape_}, b.device());
        (is_for_few_rows() ? turn_into_rows : turn_into_columns)(b.elements<float>(), n_, k_, made.to_fill<float>());
        return made;
    });
}

}  // namespace catena
