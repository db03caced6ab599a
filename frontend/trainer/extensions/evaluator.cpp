#include "frontend/trainer/extensions/evaluator.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include <unistd.h>

#include "frontend/serializer/serializer.h"
#include "frontend/trainer/extensions/report/progress_lines.h"
#include "frontend/trainer/reporting_region.h"
#include "frontend/trainer/summary.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/settings/config.h"

namespace catena::extensions {

Evaluator::Evaluator(Iterator& iterator, Link& target, std::function<void(const Batch&)> eval_func,
                     EvaluatorOptions options, int)
    : iterator_(iterator),
      target_(target),
      eval_func_(std::move(eval_func)),
      options_(std::move(options)) {
    if (iterator.repeat())
        fail<ValueError>(
            "Evaluator: the iterator repeats, so that the evaluation would not end; make it with "
            "{{.repeat = false}}");
    if (options_.static_graph)
        compiled_ =
            std::make_shared<ReportingRegion>(eval_func_, StaticGraphOptions{.name = "evaluation"});
}

namespace {

/// Bars below the cursor, redrawn about ten times a second.
class EvaluationBar {
public:
    EvaluationBar(const Iterator& iterator, std::FILE* out) : iterator_(iterator), out_(out) {}
    ~EvaluationBar() {
        std::fputs(erased_below, out_);
        std::fflush(out_);
    }
    void step() {
        ++iterations_;
        const Clock::time_point now = Clock::now();
        if (iterations_ > 1 && now - drawn_ < std::chrono::milliseconds(100)) return;
        drawn_ = now;
        const double done = iterator_.epoch_detail(),
                     seconds = std::max(std::chrono::duration<double>(now - start_).count(), 1e-9);
        std::string lines = progress_line("validation", done, 50);
        lines += fmt::format("{:10} / {:.0f} iterations\n", iterations_,
                             done > 0 ? iterations_ / done : 0);
        lines += fmt::format("{:10.5g} iters/sec. Estimated time to finish: {}.\n",
                             iterations_ / seconds, duration_text(seconds / done - seconds));
        std::fputs(drawn_below(lines).c_str(), out_);
        std::fflush(out_);
    }

private:
    using Clock = std::chrono::steady_clock;
    const Iterator& iterator_;
    std::FILE* out_;
    int64_t iterations_ = 0;
    Clock::time_point start_ = Clock::now(), drawn_;
};

}  // namespace

std::map<std::string, double> Evaluator::evaluate() {
    Reporter reporter;
    reporter.add_observers(name().empty() ? "main" : name() + "/main", target_);
    auto test_mode = using_config(&Config::train, false);
    auto no_graph = no_backprop_mode();
    if (options_.eval_hook) options_.eval_hook(*this);
    DictSummary summary;
    iterator_.reset();
    std::optional<EvaluationBar> bar;
    if (options_.progress_bar && isatty(fileno(options_.out))) bar.emplace(iterator_, options_.out);
    while (std::optional<std::vector<Example>> examples = iterator_.next()) {
        Batch batch = options_.converter ? options_.converter(*examples)
                                         : concat_examples(*examples, {.device = options_.device});
        Observation observation;
        Reporter::Scope scope = reporter.scope(observation);
        if (compiled_)
            (*compiled_)(batch);
        else
            eval_func_(batch);
        summary.add(observation);
        if (bar) bar->step();
    }
    return summary.compute_mean();
}

void Evaluator::serialize(const Serializer& s) {
    if (iterator_.shuffles() && s.has("iterator/random_state")) iterator_.serialize(s["iterator"]);
}

void Evaluator::operator()(Trainer&) {
    Observation means;
    for (auto& [key, mean] : evaluate()) means.emplace(key, mean);
    report(means);
}

}  // namespace catena::extensions
