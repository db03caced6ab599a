#include "frontend/trainer/reporting_region.h"

#include "frontend/trainer/reporter.h"
#include "runtime/core/error.h"
#include "runtime/graph/config.h"
#include "runtime/graph/tracer.h"

namespace catena {

ReportingRegion::ReportingRegion(std::function<void(const Batch&)> function, StaticGraphOptions options)
    : function_(std::move(function)),
      region_(static_graph(std::function<Values(const std::vector<Variable>&, bool)>([this](auto&, bool) { return run(); }),
                           std::move(options))) {}

void ReportingRegion::operator()(const Batch& batch) {
    batch_ = &batch;
    Observation observation;
    // Whether there is a reporter is part of the key: without one nothing is recorded.
    Values values = region_(batch.values(), current_reporter() != nullptr);
    for (auto& [name, value] : values) observation.emplace(name, value);
    if (config().keep_graph_on_report && current_reporter())
        for (auto& [name, value] : run_on_shapes(batch))
            if (auto found = observation.find(name); found != observation.end()) found->second.set_graph(value);
    report(observation);
}

/// Calls that skip the code build no graph: this runs the function to build it.
ReportingRegion::Values ReportingRegion::run_on_shapes(const Batch& batch) const {
    Tracer tracer(true);
    for (size_t k = 0; k < batch.size(); ++k) tracer.add_argument(batch[k].array(), "x" + std::to_string(k));
    RecorderScope recording(&tracer);
    return run();
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
        if (reported.variable().defined()) {
            values.emplace(name, reported.variable());
            continue;
        }
        if (Recorder* recorder = current_recorder()) recorder->needs_code("it reports plain numbers");
        report({{name, reported}});
    }
    return values;
}

}  // namespace catena
