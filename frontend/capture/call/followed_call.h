#pragma once

#include <span>
#include <utility>
#include <vector>

#include "frontend/capture/call/cursor.h"
#include "frontend/capture/call/effects.h"
#include "frontend/capture/call/host_read.h"
#include "frontend/capture/call/known_steps.h"
#include "frontend/capture/call/live_graph.h"
#include "frontend/capture/call/made_nodes.h"
#include "frontend/capture/call/numbers.h"
#include "frontend/capture/call/own_references.h"
#include "frontend/capture/call/values.h"
#include "frontend/capture/call/written_memory.h"
#include "runtime/core/array/device.h"
#include "runtime/graph/op/op.h"

namespace catena::capture {

/// A call of a region as far as its code has run: what the Follower writes down, and what the
/// programs of its endings read and compute.
struct FollowedCall {
    struct Rules {
        const char* region = "";
        bool breaks = true;
        bool keep_grads = false;
        bool watches_memory = false;
        /// Calls may skip the code: the results' graph must be a compiled program.
        bool is_replayed = false;
    };
    /// A moment in the code: what has been done since can be told, see did_only_steps().
    struct Moment {
        const Step* step = nullptr;
        int scalars = 0;
        size_t changes = 0, nodes = 0;
        int64_t disturbances = 0;
    };

    /// `owner`: whose pending arrays the values are.
    FollowedCall(Pending& owner, Tree& tree) : cursor(tree), values(owner), effects(owner) {}

    void begin(std::span<const Variable> arguments, const Rules& with);
    /// Goes on behind the host read that `ending` is.
    void cut(const Ending& ending);
    void end();

    bool matches(const Step& step, const OpCall& call) {
        return step.call->op == &call.op && step.operands().size() == call.inputs.size() &&
               step.scalars().size() == call.scalars.size() &&
               step.first_scalar == numbers.count() &&
               (!call.inputs.empty() || step.call->device == &current_device()) &&
               values.fit(step, call.inputs) &&
               numbers.fit(step, call.scalars, rules.is_replayed) &&
               step.call->attributes == call.attributes;
    }
    void take(const Step& step, const OpCall& call, Variables& outputs) {
        values.take(step, call.inputs, outputs);
        numbers.take(step, call.scalars);
        cursor.take(step);
    }
    /// The step that `call` is, where no path has it yet.
    std::unique_ptr<Step> made_step(const OpCall& call, std::span<const Type> types,
                                    Device& device);

    //---- several steps at once
    Moment now() const;
    /// Whether the code has only taken steps since, and made `changes` of variables.
    bool did_only_steps(const Moment& since, size_t changes) const;
    KnownSteps steps_since(const Moment& since) const;
    /// Takes them without comparing anything: what they follow from was compared. The inputs from
    /// outside are taken next, and then views are laid out.
    void take_again(const KnownSteps& known);

    //---- the end of a segment
    /// What a program is to read for input `v`: its elements as operations have read them.
    const Array& content(int v) { return memory.content(values.array(v)); }
    /// Whether nobody else refers to input `v`, so that a result may take its memory. `references`
    /// must have been counted.
    bool may_give_away(int v);
    /// Computes the `wanted` values with the eager kernels, up to step `last`. After a failure,
    /// those computed before are delivered.
    void interpret(const Step* last, std::span<const int> wanted);

    Rules rules;
    Cursor cursor;
    Values values;
    OwnReferences references;
    Numbers numbers;
    MadeNodes nodes;
    Effects effects;
    WrittenMemory memory;
    GraphWalk walk;
    LiveGraph graph;       ///< The graph that `walk` finds; empty in between.
    PointerTable scratch;  ///< A table that anybody may use for a moment.
    HostRead reader;       ///< What reads a value now.
    /// The step that has failed: only operations before it take effect; -1: unknown.
    int failed_at = -1;
    /// Whether arrays are computed now, or inspected and must stay pending.
    bool is_computing = false;
};

}  // namespace catena::capture
