#include "runtime/ops/joinings.h"

#include <map>
#include <mutex>
#include <shared_mutex>

#include "runtime/core/error.h"

namespace catena {

namespace {

/// Ops may be registered late, by a library that is loaded while other threads compile.
struct Table {
    std::shared_mutex mutex;
    std::map<uint32_t, std::function<Joinings(const TypeCall&)>> rules;
};

Table& table() {
    static auto* instance = new Table;
    return *instance;
}

}  // namespace

bool can_be_joined(const OpDef& op, std::function<Joinings(const TypeCall&)> how) {
    std::unique_lock lock(table().mutex);
    return table().rules.emplace(op.id, std::move(how)).second;
}

Joinings joinings_of(const TypeCall& call) {
    std::shared_lock lock(table().mutex);
    const auto found = table().rules.find(call.op.id);
    return found == table().rules.end() ? Joinings() : found->second(call);
}

const OpDef& concat_op() {
    for (const OpDef* op : all_ops())
        if (op->kind == Kind::concat) return *op;
    throw InternalError("no op of kind concat is registered");
}

}  // namespace catena
