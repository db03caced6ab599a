#include "runtime/ops/declare/device_form.h"

#include "runtime/core/system/error.h"

namespace catena {

namespace {

constexpr DeclarationKind<ElementPlan> plan_kind("element_plan");
constexpr DeclarationKind<> anywhere_kind("on_any_device");
constexpr DeclarationKind<std::string> host_kind("host_only");

}  // namespace

Declaration element_plan(ElementPlan plan) { return plan_kind(std::move(plan)); }

Declaration element_plan(std::function<ElementProgram(const KernelCall&)> plan) {
    return element_plan(
        [plan = std::move(plan)](const KernelCall& call, Threads) { return plan(call); });
}

Declaration element_text(std::string text) {
    return element_plan([text = std::move(text)](const KernelCall& call) {
        return ElementProgram{{{text, call.outputs[0].size(), {}, true}}, 0};
    });
}

Declaration on_any_device() { return anywhere_kind(); }

Declaration host_only(std::string reason) { return host_kind(std::move(reason)); }

bool has_element_plan(const OpDef& op) { return plan_kind.in(op.declared) != nullptr; }
ElementProgram element_program(const KernelCall& call, Threads threads) {
    const ElementPlan* const plan = plan_kind.in(call.op.declared);
    CATENA_ASSERT(plan, call.op.name + " declares no element plan");
    return (*plan)(call, threads);
}
bool runs_anywhere(const OpDef& op) { return anywhere_kind.in(op.declared) != nullptr; }
const std::string& host_only_reason(const OpDef& op) {
    static const std::string& none = *new std::string;
    const std::string* const reason = host_kind.in(op.declared);
    return reason ? *reason : none;
}

}  // namespace catena
