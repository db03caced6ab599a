#include "frontend/trainer/parallel_updater.h"

#include <algorithm>

#include "frontend/dataset/iterator/iterator.h"
#include "frontend/optimizer/optimizer.h"
#include "frontend/serializer/serializer.h"
#include "frontend/trainer/trainer.h"
#include "runtime/core/array/device.h"
#include "runtime/core/system/error.h"

namespace catena {

ParallelUpdater::ParallelUpdater(Iterator& iterator, Optimizer& optimizer,
                                 ParallelUpdaterOptions options)
    : iterator_(iterator), optimizer_(optimizer), options_(std::move(options)) {
    for (auto& [name, device] : options_.devices) {
        for (const Replica& other : replicas_)
            if (other.name == name)
                fail<ValueError>(
                    "ParallelUpdater: the device name '{}' is given twice; names should differ",
                    name);
        replicas_.push_back({name, device, nullptr, nullptr});
    }
    auto main = std::find_if(replicas_.begin(), replicas_.end(),
                             [](const Replica& r) { return r.name == "main"; });
    if (main == replicas_.end())
        fail<ValueError>(
            "ParallelUpdater: no device is called 'main'; that of the model that is updated must "
            "be");
    std::rotate(replicas_.begin(), main, main + 1);
    if (options_.loss_scale > 0) optimizer_.set_loss_scale(options_.loss_scale);
    if (options_.auto_new_epoch) optimizer_.use_auto_new_epoch = true;
}

ParallelUpdater::Replica& ParallelUpdater::vacant_replica(const std::string& name) {
    for (Replica& replica : replicas_)
        if (replica.name == name) {
            if (replica.model)
                fail<ValueError>("ParallelUpdater: the model '{}' is given twice", name);
            return replica;
        }
    fail<ValueError>(
        "ParallelUpdater: there is no device for the model '{}'; name it in options.devices", name);
}

void ParallelUpdater::place_models() {
    for (const Replica& replica : replicas_)
        if (!replica.model)
            fail<ValueError>("ParallelUpdater: there is a device '{}', but no model of that name",
                             replica.name);
    if (replicas_[0].model.get() != &optimizer_.target())
        fail<ValueError>("ParallelUpdater: the model is not the optimizer's target");
    for (Replica& replica : replicas_)
        if (replica.device) replica.model->to_device(*replica.device);
}

std::vector<std::pair<std::string, Optimizer*>> ParallelUpdater::optimizers() const {
    return {{"main", &optimizer_}};
}

void ParallelUpdater::connect_trainer(Trainer& trainer) {
    for (size_t i = 1; i < replicas_.size(); ++i)
        trainer.reporter().add_observers(replicas_[i].name, *replicas_[i].model);
}

Iterator& ParallelUpdater::get_iterator(const std::string& name) const {
    if (name != "main")
        fail<ValueError>("ParallelUpdater: there is no iterator '{}'; there is 'main'", name);
    return iterator_;
}

Link& ParallelUpdater::model(const std::string& name) const {
    for (const Replica& replica : replicas_)
        if (replica.name == name) return *replica.model;
    fail<ValueError>("ParallelUpdater: there is no model '{}'", name);
}

Batch ParallelUpdater::convert(std::span<const Example> examples, Device* device) const {
    if (options_.converter) return options_.converter(examples);
    return concat_examples(examples, {.device = device});
}

/// Runs all forward passes, then all backward passes: devices work concurrently.
void ParallelUpdater::update_core() {
    std::optional<std::vector<Example>> examples = iterator_.next();
    if (!examples)
        fail<ValueError>(
            "ParallelUpdater: the iterator is at its end; training needs one that repeats");
    const size_t n = replicas_.size();
    Link& main = *replicas_[0].model;
    std::vector<Variable> losses;
    for (size_t i = 0; i < n; ++i) {
        std::vector<Example> part;
        for (size_t k = i; k < examples->size(); k += n) part.push_back((*examples)[k]);
        losses.emplace_back();
        if (part.empty()) continue;  // A short last batch.
        // Also lazily initialised parameters, loaded values and running statistics.
        if (i > 0) replicas_[i].model->copyparams(main);
        losses.back() = replicas_[i].loss(convert(part, replicas_[i].device));
    }
    for (const Replica& replica : replicas_) replica.model->cleargrads();
    for (const Variable& loss : losses)
        if (loss.defined()) optimizer_.backward_part(loss);
    for (size_t i = 1; i < n; ++i) main.addgrads(*replicas_[i].model);
    optimizer_.update();
    if (options_.auto_new_epoch && is_new_epoch()) optimizer_.new_epoch(true);
}

void ParallelUpdater::finalize() { iterator_.finalize(); }

void ParallelUpdater::serialize(const Serializer& s) {
    iterator_.serialize(s["iterator:main"]);
    optimizer_.serialize(s["optimizer:main"]);
    optimizer_.target().serialize(s["model:main"]);
    s("iteration", iteration_);
}

}  // namespace catena
