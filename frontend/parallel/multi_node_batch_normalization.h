#pragma once

#include <memory>

#include "frontend/link/batch_normalization.h"
#include "runtime/comm/communicator.h"

namespace catena {

/// Batch normalisation over axis 1 with the statistics of all ranks' batches together, which must
/// have equally many rows. In test mode as BatchNormalization. The variance is E[x^2] - E[x]^2.
class MultiNodeBatchNormalization : public Link {
public:
    /// Of `options`, `axis` must be empty (ValueError).
    MultiNodeBatchNormalization(int64_t size, std::shared_ptr<Communicator> communicator,
                                const BatchNormalizationLinkOptions& options = {});

    /// With `finetune` the averages become those of all batches since start_finetuning().
    Variable operator()(const Operand& x, bool finetune = false);
    void start_finetuning();
    std::vector<std::pair<std::string, std::string>> printable_specs() const override;

    Parameter gamma, beta;  ///< Hold nothing without use_gamma, use_beta.
    State avg_mean, avg_var;
    State N;  ///< int64, 0-d: batches seen while finetuning.

private:
    void follow(const Variable& mean, const Variable& variance, double count, bool finetune);
    std::shared_ptr<Communicator> communicator_;
    BatchNormalizationLinkOptions options_;
    Cell decay_;
};

}  // namespace catena
