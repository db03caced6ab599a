#pragma once

#include <cstdio>
#include <functional>
#include <map>
#include <memory>

#include "frontend/dataset/concat_examples.h"
#include "frontend/dataset/iterator/iterator.h"
#include "frontend/trainer/batch_function.h"
#include "frontend/trainer/extension.h"

namespace catena {

class ReportingRegion;

namespace extensions {

class Evaluator;

struct EvaluatorOptions {
    Converter converter = {};   ///< The function that makes batches; concat_examples by default.
    Device* device = nullptr;   ///< The device to which batches are moved.
    bool static_graph = false;  ///< Whether the evaluation of a batch is compiled.
    std::function<void(Evaluator&)> eval_hook = {};  ///< A function called before every evaluation.
    bool progress_bar = false;  ///< Whether the progress is shown on a terminal.
    std::FILE* out = stdout;    ///< The stream for the progress bar.
};

/// Runs a model over a dataset in test mode and without a graph, and reports the means over the
/// batches of the model's reported values: "validation/main/loss". The iterator is reset each time
/// and must not repeat.
class Evaluator : public Extension {
public:
    /// Evaluates `model`, which is called with a batch and reports, as for StandardUpdater; or
    /// `eval_func`, which does so for the link `target`.
    template <class Model>
        requires(std::derived_from<Model, Link> && TakesBatch<Model>)
    Evaluator(Iterator& iterator, Model& model, EvaluatorOptions options = {})
        : Evaluator(iterator, static_cast<Link&>(model), model, std::move(options)) {}
    template <class F>
        requires TakesBatch<std::remove_reference_t<F>>
    Evaluator(Iterator& iterator, Link& target, F&& eval_func, EvaluatorOptions options = {})
        : Evaluator(iterator, target, batch_function<void>(std::forward<F>(eval_func)),
                    std::move(options), 0) {}

    void operator()(Trainer& trainer) override;
    /// Evaluates and returns the means, under "main/loss" or, in a trainer, "validation/main/loss".
    /// Can be called without a trainer.
    virtual std::map<std::string, double> evaluate();
    void finalize() override { iterator_.finalize(); }
    /// Saves or loads "iterator/random_state" if the iterator shuffles; older files without it
    /// leave it unchanged.
    void serialize(const Serializer& s) override;
    std::string default_name() const override { return "validation"; }
    AnyTrigger trigger() const override { return {1, "epoch"}; }
    int priority() const override { return priority_writer; }

private:
    Evaluator(Iterator& iterator, Link& target, std::function<void(const Batch&)> eval_func,
              EvaluatorOptions options, int);
    Iterator& iterator_;
    Link& target_;
    std::function<void(const Batch&)> eval_func_;
    EvaluatorOptions options_;
    std::shared_ptr<ReportingRegion> compiled_;
};

}  // namespace extensions

}  // namespace catena
