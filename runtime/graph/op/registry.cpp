#include <deque>
#include <map>
#include <mutex>

#include "runtime/core/system/error.h"
#include "runtime/core/system/fork.h"
#include "runtime/graph/op/op.h"
#include "runtime/graph/op/registered_together.h"

namespace catena {
namespace {

struct Registry {
    std::mutex mutex;
    std::deque<OpDef> ops;  // Addresses stay.
    std::map<std::string, const OpDef*, std::less<>> by_name;

    Registry() { taken_by_forks(mutex); }
};

Registry& registry() {
    static Registry* r = new Registry;  // Ops are used until the process ends.
    return *r;
}

}  // namespace

const OpDef& register_op(OpDef op) {
    Registry& r = registry();
    std::lock_guard lock(r.mutex);
    if (r.by_name.contains(op.name))
        throw InternalError("an op named " + op.name + " is registered already");
    if (const Declaration* twice = op.declared.repeated())
        throw InternalError("the op " + op.name + " declares " + twice->name() +
                            " twice; once is right");
    op.id = uint32_t(r.ops.size());
    op.differentiable = bool(op.gradient);
    if (op.kind == Kind::map) {
        op.output_count = int(op.formula.outputs.size());
        if (!op.kernel)
            throw InternalError("the map " + op.name + " has no kernel: see register_map");
    }
    const auto named = r.by_name.emplace(op.name, nullptr).first;
    try {
        r.ops.push_back(std::move(op));
    } catch (...) {
        r.by_name.erase(named);
        throw;
    }
    return *(named->second = &r.ops.back());
}

void withdraw_op(const OpDef& op) noexcept {
    Registry& r = registry();
    std::lock_guard lock(r.mutex);
    const auto found = r.by_name.find(op.name);
    if (found != r.by_name.end() && found->second == &op) r.by_name.erase(found);
}

const OpDef* find_op(std::string_view name) {
    Registry& r = registry();
    std::lock_guard lock(r.mutex);
    auto found = r.by_name.find(name);
    return found == r.by_name.end() ? nullptr : found->second;
}

std::vector<const OpDef*> all_ops() {
    Registry& r = registry();
    std::lock_guard lock(r.mutex);
    std::vector<const OpDef*> ops;
    for (const OpDef& op : r.ops)
        if (const auto found = r.by_name.find(op.name);
            found != r.by_name.end() && found->second == &op)
            ops.push_back(&op);
    return ops;
}

}  // namespace catena
