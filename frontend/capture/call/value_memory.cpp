#include "frontend/capture/call/value_memory.h"

#include "runtime/core/array/device.h"
#include "runtime/graph/op/op.h"

namespace catena::capture {

void ValueMemory::forget_steps() {
    for (Place& place : places_) place.layout = -1;
    layouts_.clear();
}

/// The storage without data is the value's own, so that arrays are told apart by their storages; it
/// is used again where nobody else has kept it.
void ValueMemory::own(int v, ArrayBody& array, Device& device) {
    Place& place = places_[size_t(v)];
    place.base = v;
    array.strides = contiguous_strides(array.type.shape);
    array.contiguous = true;
    array.offset = 0;
    Ref<Storage>& own = place.own;
    if (own && array.storage.get() == own.get() && own->device == &device) return;
    array.storage = Ref<Storage>();
    if (!own || own->use_count() > 1 || own->device != &device) own = device.allocate(0);
    array.storage = own;
}

void ValueMemory::own_instead(int v, ArrayBody& array) {
    std::erase(views_, v);
    own(v, array, *array.storage->device);
}

void ValueMemory::lay_out(const Step& step, const ArrayBody& viewed, ArrayBody& array) {
    const int v = step.first_output;
    Place& place = places_[size_t(v)];
    if (place.layout < 0) {
        place.layout = int(layouts_.size());
        layouts_.emplace_back();
    }
    ViewLayout& layout = layouts_[size_t(place.layout)];
    const bool is_known = layout.step == &step && layout.from == viewed.strides;
    if (!is_known) layout = layout_of(step, viewed);
    if (!layout.is_view) return own(v, array, *step.call->device);
    place.base = base_of(step.operands()[0]);
    array.offset = viewed.offset + layout.offset;
    views_.push_back(v);
    // An array that shares the memory was laid out there by an earlier call.
    if (is_known && array.storage.get() == viewed.storage.get()) return;
    array.strides = layout.strides;
    array.contiguous = layout.contiguous;
    array.storage = viewed.storage;
}

const Ref<Storage>& ValueMemory::nowhere(Device& device) {
    for (const Ref<Storage>& known : nowhere_)
        if (known->device == &device) return known;
    return nowhere_.emplace_back(device.allocate(0));
}

void ValueMemory::let_go(ArrayBody& array) { array.storage = nowhere(*array.storage->device); }

}  // namespace catena::capture
