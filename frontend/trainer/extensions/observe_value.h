#pragma once

#include <functional>
#include <string>

#include "frontend/trainer/extension.h"

namespace catena::extensions {

/// Reports the result of a function of the trainer, by default every epoch.
class ObserveValue : public Extension {
public:
    /// Reports target_func's result under the key.
    ObserveValue(std::string observation_key, std::function<double(Trainer&)> target_func)
        : key_(std::move(observation_key)), function_(std::move(target_func)) {}
    void operator()(Trainer& trainer) override;
    std::string default_name() const override { return "_observe_value"; }
    AnyTrigger trigger() const override { return {1, "epoch"}; }
    int priority() const override { return priority_writer; }

private:
    std::string key_;
    std::function<double(Trainer&)> function_;
};

/// An ObserveValue.
ObserveValue observe_value(std::string observation_key,
                           std::function<double(Trainer&)> target_func);
/// Reports an optimizer's learning rate; for Adam that of its current step.
ObserveValue observe_lr(std::string optimizer_name = "main", std::string observation_key = "lr");

}  // namespace catena::extensions
