#pragma once

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "frontend/capture/call/undo_log.h"
#include "frontend/capture/call/view_layout.h"
#include "frontend/capture/path/path.h"
#include "frontend/capture/path/pointer_table.h"
#include "runtime/core/array/pending.h"
#include "runtime/graph/variable/variable.h"

namespace catena::capture {

/// The values of a call with their arrays: inputs, and pending arrays for results. In eager code an
/// operation's result is a view, where OpDef::view gives one, or has row-major memory of its own. A
/// pending array says which from the start, and the memory of a program's outputs becomes what was
/// said. The arrays of values that are no longer referenced are used again by the next call.
class Values {
public:
    /// `call`: whose pending arrays these are.
    explicit Values(Pending& call) : call_(&call) {}
    Values(const Values&) = delete;

    /// A step of another tree may lie where one of this tree has been.
    void forget_steps();
    void begin(std::span<const Variable> arguments);
    void begin_segment(const Segment& segment);
    void end_call() { views_.clear(); }

    int count() const { return count_; }
    const Array& array(int v) const { return slots_[size_t(v)].array; }
    /// Not from outside.
    bool is_computed(int v) const { return slots_[size_t(v)].maker; }
    bool is_pending(const ArrayBody& array) const { return array.pending == call_; }
    /// The value of the segment that `array` is; -1: none.
    int number_of(const Array& array);
    /// Whether an array is a value; of a variable that `number_of` has told.
    bool is(const ArrayBody& array, int v) const {
        return array.pending == call_ ? array.value == v : slots_[size_t(v)].array.body() == &array;
    }
    bool has_views() const { return !views_.empty(); }
    bool shows_outside(int v) const { return !slots_[size_t(base_of(v))].maker; }
    /// The value whose memory value `v` shows; itself: none but its own.
    int base_of(int v) const { return slots_[size_t(v)].base; }

    //---- following
    /// Whether `step`, which would be next, reads these arrays.
    bool fit(const Step& step, std::span<const Variable* const> inputs);
    /// Before is_new(), for each step or body that is compared.
    void begin_comparing() { new_inputs_.clear(); }
    /// Whether `array` may be input `v` of the step or body that is compared, which reads it first:
    /// it is no input of the segment yet. Which inputs are one and the same array is part of a
    /// path, so that what was recorded by an array's number means this input in every call that
    /// takes the path.
    bool is_new(const ArrayBody& array, int v) {
        return !input_numbers_.find(&array) && new_inputs_.insert(&array, v) == v;
    }
    void take_input(int v, const Array& array);
    /// Takes the inputs of a step and appends its results, which are pending.
    void take(const Step& step, std::span<const Variable* const> inputs, Variables& outputs);
    /// Takes the results of steps up to `last`: `makers` are the steps of the values from `first`
    /// on, null for inputs from outside.
    void take_again(const Step& last, int first, std::span<const Step* const> makers);
    /// The result of a step whose operation may give a view.
    void lay_out(const Step& step);
    void lay_out(std::span<const Step* const> steps) {
        for (const Step* step : steps) lay_out(*step);
    }
    /// Gives the results of a composite with a kernel, which eager code runs in the place of the
    /// body, memory of their own.
    void own_results(std::span<const Variable> outputs);
    /// A further array of a pending value.
    ArrayBody* look(ArrayBody& array);

    //---- the end of a segment
    /// The values that must be computed for the arrays that are referenced, in order.
    std::span<const int> find_alive();
    std::span<const int> alive() const { return alive_; }
    /// The view operations that lead from `base`, the value or the array from outside whose memory
    /// value `v` shows, to it; none if its memory is its own.
    std::vector<const Step*> view_steps(int v, int& base) const;
    /// The values that are such views, and whose arrays somebody refers to.
    std::vector<int> live_views() const;
    /// The values of this segment with their arrays, for recording a backward program. If two
    /// values share an array the first one is used: it comes last.
    std::vector<std::pair<Array, int>> known_arrays() const;
    /// Whether an input of the segment lies there.
    bool reads(const Storage& storage) const;
    /// Must be called before own_references(): the references that `log` has count as well.
    void count_references(const UndoLog& log);
    /// The number of references to input `v` that belong to the call itself, so cannot be used to
    /// read it.
    uint32_t own_references(int v) const { return 1 + extra_references_[size_t(v)]; }
    /// The same of a storage: by arrays that nobody else refers to.
    uint32_t own_references(const Storage& storage);

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
        int base = -1;    ///< See base_of().
        int layout = -1;  ///< Among `layouts_`; -1: no view step has given it yet.
    };
    Slot& slot(int v) { return slots_[size_t(v)]; }
    void make_room(int end) {
        if (slots_.size() < size_t(end)) slots_.resize(std::max(size_t(end), slots_.size() * 2));
    }
    Array& placeholder(int v, const Type& type, const Step& step);
    const Ref<Storage>& nowhere(Device& device);
    void own_memory(int v, Device& device);
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
    PointerTable input_numbers_;  ///< The inputs of the segment by their arrays,
    PointerTable new_inputs_;     ///< and those of the step or body that is compared.
    /// Further array bodies of pending values, made by look().
    std::vector<std::pair<Array, int>> looks_;
    std::vector<Ref<Storage>> nowhere_;
    /// By value: the storage, without data, of its pending array if that has memory of its own.
    std::vector<Ref<Storage>> own_storages_;
    std::vector<ViewLayout> layouts_;  ///< Of values that view steps gave.
    std::vector<int> views_;           ///< The segment's values that show another's memory.
    std::vector<int> alive_;           ///< See find_alive().
    std::vector<std::pair<int, int>> live_views_;       ///< Of those referenced: base, value.
    std::vector<std::pair<int, Array>> view_contents_;  ///< Elements of views that were computed.
    PointerTable storage_references_, scratch_;
    std::vector<uint32_t> extra_references_;
};

}  // namespace catena::capture
