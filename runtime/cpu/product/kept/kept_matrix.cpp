#include "runtime/cpu/product/kept/kept_matrix.h"

#include <map>
#include <mutex>
#include <tuple>

#include "runtime/core/system/fork.h"
#include "runtime/cpu/product/kept/kept_columns.h"
#include "runtime/cpu/product/kept/kept_rows.h"

namespace catena {

using onednn::WeightForm;

KeptMatrix::KeptMatrix(WeightForm form, int64_t n, int64_t k)
    : form_(form),
      n_(n),
      k_(k),
      shape_(is_for_few_rows() ? kept_rows_shape(n, k) : kept_columns_shape(n, k)),
      from_(form == WeightForm::columns ? onednn::ordered({k, n}) : onednn::ordered({n, k})),
      to_(onednn::ordered({shape_[0], shape_[1], shape_[2]})) {}

std::shared_ptr<const KeptMatrix> KeptMatrix::shared(WeightForm form, int64_t n, int64_t k) {
    static std::mutex& mutex = taken_by_forks(*new std::mutex);
    static auto& known =
        *new std::map<std::tuple<WeightForm, int64_t, int64_t>, std::weak_ptr<const KeptMatrix>>;
    const std::lock_guard lock(mutex);
    if (const auto found = known.find({form, n, k}); found != known.end())
        if (std::shared_ptr<const KeptMatrix> there = found->second.lock()) return there;
    std::erase_if(known, [](const auto& entry) { return entry.second.expired(); });
    const std::shared_ptr<const KeptMatrix> made(new KeptMatrix(form, n, k));
    known.emplace(std::tuple(form, n, k), made);
    return made;
}

std::shared_ptr<const KeptMatrix> KeptMatrix::find(bool transb, int64_t m, int64_t n, int64_t k) {
    if (transb && are_kept_rows_faster(m, n, k)) return shared(WeightForm::lanes, n, k);
    if (are_kept_columns_faster(transb, m, n, k))
        return shared(transb ? WeightForm::turned_columns : WeightForm::columns, n, k);
    return nullptr;
}

void KeptMatrix::make(const float* b, float* kept) const {
    if (is_for_few_rows()) return turn_into_rows(b, n_, k_, kept);
    if (form_ == WeightForm::turned_columns) return turn_into_columns(b, n_, k_, kept);
    copy_into_columns(b, n_, k_, kept);
}

Array KeptMatrix::of(const Array& b) const {
    return onednn::form_if_kept(b, form_, from_, to_, [this, &b] {
        const Array made = Array::empty({Dtype::float32, shape_}, b.device());
        make(b.elements<float>(), made.to_fill<float>());
        return made;
    });
}

}  // namespace catena
