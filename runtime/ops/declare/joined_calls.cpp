#include "runtime/ops/declare/joined_calls.h"

#include "runtime/core/system/error.h"

namespace catena {

namespace {

constexpr DeclarationKind<JoiningsRule> joinings_kind("joinings");

}  // namespace

Declaration joinings(JoiningsRule how) { return joinings_kind(std::move(how)); }

Joinings joinings_of(const TypeCall& call) {
    const JoiningsRule* const how = joinings_kind.in(call.op.declared);
    return how ? (*how)(call) : Joinings();
}

const OpDef& concat_op() {
    for (const OpDef* op : all_ops())
        if (op->kind == Kind::concat) return *op;
    throw InternalError("no op of kind concat is registered");
}

}  // namespace catena
