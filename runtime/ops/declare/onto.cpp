#include "runtime/ops/declare/onto.h"

#include "runtime/ops/declare/op_rules.h"

namespace catena {
namespace {

using Forms = OpTable<const OpDef*, struct IsOnto>;
using OntoOps = OpSet<struct IsOnto>;

}  // namespace

bool set_onto(const OpDef& op, const OpDef& onto) {
    return Forms::instance().add(op, &onto) && OntoOps::add(onto);
}
const OpDef* onto_form(const OpDef& op) {
    const OpDef* const* const form = Forms::instance().of(op);
    return form ? *form : nullptr;
}
bool is_onto_form(const OpDef& op) { return OntoOps::has(op); }

}  // namespace catena
