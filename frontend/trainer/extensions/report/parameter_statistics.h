#pragma once

#include "frontend/link/link.h"
#include "frontend/trainer/extension.h"
#include "frontend/trainer/extensions/report/statistics.h"
#include "frontend/trainer/summary.h"

namespace catena::extensions {

/// Options of a ParameterStatistics.
struct ParameterStatisticsOptions {
    /// The functions whose results are reported, by name.
    std::map<std::string, Statistic> statistics = default_statistics();
    /// Whether statistics of the parameters themselves are reported.
    bool report_params = true;
    /// Whether statistics of gradients are reported, too. A step compiled as a whole keeps
    /// gradients only with StandardUpdaterOptions::keep_grads.
    bool report_grads = true;
    std::string prefix = {};  ///< Prefix of the keys.
    /// The trigger that reports the means since the last report.
    AnyTrigger trigger = {1, "epoch"};
    /// Whether statistics of arrays with a NaN are NaN, without calling the functions.
    bool skip_nan_params = false;
};

/// Reports statistics of every parameter of the links: "PREFIX/LINK/l1/W/data/mean",
/// ".../grad/percentile/3".
class ParameterStatistics : public Extension {
public:
    /// An extension for the parameters of these links.
    explicit ParameterStatistics(std::vector<Link*> links, ParameterStatisticsOptions options = {});
    /// An extension for the parameters of a link.
    explicit ParameterStatistics(Link& link, ParameterStatisticsOptions options = {});
    /// Adds a statistic; ValueError when the name is taken.
    void register_statistics(const std::string& name, Statistic function);
    void operator()(Trainer& trainer) override;
    void serialize(const Serializer& s) override;
    std::string default_name() const override { return "ParameterStatistics"; }
    int priority() const override { return priority_writer; }

private:
    void add(Observation& observation, const std::string& key, const Array& array) const;
    std::vector<Link*> links_;
    ParameterStatisticsOptions options_;
    DictSummary summary_;
};

}  // namespace catena::extensions
