#include "frontend/link/normalization/decorrelated_batch_normalization.h"

#include "runtime/core/system/error.h"
#include "runtime/graph/call/recorder.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/graph/settings/config.h"
#include "runtime/ops/normalization/decorrelated.h"
#include "runtime/ops/normalization/statistics.h"

namespace catena {
namespace {

/// An identity matrix for each group.
Array identities(int64_t groups, int64_t n, Dtype dtype) {
    std::vector<double> values(size_t(groups * n * n));
    for (int64_t i = 0; i < groups * n; ++i) values[size_t(i * n + i % n)] = 1;
    return Array::from(values, Shape{groups, n, n}).astype(dtype);
}

}  // namespace

DecorrelatedBatchNormalization::DecorrelatedBatchNormalization(
    int64_t size, const DecorrelatedBatchNormalizationOptions& options)
    : N(Array::zeros({Dtype::int64, {}})), options_(options) {
    const int64_t groups = options.groups;
    if (size <= 0 || groups <= 0 || size % groups != 0)
        fail<ValueError>(
            "DecorrelatedBatchNormalization: size should be a positive multiple of groups, not {} "
            "of {}",
            size, groups);
    const Dtype dtype = options.dtype.value_or(Dtype::float32);
    avg_mean.set_array(Array::zeros({dtype, {groups, size / groups}}));
    avg_projection.set_array(identities(groups, size / groups, dtype));
    add_persistent("avg_mean", avg_mean);
    add_persistent("avg_projection", avg_projection);
    add_persistent("N", N);
}

Variable DecorrelatedBatchNormalization::operator()(const Operand& x, bool finetune) {
    LocationScope scope(x.location());
    return called(x, [&] { return normalized(x, finetune); });
}

Variable DecorrelatedBatchNormalization::normalized(const Variable& x, bool finetune) {
    if (!config().train)
        return fixed_decorrelated_batch_normalization(x, avg_mean, avg_projection, options_.groups);
    if (!finetune)
        return decorrelated_batch_normalization(x, {.groups = options_.groups,
                                                    .eps = options_.eps,
                                                    .running_mean = avg_mean,
                                                    .running_projection = avg_projection,
                                                    .decay = options_.decay});
    const Decorrelated batch = decorrelated(x, options_.groups, options_.eps);
    const auto no_graph = no_backprop_mode();
    assign(N, N + 1);
    const Variable part = 1.0 / cast(N, avg_mean.dtype());
    assign(avg_mean, avg_mean + (cast(batch.mean, avg_mean.dtype()) - avg_mean) * part);
    const Variable projection = cast(batch.projection * unbiased(batch.count), avg_mean.dtype());
    assign(avg_projection, avg_projection + (projection - avg_projection) * part);
    return batch.y;
}

void DecorrelatedBatchNormalization::start_finetuning() { assign(N, fill(N.type(), 0)); }

}  // namespace catena
