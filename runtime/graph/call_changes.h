#pragma once

#include <functional>
#include <memory>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

#include "runtime/core/memory/function_ref.h"
#include "runtime/graph/scalar_operand.h"
#include "runtime/graph/variable.h"

namespace catena {

struct VariableBody;

/// What something outside the graph (a state, a number, the memory of a link) held at some time.
class Held {
public:
    Held() = default;
    virtual ~Held() = default;
    Held(const Held&) = delete;
    /// What it holds now; null once it is gone.
    virtual std::unique_ptr<Held> now() const = 0;
    /// Makes it hold this again.
    virtual void put_back() const = 0;
    /// False: nothing else refers to it, so no later call can find it.
    virtual bool is_reachable() const = 0;
    /// The places of variables with their graphs in it, as it is now: always as many, in the same
    /// order.
    virtual std::vector<Variable*> variables() const { return {}; }
    /// Of what was held, keeps without their graphs the variables that are not wanted.
    virtual void drop_graphs([[maybe_unused]] const std::function<bool(const Variable&)>& wanted) {}
};
using HeldList = std::vector<std::unique_ptr<Held>>;

/// Until the scope ends, on this thread: notes what a call changes outside the graph, and the
/// numbers that it reads, as they were before.
class NotingScope {
public:
    NotingScope();
    ~NotingScope();
    NotingScope(const NotingScope&) = delete;
    /// What was noted and still exists, but for `except`.
    HeldList take(const void* except);

private:
    friend void note(const void* what, FunctionRef<std::unique_ptr<Held>()> hold);
    NotingScope* outer_;
    std::vector<std::pair<const void*, std::unique_ptr<Held>>> notes_;
    std::unordered_set<const void*> seen_;
};

/// Until the scope ends, changes are no content that a repeated call needs (the order of messages).
class NotingPaused {
public:
    NotingPaused();
    ~NotingPaused();
    NotingPaused(const NotingPaused&) = delete;

private:
    NotingScope* previous_;
};

/// False: nobody on this thread asks for notes.
bool is_noting();
/// Before `what` changes: `hold` tells what it holds, unless that is known.
void note(const void* what, FunctionRef<std::unique_ptr<Held>()> hold);
/// Before the content of the state changes. To get the first content is no change: it would be
/// another one the next time.
void note_state(VariableBody& state);
/// Those that are cells.
void note_numbers(std::span<const Scalar> numbers);

/// Until the scope ends, all holds what it held earlier; then what it held before the scope,
/// whatever happened in between.
class EarlierScope {
public:
    explicit EarlierScope(const HeldList& earlier);
    ~EarlierScope();
    EarlierScope(const EarlierScope&) = delete;

private:
    HeldList present_;
};

}  // namespace catena
