#pragma once

#include <span>

#include "frontend/link/parameter.h"
#include "runtime/core/array/device.h"
#include "runtime/core/memory/reused_vector.h"

// The parameters of one model may lie on several devices; an operation's arrays lie on one.

namespace catena {

/// Whether arrays of the two devices cannot meet in an operation. The meta device, where only types
/// are computed, goes with every other.
inline bool are_apart(const Device& a, const Device& b) {
    return &a != &b && !a.is_meta() && !b.is_meta();
}

/// x on `device`: itself, or a copy where it lies on another.
Variable beside(const Variable& x, Device& device);
/// Moves the content of a state to `device`, not recorded.
void move_beside(const State& state, Device& device);

/// Calls run(items, device) for every device that some of the items are on, with those items, in
/// the order of their first items.
template <class Item, class DeviceOf, class Run>
void for_each_device(std::span<const Item> items, const DeviceOf& device_of, const Run& run) {
    if (items.empty()) return;
    Device& first = device_of(items[0]);
    ReusedVector<Item> here, left;
    for (const Item& item : items)
        (are_apart(device_of(item), first) ? left : here).push_back(item);
    if (left.empty()) return run(items, first);
    run(std::span<const Item>(here), first);
    for_each_device(std::span<const Item>(left), device_of, run);
}

}  // namespace catena
