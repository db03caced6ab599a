#include "frontend/trainer/reporting_region.h"

#include "frontend/trainer/reporter.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/call/recorder.h"
#include "runtime/graph/settings/config.h"

namespace catena {

ReportingRegion::ReportingRegion(std::function<void(const Batch&)> function,
                                 StaticGraphOptions options)
    : function_(std::move(function)),
      region_(static_graph(std::function<Values(const std::vector<Variable>&, bool)>(
                               [this](auto&, bool) { return run(); }),
                           std::move(options))) {}

void ReportingRegion::operator()(const Batch& batch) {
    if (config().keep_graph_on_report && current_reporter()) return function_(batch);
    batch_ = &batch;
    Observation observation;
    // Whether there is a reporter is part of the key: without one nothing is recorded.
    Values values = region_(batch.values(), current_reporter() != nullptr);
    for (auto& [name, weighted] : values)
        observation.emplace(name, Reported(weighted.first, weighted.second));
    report(observation);
}

ReportingRegion::Values ReportingRegion::run() const {
    Observation observation;
    if (Reporter* reporter = current_reporter()) {
        Reporter::Scope scope = reporter->scope(observation);
        function_(*batch_);
    } else {
        function_(*batch_);
    }
    Values values;
    for (auto& [name, reported] : observation) {
        const bool is_variable = reported.variable().defined();
        Recorder* recorder = current_recorder();
        if (recorder && (!is_variable || reported.weight() != 1))
            recorder->needs_code("it reports plain numbers");
        if (is_variable)
            values.emplace(name, std::pair(reported.variable(), reported.weight()));
        else
            report({{name, reported}});
    }
    return values;
}

}  // namespace catena
