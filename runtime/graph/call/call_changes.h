#pragma once

#include <functional>
#include <memory>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

#include "runtime/core/memory/function_ref.h"
#include "runtime/graph/variable/scalar_operand.h"
#include "runtime/graph/variable/variable.h"

namespace catena {

struct VariableBody;

/// The content, at some time, of a place outside the graph: a state, a number, or the memory of a
/// recurrent link.
class Held {
public:
    Held() = default;
    virtual ~Held() = default;
    Held(const Held&) = delete;
    /// The present content of the place; null once the place is gone.
    virtual std::unique_ptr<Held> now() const = 0;
    /// Puts this content back into its place.
    virtual void put_back() const = 0;
    /// False if nothing else refers to the place, so that no later call can find it.
    virtual bool is_reachable() const = 0;
    /// Pointers to the variables with graphs that the place holds now: always as many, in one
    /// order.
    virtual std::vector<Variable*> variables() const { return {}; }
    /// Drops from the held content the graphs of variables that `wanted` rejects; their elements
    /// stay.
    virtual void drop_graphs([[maybe_unused]] const std::function<bool(const Variable&)>& wanted) {}
};
using HeldList = std::vector<std::unique_ptr<Held>>;

/// Notes, until the scope ends on this thread, the earlier content of everything outside the graph
/// that a call changes, and the numbers that it reads.
class NotingScope {
public:
    NotingScope();
    ~NotingScope();
    NotingScope(const NotingScope&) = delete;
    /// The notes about places that still exist, except the place `except`.
    HeldList take(const void* except);

private:
    friend void note(const void* what, FunctionRef<std::unique_ptr<Held>()> hold);
    NotingScope* outer_;
    std::vector<std::pair<const void*, std::unique_ptr<Held>>> notes_;
    std::unordered_set<const void*> seen_;
};

/// Pauses noting until the scope ends: the changes (of the order of messages) are no content that a
/// repeated call needs.
class NotingPaused {
public:
    NotingPaused();
    ~NotingPaused();
    NotingPaused(const NotingPaused&) = delete;

private:
    NotingScope* previous_;
};

/// Whether a NotingScope of this thread asks for notes.
bool is_noting();
/// Notes the content of `what` before it changes; `hold` makes the note and is called only for the
/// first change.
void note(const void* what, FunctionRef<std::unique_ptr<Held>()> hold);
/// Notes the content of a state before it changes. The first content that a state gets is no
/// change: the next call would see another one.
void note_state(VariableBody& state);
/// Notes the values of those scalars in `numbers` that are cells.
void note_numbers(std::span<const Scalar> numbers);

/// Puts the noted earlier contents back until the scope ends; then restores what was there before
/// the scope, whatever happened in between.
class EarlierScope {
public:
    explicit EarlierScope(const HeldList& earlier);
    ~EarlierScope();
    EarlierScope(const EarlierScope&) = delete;

private:
    HeldList present_;
};

}  // namespace catena
