#pragma once

#include <concepts>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "frontend/optimizer/hooks.h"

namespace catena {

/// A handle of the rule by which an optimizer updates one parameter: Chainer's param.update_rule.
///
///     optimizer.update_rule(model.l1.W).hyperparameter("lr") = 0.001;
///     optimizer.update_rule(model.l1.b).add_hook(WeightDecay(1e-4));
///
/// It ends with the optimizer and with its next setup().
class ParameterRule {
public:
    /// The rule of a parameter of this optimizer; made by Optimizer::update_rule.
    ParameterRule(Optimizer& optimizer, UpdateSlot& slot) : optimizer_(&optimizer), slot_(&slot) {}

    /// The parameter's own hyperparameter, which starts as the present one of its formula and no
    /// longer follows it. ValueError that lists the existing names.
    Cell hyperparameter(std::string_view name);
    /// Whether the parameter has its own hyperparameter of that name.
    bool has_own(std::string_view name) const;
    /// Drops the parameter's own hyperparameters and formula: it follows the optimizer again.
    void follow_optimizer();

    /// Updates the parameter by the formula and with the hyperparameters of another optimizer,
    /// which needs no setup() and may be given to several parameters: they are updated together.
    /// Hooks, the loss scale and the step count stay those of this optimizer. Moments restart, are
    /// called "l1/b/v" after that formula, and are loaded if it was set before loading.
    ///
    ///     auto slow = std::make_shared<ct::MomentumSGD>(0.01);
    ///     adam.update_rule(model.embed.W).use(slow);
    ParameterRule& use(std::shared_ptr<Optimizer> other);
    template <std::derived_from<Optimizer> Other, class... Args>
    ParameterRule& use(Args&&... args) {
        return use(std::make_shared<Other>(std::forward<Args>(args)...));
    }

    /// Adds a hook for this parameter alone, called after the optimizer's hooks of the same timing.
    /// ValueError when the name is taken.
    ParameterRule& add_hook(std::shared_ptr<ParameterHook> hook, std::string name = "");
    template <std::derived_from<ParameterHook> Hook>
    ParameterRule& add_hook(const Hook& hook, std::string name = "") {
        return add_hook(std::make_shared<Hook>(hook), std::move(name));
    }
    /// Removes the hook of that name; ValueError when there is none.
    void remove_hook(const std::string& name);

    /// Whether the optimizer updates the parameter.
    bool enabled() const { return *slot_->enabled; }
    /// Sets whether the optimizer updates the parameter.
    void set_enabled(bool enabled);
    /// Sets use_fp32_update, as Optimizer does for all, for this parameter alone; setup() sets it
    /// again.
    void use_fp32_update(bool use = true);
    /// The moment of that name, "m"; undefined before the first update. ValueError that lists the
    /// existing names.
    Variable state(std::string_view name) const;
    /// What the optimizer holds for the parameter.
    UpdateSlot& slot() const { return *slot_; }

private:
    Optimizer* optimizer_;
    UpdateSlot* slot_;
};

}  // namespace catena
