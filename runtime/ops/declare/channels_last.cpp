#include "runtime/ops/declare/channels_last.h"

#include "runtime/ops/declare/op_rules.h"

namespace catena {

using Rules = OpRules<ChannelsLast>;

bool set_channels_last(const OpDef& op, std::function<ChannelsLast(const TypeCall&)> rule) {
    return Rules::instance().add(op, std::move(rule));
}

ChannelsLast channels_last_of(const TypeCall& call) { return Rules::instance().of(call).value_or(ChannelsLast()); }

}  // namespace catena
