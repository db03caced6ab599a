#include "frontend/link/hooks/weight.h"

#include "runtime/core/system/error.h"

namespace catena::link_hooks {

void WeightHook::added(Link* link) {
    if (!link)
        fail<ValueError>("{}: belongs to one link, with link.add_hook(), not to a scope", name());
    weight_of(*link);
}

Parameter& WeightHook::weight_of(Link& link) const {
    std::string names;
    for (auto& [path, param] : link.namedparams()) {
        if (path == "/" + weight_name_) return *param;
        names += (names.empty() ? "" : ", ") + path;
    }
    fail<ValueError>("{}: {} has no parameter '{}'; there is {}", name(), link.type_name(),
                     weight_name_, names.empty() ? "none" : names);
}

void WeightHook::forward_preprocess(LinkCall& call) {
    Parameter& weight = weight_of(call.link());
    if (!weight.is_initialized())
        fail<ValueError>(
            "{}: '{}' of {} has no size yet; the link should initialise it before its computation",
            name(), weight_name_, call.link().type_name());
    call.replace(weight, weight_for_call(call.link(), weight));
}

}  // namespace catena::link_hooks
