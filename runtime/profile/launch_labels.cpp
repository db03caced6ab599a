#include "runtime/profile/launch_labels.h"

#include <deque>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>

#include "runtime/core/system/fork.h"

namespace catena::profile {
namespace {

struct LaunchLabel {
    Label label;
    LaunchCost cost;

    auto key() const {
        return std::tuple(label.category, label.name, label.place, label.bytes_read,
                          label.bytes_written, cost.device, cost.operations, cost.product_type,
                          cost.program_bytes);
    }
};

struct LaunchLabels {
    std::mutex& mutex = taken_by_forks(*new std::mutex);
    std::deque<LaunchLabel> all;
    std::map<decltype(std::declval<LaunchLabel>().key()), const Label*> known;
    std::map<const Label*, const LaunchCost*> costs;
};

/// The labels of launches. Never destroyed: a trace may be written while the process exits.
LaunchLabels& launch_labels() {
    static auto& instance = *new LaunchLabels;
    return instance;
}

}  // namespace

const Label* keep_launch(Label label, LaunchCost cost) {
    LaunchLabel wanted{std::move(label), std::move(cost)};
    LaunchLabels& labels = launch_labels();
    std::lock_guard lock(labels.mutex);
    const auto [known, is_new] = labels.known.try_emplace(wanted.key());
    if (is_new) {
        const LaunchLabel& kept = labels.all.emplace_back(std::move(wanted));
        known->second = &kept.label;
        labels.costs.emplace(&kept.label, &kept.cost);
    }
    return known->second;
}

const LaunchCost* cost_of(const Label* label) {
    LaunchLabels& labels = launch_labels();
    std::lock_guard lock(labels.mutex);
    const auto found = labels.costs.find(label);
    return found == labels.costs.end() ? nullptr : found->second;
}

}  // namespace catena::profile
