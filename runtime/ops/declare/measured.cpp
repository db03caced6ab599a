#include "runtime/ops/declare/measured.h"

#include "runtime/ops/declare/op_rules.h"

namespace catena {
namespace {

/// Says only that there is a declaration.
struct IsMeasured {};
struct MeasuredCall {
    const OpDef& op;
};
using MeasuredForms = OpRules<const OpDef*>;
using MeasuredOps = OpRules<IsMeasured, MeasuredCall>;

}  // namespace

bool set_measured(const OpDef& op, const OpDef& measured, MeasuredForm rule) {
    return MeasuredForms::instance().add(op, std::move(rule)) &&
           MeasuredOps::instance().add(measured, [](const MeasuredCall&) { return IsMeasured(); });
}

const OpDef* measured_form(const TypeCall& call) { return MeasuredForms::instance().of(call).value_or(nullptr); }
bool is_measured_form(const OpDef& op) { return MeasuredOps::instance().of({op}).has_value(); }

}  // namespace catena
