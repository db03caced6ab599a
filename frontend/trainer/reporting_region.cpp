#include "frontend/trainer/reporting_region.h"

#include "frontend/trainer/reporter.h"
#include "runtime/core/error.h"

namespace catena {

ReportingRegion::ReportingRegion(std::function<void(const Batch&)> function, StaticGraphOptions options)
    : function_(std::move(function)),
      region_(static_graph(std::function<Values(const std::vector<Variable>&, bool)>([this](auto&, bool) { return run(); }),
                           std::move(options))) {}

void ReportingRegion::operator()(const Batch& batch) {
    batch_ = &batch;
    Observation observation;
    // Whether anybody listens is part of the key: without a reporter nothing is captured.
    Values values = region_(batch.values(), current_reporter() != nullptr);
    for (auto& [name, value] : values) observation.emplace(name, value);
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
        if (!reported.variable().defined())
            fail<TraceError>("report: '{}' is reported as a plain number inside a static region, which would report it "
                             "again and again; report a Variable", name);
        values.emplace(name, reported.variable());
    }
    return values;
}

}  // namespace catena
