#include "runtime/ops/declare/message.h"

namespace catena {

namespace {

constexpr DeclarationKind<> message_kind("awaited_by_others");

}  // namespace

Declaration awaited_by_others() { return message_kind(); }
bool is_message(const OpDef& op) { return message_kind.in(op.declared) != nullptr; }

}  // namespace catena
