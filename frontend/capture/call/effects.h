#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "frontend/capture/call/undo_log.h"
#include "frontend/capture/path/pointer_table.h"
#include "runtime/core/array/pending.h"
#include "runtime/graph/call/host_fact.h"
#include "runtime/graph/variable/variable.h"

namespace catena::capture {

/// What the code of a call does beside operations: changes of variables, which can be undone, what
/// it asks of the host, and what calls that skip the code need to know.
class Effects {
public:
    explicit Effects(const Pending& call) : log_(&call) {}

    void begin();
    void end_call();
    /// Drops what nobody refers to any longer but the call.
    void drop_unheld(PointerTable& scratch);

    UndoLog& log() { return log_; }
    const UndoLog& log() const { return log_; }

    /// Counts what a walk or a body that can be repeated does not do.
    void disturb() { ++disturbances_; }
    int64_t disturbances() const { return disturbances_; }

    /// Whether this call has a one-time effect (Watcher::passing).
    bool is_passing() const { return is_passing_; }
    void pass() {
        disturb();
        is_passing_ = true;
    }
    /// The reason why calls cannot skip the code; null: none.
    const char* needs_code() const { return needs_code_; }
    void need_code(const char* why) { needs_code_ = why; }

    /// A state and the variable that replaces it, see Watcher::stands_for.
    using StandIn = std::pair<const VariableBody*, Ref<VariableBody>>;
    std::span<const StandIn> stand_ins() const { return stand_ins_; }
    void stand_in(const Variable& state, const Variable& variable);

    /// The array from before the call that a state took as its own (Watcher::same); any other is
    /// its own original.
    const Array& original(const Array& array);
    void same(const Array& copy, const Array& array);

    /// What the code asked of the host, and the answer before it did.
    using Fact = std::pair<std::shared_ptr<const HostFact>, uint64_t>;
    std::span<const Fact> facts() const { return facts_; }
    void ask(const std::shared_ptr<const HostFact>& fact);

private:
    UndoLog log_;
    int64_t disturbances_ = 0;
    bool is_passing_ = false;
    const char* needs_code_ = nullptr;
    std::vector<StandIn> stand_ins_;
    /// Watcher::same, of arrays from outside: the copy, its original.
    std::vector<std::pair<Array, Array>> copies_;
    PointerTable copy_places_;  ///< The places of the copies.
    std::vector<Fact> facts_;
};

}  // namespace catena::capture
