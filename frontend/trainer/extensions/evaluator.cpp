#include "frontend/trainer/extensions/evaluator.h"

#include "frontend/trainer/summary.h"
#include "runtime/core/error.h"
#include "runtime/graph/config.h"

namespace catena::extensions {

Evaluator::Evaluator(Iterator& iterator, Link& target, std::function<void(const Batch&)> eval_func,
                     EvaluatorOptions options, int)
    : iterator_(iterator), target_(target), eval_func_(std::move(eval_func)), options_(std::move(options)) {
    if (iterator.repeat())
        fail<ValueError>("Evaluator: the iterator repeats, so that the evaluation would not end; make it with "
                         "{{.repeat = false}}");
    if (options_.static_graph)
        compiled_ = std::make_shared<ReportingRegion>(
            eval_func_, StaticGraphOptions{.name = "evaluation", .compile_first_call = true});
}

std::map<std::string, double> Evaluator::evaluate() {
    Reporter reporter;
    reporter.add_observers(name().empty() ? "main" : name() + "/main", target_);
    auto test_mode = using_config(&Config::train, false);
    auto no_graph = no_backprop_mode();
    if (options_.eval_hook) options_.eval_hook(*this);
    DictSummary summary;
    iterator_.reset();
    while (std::optional<std::vector<Example>> examples = iterator_.next()) {
        Batch batch = options_.converter ? options_.converter(*examples)
                                         : concat_examples(*examples, {.device = options_.device});
        Observation observation;
        Reporter::Scope scope = reporter.scope(observation);
        if (compiled_) (*compiled_)(batch);
        else eval_func_(batch);
        summary.add(observation);
    }
    return summary.compute_mean();
}

void Evaluator::operator()(Trainer&) {
    Observation means;
    for (auto& [key, mean] : evaluate()) means.emplace(key, mean);
    report(means);
}

}  // namespace catena::extensions
