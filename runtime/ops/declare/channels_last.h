#pragma once

#include "runtime/graph/op.h"

namespace catena {

/// Which arrays of a call the op's host kernel reads and writes with their channels last (runtime/core/memory_order.h)
/// at no extra cost. Bit i: input or output i.
struct ChannelsLast {
    uint32_t inputs = 0, outputs = 0;
    uint32_t indifferent_inputs = 0, indifferent_outputs = 0;  ///< Those of them that the kernel reads or writes as fast in the other order.
    bool preferred = false;         ///< The kernel is faster so: it would reorder row-major arrays.
    bool preferred_packed = false;  ///< So it is where the weights are kept packed (runtime/cpu/onednn/packed.h).
    bool alike = false;             ///< All of these arrays in one order, or the kernel reorders those that differ.
};

/// Declared once, beside the op's definition. Returns true.
bool set_channels_last(const OpDef& op, std::function<ChannelsLast(const TypeCall&)> rule);
/// Nothing where the op declares nothing.
ChannelsLast channels_last_of(const TypeCall& call);

}  // namespace catena
