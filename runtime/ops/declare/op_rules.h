#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <utility>
#include <variant>

#include "runtime/core/system/fork.h"
#include "runtime/graph/op.h"

namespace catena {

/// What some ops declare beside their definitions, by op; `Tag` tells tables of equal types apart.
/// Ops may be registered late, by a library that is loaded while other threads compile.
template <class T, class Tag>
class OpTable {
public:
    /// True, unless the op has an entry already.
    bool add(const OpDef& op, T value) {
        std::unique_lock lock(mutex_);
        return entries_.emplace(op.id, std::move(value)).second;
    }
    /// Null where the op declares nothing. An entry stays as it is.
    const T* of(const OpDef& op) const {
        std::shared_lock lock(mutex_);
        const auto found = entries_.find(op.id);
        return found == entries_.end() ? nullptr : &found->second;
    }

    /// The table of the process, never destroyed.
    static OpTable& instance() {
        static OpTable& table = *new OpTable;
        return table;
    }

private:
    std::shared_mutex& mutex_ = taken_by_forks(*new std::shared_mutex);
    std::map<uint32_t, T> entries_;
};

/// The ops that declare something of which there is nothing else to say.
template <class Tag>
class OpSet {
public:
    /// True, unless the op is in it already.
    static bool add(const OpDef& op) { return Table::instance().add(op, {}); }
    static bool has(const OpDef& op) { return Table::instance().of(op) != nullptr; }

private:
    using Table = OpTable<std::monostate, Tag>;
};

/// What some ops declare about their calls.
template <class Result, class Call = TypeCall>
class OpRules {
public:
    using Rule = std::function<Result(const Call&)>;

    /// True, unless the op has a rule already.
    bool add(const OpDef& op, Rule rule) { return rules_.add(op, std::move(rule)); }
    /// Nothing where the op declares nothing.
    std::optional<Result> of(const Call& call) const {
        const Rule* const rule = rules_.of(call.op);
        if (!rule) return std::nullopt;
        return (*rule)(call);
    }

    /// The table of the process, never destroyed.
    static OpRules& instance() {
        static OpRules& table = *new OpRules;
        return table;
    }

private:
    OpTable<Rule, Call> rules_;
};

}  // namespace catena
