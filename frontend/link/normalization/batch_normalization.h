#pragma once

#include <memory>

#include "frontend/link/link.h"
#include "runtime/graph/variable/scalar_operand.h"

namespace catena {

class Communicator;

struct BatchNormalizationLinkOptions {
    double decay = 0.9;
    double eps = 2e-5;
    /// Dtype of the parameters and statistics; default config().dtype.
    std::optional<Dtype> dtype = {};
    bool use_gamma = true;
    bool use_beta = true;
    Initializer initial_gamma = 1.0;
    Initializer initial_beta = 0.0;
    /// The axes that are averaged over; empty: all but axis 1, or all but those for which the
    /// constructor's `size` gives sizes.
    Axes axis = {};
    Initializer initial_avg_mean = 0.0;
    Initializer initial_avg_var = 1.0;
};

/// Batch normalisation. In training mode it uses the statistics of the batch and updates the
/// running averages; otherwise it uses the averages.
class BatchNormalization : public Link {
public:
    /// `size`: the number of channels, or the shape of the axes that keep their own statistics.
    /// Empty: taken from the first input, which needs the option `axis`.
    explicit BatchNormalization(int64_t size, const BatchNormalizationLinkOptions& options = {})
        : BatchNormalization(Shape{size}, options) {}
    explicit BatchNormalization(Shape size, const BatchNormalizationLinkOptions& options = {});

    /// Normalises x. With `finetune` the averages become the means over all batches since
    /// start_finetuning().
    Variable operator()(const Operand& x, bool finetune = false);
    void start_finetuning();
    std::vector<std::pair<std::string, std::string>> printable_specs() const override;
    /// In training mode, uses the statistics of all ranks' batches together, as if their rows were
    /// one batch; the ranks may have different numbers of rows. Copies of the link do so, too.
    void share_statistics(std::shared_ptr<Communicator> communicator) {
        communicator_ = std::move(communicator);
    }

    Parameter gamma, beta;  ///< The learned scale and shift; empty without use_gamma, use_beta.
    State avg_mean, avg_var;
    State N;  ///< Number of batches seen while finetuning; int64, 0-d.

protected:
    /// Normalises x with the statistics of the batch and updates the averages; called in training
    /// mode.
    virtual Variable normalized_by_batch(const Variable& x, const Variable& scale,
                                         const Variable& shift, bool finetune);
    /// Updates the averages to the mean over all batches since N was 0.
    void follow_all_batches(const Variable& x);
    bool shares_statistics() const { return bool(communicator_); }
    const BatchNormalizationLinkOptions& options() const { return options_; }
    const Cell& decay() const { return decay_; }

private:
    void initialize(const Shape& size);
    Variable normalized(const Variable& x, bool finetune);
    Variable normalized_by_all_ranks(const Variable& x, const Variable& scale,
                                     const Variable& shift, bool finetune);
    std::shared_ptr<Communicator> communicator_;
    BatchNormalizationLinkOptions options_;
    Cell decay_;
};

}  // namespace catena
