#include "runtime/ops/declare/moved_rows.h"

#include "runtime/ops/declare/op_rules.h"

namespace catena {
namespace {

using Addition = std::function<std::optional<RowAddition>(const TypeCall&, const Shape&)>;
struct RowCall {
    const OpDef& op;
    const TypeCall& call;
    const Shape& sums;
};
using MovedRowsRules = OpRules<std::optional<RowAddition>, RowCall>;

}  // namespace

bool set_moved_rows(const OpDef& op, Addition addition) {
    return MovedRowsRules::instance().add(op, [addition = std::move(addition)](const RowCall& c) {
        return addition(c.call, c.sums);
    });
}

std::optional<RowAddition> addition_of_moved_rows(const TypeCall& call, const Shape& sums) {
    return MovedRowsRules::instance().of({call.op, call, sums}).value_or(std::nullopt);
}

}  // namespace catena
