#include "runtime/ops/declare/measured.h"

#include "runtime/ops/declare/op_rules.h"

namespace catena {
namespace {

using MeasuredForms = OpRules<const OpDef*>;
using MeasuredOps = OpSet<struct IsMeasured>;

}  // namespace

bool set_measured(const OpDef& op, const OpDef& measured, MeasuredForm rule) {
    return MeasuredForms::instance().add(op, std::move(rule)) && MeasuredOps::add(measured);
}

const OpDef* measured_form(const TypeCall& call) {
    return MeasuredForms::instance().of(call).value_or(nullptr);
}
bool is_measured_form(const OpDef& op) { return MeasuredOps::has(op); }

}  // namespace catena
