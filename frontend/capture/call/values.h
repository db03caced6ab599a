#pragma once

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "frontend/capture/call/segment_inputs.h"
#include "frontend/capture/call/value_memory.h"
#include "frontend/capture/path/path.h"
#include "runtime/core/array/pending.h"
#include "runtime/graph/variable/variable.h"

namespace catena::capture {

/// The values of a call with their arrays: inputs, and pending arrays for results. The arrays of
/// values that are no longer referenced are used again by the next call.
class Values {
public:
    /// The values of the call whose pending arrays are those of `call`.
    explicit Values(Pending& call) : call_(&call) {}
    Values(const Values&) = delete;

    /// A step of another tree may lie where one of this tree has been.
    void forget_steps();
    void begin(std::span<const Variable> arguments);
    void begin_segment(const Segment& segment);
    void end_call() { memory_.begin_segment(); }

    /// Where the values lie.
    const ValueMemory& memory() const { return memory_; }
    /// The segment's values from outside.
    SegmentInputs& inputs() { return inputs_; }
    /// The first value of the segment.
    int first() const { return first_; }
    /// The number of values so far, those of earlier segments included.
    int count() const { return count_; }
    const Array& array(int v) const { return slots_[size_t(v)].array; }
    /// Whether a step of the region computes the value; else it is from outside.
    bool is_computed(int v) const { return slots_[size_t(v)].maker; }
    bool is_pending(const ArrayBody& array) const { return array.pending == call_; }
    /// The value of the segment that `array` is; -1: none.
    int number_of(const Array& array);
    /// Whether an array is a value; of a variable that `number_of` has told.
    bool is(const ArrayBody& array, int v) const {
        return array.pending == call_ ? array.value == v : slots_[size_t(v)].array.body() == &array;
    }
    /// Whether the memory of value `v` is that of an array from outside.
    bool shows_outside(int v) const { return !is_computed(memory_.base_of(v)); }

    //---- following
    /// Whether `step`, which would be next, reads these arrays as its inputs.
    bool fit(const Step& step, std::span<const Variable* const> inputs);
    void take_input(int v, const Array& array);
    /// Takes the inputs of a step and appends its results, which are pending.
    void take(const Step& step, std::span<const Variable* const> inputs, Variables& outputs);
    /// Takes the results of steps up to `last`: `makers` are the steps of the values from `first`
    /// on, null for inputs from outside.
    void take_again(const Step& last, int first, std::span<const Step* const> makers);
    /// Lays out the results of steps, taken again, whose operations may give views.
    void lay_out(std::span<const Step* const> steps);
    /// Gives the results of a composite with a kernel, which eager code runs in the place of the
    /// body, memory of their own.
    void own_results(std::span<const Variable> outputs);
    /// A further array of a pending value.
    ArrayBody* look(ArrayBody& array);

    //---- the end of a segment
    /// The values that must be computed for the arrays that are referenced, in order.
    std::span<const int> find_alive();
    /// The view operations that lead from `base`, the value or the array from outside whose memory
    /// value `v` shows, to it; none if its memory is its own.
    std::vector<const Step*> view_steps(int v, int& base) const;
    /// The values that are such views, and whose arrays somebody refers to.
    std::vector<int> live_views() const;
    /// The values of this segment with their arrays, for recording a backward program. If two
    /// values share an array the first one is used: it comes last.
    std::vector<std::pair<Array, int>> known_arrays() const;
    /// Whether an input of the segment lies in the storage.
    bool reads(const Storage& storage) const;

    //---- what they become
    /// A value with memory of its own is computed there. A view that was computed is one of which
    /// nothing else is left, or its base has not been computed.
    void deliver(int v, const Array& content);
    /// Shows the views what was computed, and drops the segment's references.
    void release();
    /// No array that somebody holds may wait for this call any longer.
    void fail(std::string_view region, std::string_view why) noexcept;

private:
    /// The array of an input or of a result. `maker` is the step that caches the result's array;
    /// null and a pending array: one that a step of this number may take.
    struct Slot {
        Array array;
        const Step* maker = nullptr;
    };
    Slot& slot(int v) { return slots_[size_t(v)]; }
    void make_room(int end);
    Array& placeholder(int v, const Type& type, const Step& step);
    bool is_whole(int v) const;
    void add_bases_of_views();
    bool show(ArrayBody& body, int v) const;
    void show_views();
    /// The end of the segment's slots: one more was counted where there was no memory for it.
    int slots_end() const { return std::min(count_, int(slots_.size())); }

    Pending* const call_;
    int first_ = 0;  ///< The first value of the segment.
    int count_ = 0;  ///< Number of values so far.
    std::vector<Slot> slots_;
    SegmentInputs inputs_;
    ValueMemory memory_;
    /// Further array bodies of pending values, made by look().
    std::vector<std::pair<Array, int>> looks_;
    std::vector<int> alive_;                            ///< The values that find_alive() gave.
    std::vector<std::pair<int, int>> live_views_;       ///< Views that are referenced: base, value.
    std::vector<std::pair<int, Array>> view_contents_;  ///< Elements of views that were computed.
};

}  // namespace catena::capture
