#include "frontend/trainer/extensions/report/parameter_statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "frontend/serializer/serializer.h"
#include "frontend/trainer/trainer.h"
#include "runtime/core/system/error.h"

namespace catena::extensions {

ParameterStatistics::ParameterStatistics(std::vector<Link*> links,
                                         ParameterStatisticsOptions options)
    : links_(std::move(links)), options_(std::move(options)) {}

ParameterStatistics::ParameterStatistics(Link& link, ParameterStatisticsOptions options)
    : ParameterStatistics(std::vector<Link*>{&link}, std::move(options)) {}

void ParameterStatistics::register_statistics(const std::string& name, Statistic function) {
    if (!options_.statistics.emplace(name, std::move(function)).second)
        fail<ValueError>("ParameterStatistics: a statistic '{}' exists already; give another name",
                         name);
}

void ParameterStatistics::add(Observation& observation, const std::string& key,
                              const Array& array) const {
    std::vector<double> values = elements_of(array);
    const bool skip =
        options_.skip_nan_params &&
        std::any_of(values.begin(), values.end(), [](double v) { return std::isnan(v); });
    for (auto& [name, function] : options_.statistics) {
        std::vector<double> result =
            skip ? std::vector<double>{std::numeric_limits<double>::quiet_NaN()} : function(values);
        if (result.size() == 1) observation.insert_or_assign(key + "/" + name, result[0]);
        for (size_t i = 0; result.size() > 1 && i < result.size(); ++i)
            observation.insert_or_assign(fmt::format("{}/{}/{}", key, name, i), result[i]);
    }
}

void ParameterStatistics::operator()(Trainer& trainer) {
    Observation now;
    for (Link* link : links_) {
        const std::string place =
            (options_.prefix.empty() ? "" : options_.prefix + "/") + link->name();
        for (auto& [path, param] : link->namedparams(false)) {
            if (options_.report_params) add(now, place + path + "/data", param->array());
            if (!options_.report_grads) continue;
            if (Array gradient = param->grad(); gradient.defined())
                add(now, place + path + "/grad", gradient);
        }
    }
    summary_.add(now);
    if (!options_.trigger(trainer)) return;
    for (auto& [key, mean] : summary_.compute_mean())
        trainer.observation().insert_or_assign(key, mean);
    summary_.clear();
}

void ParameterStatistics::serialize(const Serializer& s) {
    summary_.serialize(s["_summary"]);
    options_.trigger.serialize(s["_trigger"]);
}

}  // namespace catena::extensions
