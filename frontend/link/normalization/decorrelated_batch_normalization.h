#pragma once

#include "frontend/link/link.h"

namespace catena {

/// Options of a DecorrelatedBatchNormalization.
struct DecorrelatedBatchNormalizationOptions {
    int64_t groups = 16;  ///< Number of groups of channels; those of a group are whitened together.
    /// The share of a running average that an update keeps.
    double decay = 0.9;
    /// A small number added to variances.
    double eps = 2e-5;
    std::optional<Dtype> dtype = {};  ///< Dtype of the averages; default float32.
};

/// Whitens the channels of each group, as decorrelated_batch_normalization. Training mode uses the
/// statistics of the batch, which update the running averages; test mode uses the averages.
class DecorrelatedBatchNormalization : public Link {
public:
    /// `size`: the number of channels, a multiple of the groups.
    explicit DecorrelatedBatchNormalization(
        int64_t size, const DecorrelatedBatchNormalizationOptions& options = {});
    /// The whitened x. With `finetune` the averages become the means over all batches since
    /// start_finetuning().
    Variable operator()(const Operand& x, bool finetune = false);
    /// Begins the running averages anew, for training on other data.
    void start_finetuning();

    State avg_mean;        ///< Average means, [groups, size / groups].
    State avg_projection;  ///< Average whitening matrices, [groups, size / groups, size / groups].
    State N;               ///< Number of batches seen while finetuning; int64, 0-d.

private:
    Variable normalized(const Variable& x, bool finetune);
    DecorrelatedBatchNormalizationOptions options_;
};

}  // namespace catena
