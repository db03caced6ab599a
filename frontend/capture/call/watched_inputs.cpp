#include "frontend/capture/call/watched_inputs.h"

#include <algorithm>
#include <cstring>

#include "frontend/capture/call/view_layout.h"
#include "runtime/core/array/device.h"
#include "runtime/graph/call/recorder.h"

namespace catena::capture {
namespace {

Array row_major_copy(const Array& array) {
    Array copy = Array::empty(array.type(), array.device());
    copy_elements(array, copy);
    return copy;
}

}  // namespace

bool same_bits(const Array& a, const Array& b) {
    const size_t bytes = size_t(a.size()) * size_of(a.dtype());
    if (bytes == 0) return true;
    if (!a.device().is_host()) return same_bits(a.to(cpu_device()), b.to(cpu_device()));
    if (!a.contiguous()) return same_bits(row_major_copy(a), b);
    if (!b.contiguous()) return same_bits(a, row_major_copy(b));
    return std::memcmp(a.elements(), b.elements(), bytes) == 0;
}

/// The copy of a row-major input lies as the input does, so that a part of one is that of the
/// other.
bool WatchedInputs::Watched::holds(const ArrayBody& part) const {
    const ArrayBody& whole = *input.body();
    if (&part == &whole || !whole.contiguous ||
        element_count(part.type.shape) >= element_count(whole.type.shape))
        return same_bits(input, copy);
    return same_bits(stand_in(part),
                     copy.view(part.type.shape, part.strides, part.offset - whole.offset));
}

bool WatchedInputs::read(const Array& input, const ArrayBody& part) {
    const RecorderScope unseen(nullptr);
    const int* place = places_.find(input.body());
    if (!place) {
        all_.push_back({input, row_major_copy(input), true});
        places_.insert(input.body(), int(all_.size()) - 1);
        return true;
    }
    Watched& known = all_[size_t(*place)];
    if (known.is_read) return known.holds(part);
    // A program that ran already may keep the copy.
    if (!known.holds(*input.body())) known.copy = row_major_copy(input);
    known.is_read = true;
    return true;
}

bool WatchedInputs::are_unchanged() const {
    const RecorderScope unseen(nullptr);
    return std::ranges::all_of(
        all_, [](const Watched& w) { return !w.is_read || w.holds(*w.input.body()); });
}

const Array* WatchedInputs::content(const Array& input) {
    const int* place = places_.find(input.body());
    return place && all_[size_t(*place)].is_read ? &all_[size_t(*place)].copy : nullptr;
}

void WatchedInputs::begin_segment() {
    for (Watched& w : all_) w.is_read = false;
}

void WatchedInputs::clear() {
    all_.clear();
    places_.clear();
}

}  // namespace catena::capture
