#pragma once

#include <functional>
#include <span>
#include <vector>

#include "frontend/capture/path/pointer_table.h"
#include "runtime/core/array/pending.h"
#include "runtime/graph/variable/variable_body.h"

namespace catena::capture {

/// Records what Catena's variables held before each change made by a region's code, so that an
/// error in the deferred computation can restore them to what they would be in eager code.
class UndoLog {
public:
    /// `pending` is the region whose pending arrays count as computed values; all other arrays come
    /// from outside.
    explicit UndoLog(const Pending* pending) : pending_(pending) {}

    void content(VariableBody& body, int steps) { add(body, false, body.array, steps); }
    void gradient(VariableBody& body, int steps) {
        add(body, true, body.grad ? body.grad->array : Array(), steps);
        entries_.back().consumed = body.grad_consumed;
    }
    /// Notes the first use of a gradient that has not changed yet.
    void reads_gradient(VariableBody& body);
    void clear() {
        entries_.clear();
        reads_.clear();
        used_.clear();
    }
    bool empty() const { return entries_.empty(); }
    size_t size() const { return entries_.size(); }

    /// Drops the changes of variables that only the log still references.
    void drop_unheld(PointerTable& scratch);

    /// Undoes the changes after the first `steps` operations. `value` returns the array of a
    /// computed value.
    void undo(int steps, const std::function<Array(int)>& value);

    /// Drops gradients that are older than the latest content of their variable and marks them as
    /// consumed, if nothing but the variable references them.
    void consume_gradients(PointerTable& scratch);

    /// Calls f(array) for every array from outside that the log references.
    template <class F>
    void for_each_held(F&& f) const {
        for (const Entry& e : entries_)
            if (e.array.defined()) f(e.array);
    }
    /// Calls f(value) for the computed values that undo() may restore.
    template <class F>
    void for_each_value(F&& f) const {
        for (const Entry& e : entries_)
            if (e.value >= 0) f(e.value);
    }
    /// Calls f(body, array before, or a computed value) for the content of each variable before its
    /// first change, in order.
    template <class F>
    void for_each_first_content(PointerTable& scratch, F&& f) const {
        scratch.clear();
        for (const Entry& e : entries_)
            if (!e.is_gradient && scratch.insert(e.body.get(), 0)++ == 0)
                f(e.body, e.array, e.value);
    }
    /// Calls f(body, gradient before (array or value), consumed) likewise for gradients.
    template <class F>
    void for_each_first_gradient(PointerTable& scratch, F&& f) const {
        scratch.clear();
        for (const Entry& e : entries_)
            if (e.is_gradient && scratch.insert(e.body.get(), 0)++ == 0)
                f(e.body, e.array, e.value);
    }

    /// A variable whose gradient was read before it changed, and whether there was one.
    struct Read {
        Ref<VariableBody> body;
        bool found = false, consumed = false;
    };
    std::span<const Read> reads() const { return reads_; }

private:
    struct Entry {
        Ref<VariableBody> body;
        Array array;     ///< The array, if the value is from outside.
        int value = -1;  ///< The number of the computed value; -1: an array from outside.
        int steps = 0;   ///< The number of operations before the change.
        bool is_gradient = false, consumed = false;
    };
    void add(VariableBody& body, bool is_gradient, const Array& array, int steps);
    void find_used();

    const Pending* pending_;
    std::vector<Entry> entries_;
    std::vector<Read> reads_;
    PointerTable used_;  ///< The variables of `reads_`, and of the gradients in `entries_`.
};

}  // namespace catena::capture
