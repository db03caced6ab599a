#pragma once

#include <algorithm>

#include "runtime/graph/op/op.h"

namespace catena {

/// Which arrays of a call are read and written with their channels last
/// (runtime/core/array/memory_order.h) at no extra cost. Bit i: input or output i; bit 31: it and
/// all after it.
struct ChannelsLast {
    static bool holds(uint32_t mask, size_t i) { return mask >> std::min<size_t>(i, 31) & 1; }
    uint32_t inputs = 0, outputs = 0;
    /// The inputs and outputs among them that are read or written as fast in the other order.
    uint32_t indifferent_inputs = 0, indifferent_outputs = 0;
    bool preferred = false;  ///< The call is faster so: it would reorder row-major arrays.
    /// Whether channels last is preferred where the weights are kept packed
    /// (runtime/cpu/onednn/packed.h).
    bool preferred_packed = false;
    bool alike = false;  ///< All of these arrays in one order, or those that differ are reordered.
    friend bool operator==(const ChannelsLast&, const ChannelsLast&) = default;
};
using ChannelsLastRule = std::function<ChannelsLast(const TypeCall&)>;

/// The declaration of which order the op's host kernel takes.
Declaration channels_last_rule(ChannelsLastRule rule);
/// Nothing where the op declares nothing.
ChannelsLast channels_last_of(const TypeCall& call);

/// The arrays of a call that are images, or lie like images. Devices take these in either order:
/// vendor libraries by steps, kernels of element texts by where an element lies.
struct ImageOperands {
    uint32_t inputs = 0, outputs = 0;
    bool has_input(size_t i) const { return ChannelsLast::holds(inputs, i); }
    bool has_output(size_t i) const { return ChannelsLast::holds(outputs, i); }
};
Declaration image_operands(ImageOperands images);
/// Nothing where the op declares nothing.
ImageOperands images_of(const OpDef& op);

/// What a device wants.
struct DeviceImages {
    bool always = false;  ///< Channels last wherever there is a convolution.
    bool tf32 = false;    ///< Tensor cores take float32, too: Config::tf32.
    /// Whether a vendor library computes the call.
    std::function<bool(const TypeCall&)> in_library;
};
/// Which arrays of a call have their channels last on a device, from images_of() and the op's role:
/// those of convolutions that a library computes on tensor cores, of halves and with TF32 of
/// float32; what is not a convolution follows.
ChannelsLast device_channels_last_of(const TypeCall& call, const DeviceImages& wanted);

}  // namespace catena
