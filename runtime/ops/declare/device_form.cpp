#include "runtime/ops/declare/device_form.h"

#include <map>
#include <mutex>

#include "runtime/core/system/fork.h"

namespace catena {

namespace {

struct DeviceForm {
    ElementPlan plan;
    bool anywhere = false;
    std::string host_only;
};

/// The op's entry, never removed; ops may be registered late, by several threads.
DeviceForm& form_of(const OpDef& op) {
    static std::mutex& mutex = taken_by_forks(*new std::mutex);
    static auto& forms = *new std::map<const OpDef*, DeviceForm>;
    std::lock_guard lock(mutex);
    return forms[&op];
}

}  // namespace

bool set_element_plan(const OpDef& op, ElementPlan plan) {
    form_of(op).plan = std::move(plan);
    return true;
}

bool set_element_plan(const OpDef& op, std::function<ElementProgram(const KernelCall&)> plan) {
    return set_element_plan(
        op, [plan = std::move(plan)](const KernelCall& call, Threads) { return plan(call); });
}

bool set_element_text(const OpDef& op, std::string text) {
    return set_element_plan(op, [text = std::move(text)](const KernelCall& call) {
        return ElementProgram{{{text, call.outputs[0].size(), {}, true}}, 0};
    });
}

bool set_runs_anywhere(const OpDef& op) { return form_of(op).anywhere = true; }

bool set_host_only(const OpDef& op, std::string reason) {
    form_of(op).host_only = std::move(reason);
    return true;
}

bool has_element_plan(const OpDef& op) { return bool(form_of(op).plan); }
ElementProgram element_program(const KernelCall& call, Threads threads) {
    return form_of(call.op).plan(call, threads);
}
bool runs_anywhere(const OpDef& op) { return form_of(op).anywhere; }
const std::string& host_only_reason(const OpDef& op) { return form_of(op).host_only; }

}  // namespace catena
