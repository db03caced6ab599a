#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "frontend/dataset/example.h"
#include "frontend/static_graph/static_graph.h"

namespace catena {

/// A function of a batch as a static region that reports: reported values become results of the
/// region, so that calls that skip the code report them, too (code that reports plain numbers or
/// weights is never skipped).
///
/// While config().keep_graph_on_report is set, the function is called as eager code, whose
/// operations are the graph.
class ReportingRegion {
public:
    ReportingRegion(std::function<void(const Batch&)> function, StaticGraphOptions options);
    ReportingRegion(const ReportingRegion&) = delete;
    void operator()(const Batch& batch);
    std::string explain() const { return region_.explain(); }
    StaticGraphStatistics statistics() const { return region_.statistics(); }

private:
    /// Reported values by name, with their weights.
    using Values = std::map<std::string, std::pair<Variable, double>>;
    Values run() const;
    std::function<void(const Batch&)> function_;
    const Batch* batch_ = nullptr;
    StaticGraph<std::function<Values(const std::vector<Variable>&, bool)>> region_;
};

}  // namespace catena
