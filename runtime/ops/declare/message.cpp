#include "runtime/ops/declare/message.h"

#include "runtime/ops/declare/op_rules.h"

namespace catena {

namespace {

using Messages = OpSet<struct IsMessage>;

}  // namespace

bool set_is_message(const OpDef& op) { return Messages::add(op); }
bool is_message(const OpDef& op) { return Messages::has(op); }

}  // namespace catena
