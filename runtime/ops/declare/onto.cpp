#include "runtime/ops/declare/onto.h"

#include "runtime/ops/declare/op_rules.h"

namespace catena {
namespace {

struct OntoCall {
    const OpDef& op;
};
/// Says only that there is a declaration.
struct IsOnto {};
using Forms = OpRules<const OpDef*, OntoCall>;
using OntoOps = OpRules<IsOnto, OntoCall>;

}  // namespace

bool set_onto(const OpDef& op, const OpDef& onto) {
    return Forms::instance().add(op, [&onto](const OntoCall&) { return &onto; }) &&
           OntoOps::instance().add(onto, [](const OntoCall&) { return IsOnto(); });
}
const OpDef* onto_form(const OpDef& op) { return Forms::instance().of({op}).value_or(nullptr); }
bool is_onto_form(const OpDef& op) { return OntoOps::instance().of({op}).has_value(); }

}  // namespace catena
