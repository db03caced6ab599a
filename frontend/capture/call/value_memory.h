#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "frontend/capture/call/view_layout.h"
#include "frontend/capture/path/path.h"
#include "runtime/core/array/array.h"

namespace catena::capture {

/// The memory of a call's values before they are computed. In eager code an operation's result is a
/// view, where OpDef::view gives one, or has row-major memory of its own. A pending array says
/// which from the start, and the memory of a program's outputs becomes what was said.
class ValueMemory {
public:
    /// A step of another tree may lie where one of this tree has been.
    void forget_steps();
    /// No value shows another's memory so far.
    void begin_segment() { views_.clear(); }
    /// Makes room for the values below `end`.
    void make_room(size_t end) { places_.resize(std::max(end, places_.size())); }

    /// The value whose memory value `v` shows; itself: none but its own.
    int base_of(int v) const { return places_[size_t(v)].base; }
    /// The segment's values that show another's memory.
    std::span<const int> views() const { return views_; }

    /// Value `v` is an array from outside.
    void take_input(int v) { places_[size_t(v)].base = v; }
    /// Gives `array`, the pending array of value `v`, row-major memory of its own on `device`.
    void own(int v, ArrayBody& array, Device& device);
    /// Takes a value that was laid out as a view out of the views, and gives it memory of its own.
    void own_instead(int v, ArrayBody& array);
    /// Gives `array`, the pending result of `step`, whose operation may give a view of `viewed`,
    /// the layout that eager code would.
    void lay_out(const Step& step, const ArrayBody& viewed, ArrayBody& array);
    /// `array`, which nobody refers to, no longer keeps the memory that it shows.
    void let_go(ArrayBody& array);

private:
    struct Place {
        int base = -1;     ///< See base_of().
        int layout = -1;   ///< Index of the value's layout in `layouts_`; -1: no view step gave it.
        Ref<Storage> own;  ///< A storage without data, for when the value has memory of its own.
    };
    const Ref<Storage>& nowhere(Device& device);

    std::vector<Place> places_;        ///< Indexed by value.
    std::vector<ViewLayout> layouts_;  ///< Layouts of values that view steps gave.
    std::vector<int> views_;           ///< See views().
    std::vector<Ref<Storage>> nowhere_;
};

}  // namespace catena::capture
