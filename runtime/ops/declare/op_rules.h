#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <shared_mutex>

#include "runtime/core/fork.h"
#include "runtime/graph/op.h"

namespace catena {

/// What some ops declare about their calls beside their definitions, by op. Ops may be registered late, by a library that
/// is loaded while other threads compile.
template <class Result, class Call = TypeCall>
class OpRules {
public:
    using Rule = std::function<Result(const Call&)>;

    /// True, unless the op has a rule already.
    bool add(const OpDef& op, Rule rule) {
        std::unique_lock lock(mutex_);
        return rules_.emplace(op.id, std::move(rule)).second;
    }
    /// Nothing where the op declares nothing.
    std::optional<Result> of(const Call& call) const {
        std::shared_lock lock(mutex_);
        const auto found = rules_.find(call.op.id);
        if (found == rules_.end()) return std::nullopt;
        return found->second(call);
    }

    /// The table of the process, never destroyed.
    static OpRules& instance() {
        static OpRules& table = *new OpRules;
        return table;
    }

private:
    std::shared_mutex& mutex_ = taken_by_forks(*new std::shared_mutex);
    std::map<uint32_t, Rule> rules_;
};

}  // namespace catena
