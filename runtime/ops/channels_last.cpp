#include "runtime/ops/channels_last.h"

#include <map>
#include <mutex>
#include <shared_mutex>

namespace catena {
namespace {

struct Table {
    std::shared_mutex mutex;
    std::map<uint32_t, std::function<ChannelsLast(const TypeCall&)>> rules;
};

Table& table() {
    static auto* instance = new Table;
    return *instance;
}

}  // namespace

bool set_channels_last(const OpDef& op, std::function<ChannelsLast(const TypeCall&)> rule) {
    std::unique_lock lock(table().mutex);
    return table().rules.emplace(op.id, std::move(rule)).second;
}

ChannelsLast channels_last_of(const TypeCall& call) {
    std::shared_lock lock(table().mutex);
    const auto found = table().rules.find(call.op.id);
    return found == table().rules.end() ? ChannelsLast() : found->second(call);
}

}  // namespace catena
