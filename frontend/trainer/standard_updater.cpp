#include "frontend/trainer/standard_updater.h"

#include "frontend/dataset/iterator/iterator.h"
#include "frontend/optimizer/optimizer.h"
#include "frontend/serializer/serializer.h"
#include "frontend/trainer/reporter.h"
#include "frontend/trainer/reporting_region.h"
#include "runtime/core/memory/out_of_memory.h"
#include "runtime/core/system/error.h"

namespace catena {

StandardUpdater::StandardUpdater(std::map<std::string, Iterator*> iterators,
                                 std::map<std::string, Optimizer*> optimizers,
                                 StandardUpdaterOptions options) try
    : iterators_(std::move(iterators)),
      optimizers_(std::move(optimizers)),
      options_(std::move(options)) {
    get_iterator();
    for (auto& [name, optimizer] : optimizers_) {
        if (options_.device) optimizer->target().to_device(*options_.device);
        if (options_.loss_scale > 0) optimizer->set_loss_scale(options_.loss_scale);
        if (options_.auto_new_epoch) optimizer->use_auto_new_epoch = true;
    }
} catch (const std::bad_alloc&) {
    throw_out_of_memory("StandardUpdater");
}

StandardUpdater::~StandardUpdater() = default;

Iterator& StandardUpdater::get_iterator(const std::string& name) const {
    auto found = iterators_.find(name);
    if (found == iterators_.end())
        fail<ValueError>("StandardUpdater: there is no iterator '{}'", name);
    return *found->second;
}

StandardUpdater::StandardUpdater(Iterator& iterator, std::map<std::string, Optimizer*> optimizers,
                                 StandardUpdaterOptions options) try
    : StandardUpdater(std::map<std::string, Iterator*>{{"main", &iterator}}, std::move(optimizers),
                      std::move(options)) {
} catch (const std::bad_alloc&) {
    throw_out_of_memory("StandardUpdater");
}
StandardUpdater::StandardUpdater(Iterator& iterator, Optimizer& optimizer,
                                 StandardUpdaterOptions&& options) try
    : StandardUpdater(iterator, {{"main", &optimizer}}, std::move(options)) {
} catch (const std::bad_alloc&) {
    throw_out_of_memory("StandardUpdater");
}

StepResult::StepResult(Variable loss) : values{{"loss", std::move(loss)}} {}
StepResult::StepResult(std::map<std::string, Variable> values) : values(std::move(values)) {}

std::vector<std::pair<std::string, Optimizer*>> StandardUpdater::optimizers() const {
    return {optimizers_.begin(), optimizers_.end()};
}

Batch StandardUpdater::convert(std::span<const Example> examples) const {
    if (options_.converter) return options_.converter(examples);
    return concat_examples(
        examples, {.device = options_.input_device ? options_.input_device : options_.device});
}

Batch StandardUpdater::next_batch(const std::string& iterator) {
    std::optional<std::vector<Example>> examples = get_iterator(iterator).next();
    if (!examples)
        fail<ValueError>(
            "StandardUpdater: the iterator '{}' is at its end; training needs one that repeats, or "
            "a stop "
            "trigger of one epoch",
            iterator);
    return convert(*examples);
}

std::string StandardUpdater::explain() const { return compiled_ ? compiled_->explain() : ""; }

StaticGraphStatistics StandardUpdater::statistics() const {
    return compiled_ ? compiled_->statistics() : StaticGraphStatistics();
}

void StandardUpdater::update_core() {
    Optimizer& optimizer = get_optimizer("main");
    if (!step_ && !loss_function_)
        fail<ValueError>(
            "StandardUpdater: it was given optimizers by name and no loss function; derive from it "
            "and override "
            "update_core(), or give one optimizer and a loss function");
    if (options_.static_graph && !compiled_)
        compiled_ = Owned<ReportingRegion>(
            new ReportingRegion([this](const Batch& batch) { run_step(batch); },
                                StaticGraphOptions{.name = "training_step",
                                                   .audit = options_.audit,
                                                   .keep_grads = options_.keep_grads}));
    Batch batch = next_batch();
    if (compiled_)
        (*compiled_)(batch);
    else
        run_step(batch);
    if (options_.auto_new_epoch && is_new_epoch()) optimizer.new_epoch(true);
}

void StandardUpdater::run_step(const Batch& batch) {
    Optimizer& optimizer = get_optimizer("main");
    if (!step_) return optimizer.update(loss_function_, batch);
    StepResult result = step_(batch);
    Observation observation;
    for (auto& [name, value] : result.values) observation.emplace(name, value);
    report(observation, optimizer.target());
}

void StandardUpdater::finalize() {
    for (auto& [name, iterator] : iterators_) iterator->finalize();
}

void StandardUpdater::serialize(const Serializer& s) {
    for (auto& [name, iterator] : iterators_) iterator->serialize(s["iterator:" + name]);
    for (auto& [name, optimizer] : optimizers_) {
        optimizer->serialize(s["optimizer:" + name]);
        optimizer->target().serialize(s["model:" + name]);
    }
    s("iteration", iteration_);
}

}  // namespace catena
