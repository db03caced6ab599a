#include "frontend/trainer/summary.h"

#include <cmath>
#include <memory>

#include "frontend/serializer/serializer.h"
#include "frontend/trainer/json.h"

namespace catena {

void Summary::add(double value, double weight) {
    x_ += weight * value;
    x2_ += weight * value * value;
    n_ += weight;
}

double Summary::deviation() const { return std::sqrt(std::max(x2_ / n_ - mean() * mean(), 0.0)); }

void Summary::serialize(const Serializer& s) {
    s("_x", x_);
    s("_x2", x2_);
    s("_n", n_);
}

void DictSummary::add(const Observation& observation) {
    for (auto& [name, reported] : observation)
        if (reported.is_number()) summaries_[name].add(reported.value(), reported.weight());
}

void DictSummary::clear() { summaries_.clear(); }

std::map<std::string, double> DictSummary::compute_mean() const {
    std::map<std::string, double> means;
    for (auto& [name, summary] : summaries_) means[name] = summary.mean();
    return means;
}

std::map<std::string, double> DictSummary::make_statistics() const {
    std::map<std::string, double> statistics = compute_mean();
    for (auto& [name, summary] : summaries_) statistics[name + ".std"] = summary.deviation();
    return statistics;
}

void DictSummary::serialize(const Serializer& s) {
    if (!s.loading()) {
        nlohmann::ordered_json names = nlohmann::ordered_json::array();
        for (auto& [name, summary] : summaries_) {
            summary.serialize(s["_summaries"][std::to_string(names.size())]);
            names.push_back(name);
        }
        return s.write("_names", names.dump());
    }
    auto loaded = std::make_shared<std::map<std::string, Summary>>();
    std::string text = s.has("_names") ? s.read_text("_names") : "";
    nlohmann::ordered_json names =
        text.empty() ? nlohmann::ordered_json::array() : parse_json(text, "_names");
    size_t index = 0;
    for (auto& name : names) {
        if (!name.is_string()) s.wrong("_names", "is not a list of names");
        (*loaded)[name.get<std::string>()].serialize(s["_summaries"][std::to_string(index++)]);
    }
    s.later([this, loaded] { summaries_ = *loaded; });
}

}  // namespace catena
