#pragma once

#include "frontend/link/link.h"

namespace catena {

struct DecorrelatedBatchNormalizationOptions {
    int64_t groups = 16;  ///< Of channels, which are whitened together.
    double decay = 0.9;
    double eps = 2e-5;
    std::optional<Dtype> dtype = {};  ///< Of the averages; default float32.
};

/// decorrelated_batch_normalization: whitens the channels of each group, with the statistics of the
/// batch in training mode, which update the running averages, and otherwise with the averages.
class DecorrelatedBatchNormalization : public Link {
public:
    /// `size`: the number of channels, a multiple of the groups.
    explicit DecorrelatedBatchNormalization(
        int64_t size, const DecorrelatedBatchNormalizationOptions& options = {});
    /// With `finetune` the averages become the means over all batches since start_finetuning().
    Variable operator()(const Operand& x, bool finetune = false);
    void start_finetuning();

    State avg_mean;        ///< [groups, size / groups]
    State avg_projection;  ///< [groups, size / groups, size / groups]
    State N;               ///< int64, 0-d: batches seen while finetuning.

private:
    Variable normalized(const Variable& x, bool finetune);
    DecorrelatedBatchNormalizationOptions options_;
};

}  // namespace catena
