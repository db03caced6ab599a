#include "runtime/ops/declare/joined_calls.h"

#include "runtime/core/system/error.h"
#include "runtime/ops/declare/op_rules.h"

namespace catena {

using JoinedCallsRules = OpRules<Joinings>;

bool set_joinings(const OpDef& op, std::function<Joinings(const TypeCall&)> how) {
    return JoinedCallsRules::instance().add(op, std::move(how));
}

Joinings joinings_of(const TypeCall& call) {
    return JoinedCallsRules::instance().of(call).value_or(Joinings());
}

const OpDef& concat_op() {
    for (const OpDef* op : all_ops())
        if (op->kind == Kind::concat) return *op;
    throw InternalError("no op of kind concat is registered");
}

}  // namespace catena
