#include "runtime/ops/checked_ranges.h"

#include <map>
#include <mutex>
#include <shared_mutex>

namespace catena {

namespace {

/// Ops may be registered late, by a library that is loaded while other threads compile.
struct Table {
    std::shared_mutex mutex;
    std::map<uint32_t, std::function<CheckedRanges(const TypeCall&)>> rules;
};

Table& table() {
    static auto* instance = new Table;
    return *instance;
}

}  // namespace

bool checks_only(const OpDef& op, std::function<CheckedRanges(const TypeCall&)> how) {
    std::unique_lock lock(table().mutex);
    return table().rules.emplace(op.id, std::move(how)).second;
}

std::optional<CheckedRanges> checked_ranges(const TypeCall& call) {
    std::shared_lock lock(table().mutex);
    const auto found = table().rules.find(call.op.id);
    if (found == table().rules.end()) return std::nullopt;
    return found->second(call);
}

}  // namespace catena
