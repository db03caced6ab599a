#pragma once

#include <functional>
#include <vector>

#include "frontend/capture/pointer_table.h"
#include "runtime/core/pending.h"
#include "runtime/graph/variable_body.h"

namespace catena::capture {

/// What Catena's own variables held before each change that the code of a region made, so that an error in the middle of
/// what is computed later leaves them as it would have left them then.
class UndoLog {
public:
    /// Tells the values that a call computes from arrays that are there: -1.
    explicit UndoLog(const Pending* pending) : pending_(pending) {}

    void content(VariableBody& body, int steps) { add(body, false, body.array, steps); }
    void gradient(VariableBody& body, int steps) {
        add(body, true, body.grad ? body.grad->array : Array(), steps);
        entries_.back().consumed = body.grad_consumed;
    }
    void clear() { entries_.clear(); }
    bool empty() const { return entries_.empty(); }

    /// Forgets changes of variables that only the log still holds.
    void drop_unheld(PointerTable& scratch);

    /// Takes back what happened after the first `steps` operations. `value` gives the array of a computed value.
    void undo(int steps, const std::function<Array(int)>& value);

    /// Forgets gradients that were made before the content of the same variable changed, and marks them as used up:
    /// nobody but that variable may hold them.
    void consume_gradients(PointerTable& scratch);

    /// Calls f(array) for every array from outside that the log itself holds.
    template <class F>
    void for_each_held(F&& f) const {
        for (const Entry& e : entries_)
            if (e.array.defined()) f(e.array);
    }
    /// Calls f(value) for the computed values that undoing may go back to.
    template <class F>
    void for_each_value(F&& f) const {
        for (const Entry& e : entries_)
            if (e.value >= 0) f(e.value);
    }
    /// Calls f(body, array before, or a computed value) for the content of each variable before its first change, in order.
    template <class F>
    void for_each_first_content(PointerTable& scratch, F&& f) const {
        scratch.clear();
        for (const Entry& e : entries_)
            if (!e.is_gradient && scratch.insert(e.body.get(), 0)++ == 0) f(e.body, e.array, e.value);
    }
    /// Calls f(body, gradient before (array or value), consumed) likewise for gradients.
    template <class F>
    void for_each_first_gradient(PointerTable& scratch, F&& f) const {
        scratch.clear();
        for (const Entry& e : entries_)
            if (e.is_gradient && scratch.insert(e.body.get(), 0)++ == 0) f(e.body, e.array, e.value);
    }

private:
    struct Entry {
        Ref<VariableBody> body;
        Array array;         ///< From outside.
        int value = -1;      ///< Else the computed value that it was.
        int steps = 0;       ///< Operations before the change.
        bool is_gradient = false, consumed = false;
    };
    void add(VariableBody& body, bool is_gradient, const Array& array, int steps);

    const Pending* pending_;
    std::vector<Entry> entries_;
};

}  // namespace catena::capture
