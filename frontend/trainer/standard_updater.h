#pragma once

#include <functional>
#include <map>
#include <memory>

#include "frontend/dataset/concat_examples.h"
#include "frontend/static_graph/static_graph.h"
#include "frontend/trainer/batch_function.h"
#include "frontend/trainer/updater.h"
#include "runtime/core/memory/owned.h"

namespace catena {

class ReportingRegion;

/// A callable that does the whole iteration itself: forward, backward and the optimizer's update.
/// Its result, a loss or a map of names to values, is reported under the optimizer's name:
///
///     auto step = ct::static_graph([&](ct::Variable x, ct::Variable t) { ...; adam.update();
///     return loss; }); ct::StandardUpdater updater(train_iter, adam,
///     ct::TrainingStep(std::move(step)));
template <class F>
struct TrainingStep {
    /// The function that does the whole step.
    F f;
    /// A function that does the whole step: forward, backward and update.
    explicit TrainingStep(F f) : f(std::move(f)) {}
};

/// The result of a step.
struct StepResult {
    /// Values by the names under which they are reported.
    std::map<std::string, Variable> values;
    /// A loss, reported as "loss".
    StepResult(Variable loss);
    /// Values by the names under which they are reported.
    StepResult(std::map<std::string, Variable> values);
};

/// Options of a StandardUpdater.
struct StandardUpdaterOptions {
    Converter converter = {};  ///< The function that makes batches; concat_examples by default.
    /// The device to which batches and targets are moved; null: not moved.
    Device* device = nullptr;
    /// Another device for batches, for a model that copies them itself.
    Device* input_device = nullptr;
    double loss_scale = 0;  ///< The loss scale, see Optimizer::set_loss_scale; 0: none.
    /// Whether new_epoch() of the optimizer is called when the iterator begins an epoch.
    bool auto_new_epoch = true;
    /// Whether forward, backward, update and the reports of the loss function become one compiled
    /// program.
    bool static_graph = false;
    /// Whether gradients can be read after a compiled step; costs a copy.
    bool keep_grads = false;
    /// How often the code runs beside its program, with static_graph.
    Audit audit = Audit::always;
};

/// Takes a mini-batch, calls the loss function on it and lets the optimizer update its target:
///
///     ct::StandardUpdater updater(train_iter, adam, model);                           // model(x,
///     t) is a loss ct::StandardUpdater updater(train_iter, adam, model, {.static_graph = true});
///     // the same, compiled
///
/// Keeps references to iterator, optimizer and model, which must outlive it.
class StandardUpdater : public Updater {
public:
    /// A function of a mini-batch that gives the loss.
    using LossFunction = std::function<Variable(const Batch&)>;
    /// A function of a mini-batch that does the whole step.
    using StepFunction = std::function<StepResult(const Batch&)>;

    /// Takes batches from the iterator and calls the loss function, of which the optimizer then
    /// updates its target.
    template <class F>
        requires TakesBatch<std::remove_reference_t<F>>
    StandardUpdater(Iterator& iterator, Optimizer& optimizer, F&& loss_function,
                    StandardUpdaterOptions options = {})
        : StandardUpdater(iterator, optimizer, std::move(options)) {
        loss_function_ = batch_function<Variable>(std::forward<F>(loss_function));
    }
    /// Takes batches from the iterator and calls the function that does the whole step.
    template <class F>
    StandardUpdater(Iterator& iterator, Optimizer& optimizer, TrainingStep<F> step,
                    StandardUpdaterOptions options = {})
        : StandardUpdater(iterator, optimizer, std::move(options)) {
        step_ = batch_function<StepResult>(std::move(step.f));
    }
    /// An updater with several optimizers: derive from it and override update_core().
    StandardUpdater(Iterator& iterator, std::map<std::string, Optimizer*> optimizers,
                    StandardUpdaterOptions options = {});
    /// An updater with several iterators and optimizers: derive from it and override update_core().
    /// 'main' must be among the iterators.
    StandardUpdater(std::map<std::string, Iterator*> iterators,
                    std::map<std::string, Optimizer*> optimizers,
                    StandardUpdaterOptions options = {});
    ~StandardUpdater() override;

    void finalize() override;
    void serialize(const Serializer& s) override;
    std::vector<std::pair<std::string, Optimizer*>> optimizers() const override;
    Iterator& get_iterator(const std::string& name = "main") const override;

    /// The report StaticGraph::explain() of the compiled step; empty without static_graph.
    std::string explain() const;
    /// Counters of the compiled step; zeros without static_graph.
    StaticGraphStatistics statistics() const;

protected:
    void update_core() override;
    Batch convert(std::span<const Example> examples) const;
    /// The next mini-batch of an iterator; ValueError when it is at its end.
    Batch next_batch(const std::string& iterator = "main");

private:
    StandardUpdater(Iterator& iterator, Optimizer& optimizer, StandardUpdaterOptions&& options);
    void run_step(const Batch& batch);

    std::map<std::string, Iterator*> iterators_;
    std::map<std::string, Optimizer*> optimizers_;
    StandardUpdaterOptions options_;
    LossFunction loss_function_;
    StepFunction step_;  ///< The step, which replaces the loss function.
    Owned<ReportingRegion> compiled_;
};

}  // namespace catena
