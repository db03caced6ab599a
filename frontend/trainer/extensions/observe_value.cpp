#include "frontend/trainer/extensions/observe_value.h"

#include "frontend/optimizer/optimizer.h"
#include "frontend/trainer/reporter.h"
#include "frontend/trainer/trainer.h"
#include "frontend/trainer/updater.h"

namespace catena::extensions {

void ObserveValue::operator()(Trainer& trainer) { report({{key_, function_(trainer)}}); }

ObserveValue observe_value(std::string observation_key,
                           std::function<double(Trainer&)> target_func) {
    return ObserveValue(std::move(observation_key), std::move(target_func));
}

ObserveValue observe_lr(std::string optimizer_name, std::string observation_key) {
    return ObserveValue(std::move(observation_key),
                        [name = std::move(optimizer_name)](Trainer& trainer) {
                            return trainer.updater().get_optimizer(name).learning_rate();
                        });
}

}  // namespace catena::extensions
