#pragma once

#include <memory>
#include <span>
#include <vector>

#include "frontend/optimizer/optimizer.h"

namespace catena {

/// Options of loss_scaling(); the defaults are Chainer's.
struct LossScalingOptions {
    /// Number of updates in which the scale doubles, once it was too large.
    int64_t interval = 1000;
    /// The first scale. It is doubled at each update until it is too large for the first time.
    double initial = 1;
    double highest = 65504;  ///< The highest scale; by default the largest number of float16.
};

/// A loss scale that follows the gradients, so that those of a float16 network neither vanish nor
/// overflow. An update with a gradient that is infinite or NaN changes neither parameters nor
/// moments and halves the scale; the others let it grow. `optimizer.update(lossfun)` and
/// `optimizer.backward(loss)` start with it; loss.backward() alone does not. Works in a static
/// region without a cut: the scale is a State, and what a bad update computed is not selected (with
/// fast_math, which takes every number as finite, nothing is ever found to be bad). As Chainer's
/// optimizer.loss_scaling(interval), the step count t counts the skipped updates, and hooks are
/// called. It is saved with the optimizer.
class LossScaling final : public GradientExchange,
                          public std::enable_shared_from_this<LossScaling> {
public:
    /// A scaling around another exchange of gradients, or null; made by Optimizer::loss_scaling.
    LossScaling(std::shared_ptr<GradientExchange> between, const LossScalingOptions& options);

    void backward(Optimizer& optimizer, const Variable& loss,
                  const BackwardOptions& options) override;
    void backward_part(const Variable& loss, const BackwardOptions& options) override;
    Outcome finish(Optimizer& optimizer) override;
    bool is_behind() const override { return between_ && between_->is_behind(); }
    bool is_sharded() const override { return between_ && between_->is_sharded(); }
    Variables gather(std::span<const PartToGather> parts) override {
        return between_->gather(parts);
    }
    bool has_parts() const override { return between_ && between_->has_parts(); }
    void gather_parts() override {
        if (between_) between_->gather_parts();
    }
    Variable everywhere(const Variable& truth) override {
        return between_ ? between_->everywhere(truth) : truth;
    }
    void restart() override;
    /// Sets the exchange of gradients between processes. It works on scaled gradients: what is sent
    /// is scaled.
    void set_between(std::shared_ptr<GradientExchange> exchange) { between_ = std::move(exchange); }
    /// The exchange within; null: a single process.
    const std::shared_ptr<GradientExchange>& between() const { return between_; }

    /// The scale of the next backward. This and the next function read values on the host.
    double scale() const;
    /// Whether the gradients checked last, those of the last update, were finite.
    bool is_safe_to_update() const;
    /// Looks for gradients that are infinite or NaN. For training loops of one's own; finish() does
    /// both this and update_loss_scale().
    void check_nan_in_grads(Optimizer& optimizer);
    /// Halves the scale after a bad check, lets it grow after a good one.
    void update_loss_scale();
    /// Saves or loads "loss_scale", "was_too_large" and "sent_scale"; a file without one of them
    /// does not change it.
    void serialize(const Serializer& s) override;

private:
    /// A state's content before an update, which is restored if the update was bad.
    struct Before {
        Variable state;
        Array content;
    };
    void begin(const Variable& loss, const BackwardOptions& options);
    void unscale(std::span<UpdateSlot* const> slots, const Variable& scale) const;
    void keep_states(Optimizer& optimizer, std::span<UpdateSlot* const> slots);
    void bring_back_after(Optimizer& optimizer);
    void bring_back_if_bad();
    class BringBack;

    /// The exchange of gradients between processes; may be null.
    std::shared_ptr<GradientExchange> between_;
    double growth_, highest_;
    State scale_, was_too_large_, safe_;
    /// The scale of the gradients that the next update uses, when the exchange is one update
    /// behind.
    State sent_scale_;
    std::vector<Before> before_;
};

/// Gives `optimizer`, after its setup(), a scale that follows its gradients, and replaces one that
/// it has. ValueError unless interval >= 1 and 0 < initial <= highest.
std::shared_ptr<LossScaling> loss_scaling(Optimizer& optimizer,
                                          const LossScalingOptions& options = {});

}  // namespace catena
