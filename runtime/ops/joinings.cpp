#include "runtime/ops/joinings.h"

#include <map>

#include "runtime/core/error.h"

namespace catena {

namespace {

/// Filled while the ops are registered, read only afterwards.
std::map<uint32_t, std::function<Joinings(const TypeCall&)>>& table() {
    static auto* instance = new std::map<uint32_t, std::function<Joinings(const TypeCall&)>>;
    return *instance;
}

}  // namespace

bool can_be_joined(const OpDef& op, std::function<Joinings(const TypeCall&)> how) {
    return table().emplace(op.id, std::move(how)).second;
}

Joinings joinings_of(const TypeCall& call) {
    auto found = table().find(call.op.id);
    return found == table().end() ? Joinings() : found->second(call);
}

const OpDef& concat_op() {
    for (const OpDef* op : all_ops())
        if (op->kind == Kind::concat) return *op;
    throw InternalError("no op of kind concat is registered");
}

}  // namespace catena
