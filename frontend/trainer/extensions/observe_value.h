#pragma once

#include <functional>
#include <string>

#include "frontend/trainer/extension.h"

namespace catena::extensions {

/// Reports what a function of the trainer gives, every epoch unless told otherwise.
class ObserveValue : public Extension {
public:
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

ObserveValue observe_value(std::string observation_key, std::function<double(Trainer&)> target_func);
/// An optimizer's learning rate; Adam's is that of its present step.
ObserveValue observe_lr(std::string optimizer_name = "main", std::string observation_key = "lr");

}  // namespace catena::extensions
