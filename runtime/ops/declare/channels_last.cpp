#include "runtime/ops/declare/channels_last.h"

#include <algorithm>

#include "runtime/ops/declare/library_role.h"

namespace catena {

namespace {

constexpr DeclarationKind<ChannelsLastRule> order_kind("channels_last_rule");
constexpr DeclarationKind<ImageOperands> images_kind("image_operands");

bool is_for_tensor_cores(Dtype dtype, bool tf32) {
    return (is_float(dtype) && size_of(dtype) == 2) || (tf32 && dtype == Dtype::float32);
}

}  // namespace

Declaration channels_last_rule(ChannelsLastRule rule) { return order_kind(std::move(rule)); }

ChannelsLast channels_last_of(const TypeCall& call) {
    const ChannelsLastRule* const rule = order_kind.in(call.op.declared);
    return rule ? (*rule)(call) : ChannelsLast();
}

Declaration image_operands(ImageOperands images) { return images_kind(images); }

ImageOperands images_of(const OpDef& op) {
    const ImageOperands* const images = images_kind.in(op.declared);
    return images ? *images : ImageOperands();
}

ChannelsLast device_channels_last_of(const TypeCall& call, const DeviceImages& wanted) {
    const ImageOperands images = images_of(call.op);
    ChannelsLast rule{.inputs = images.inputs, .outputs = images.outputs};
    if (!is_convolution(library_role_of(call.op))) {
        rule.alike = (images.inputs | images.outputs) != 0;
        return rule;
    }
    const auto is_taken = [&](const Type& type) {
        return is_for_tensor_cores(type.dtype, wanted.tf32);
    };
    const bool on_tensor_cores = std::all_of(call.inputs.begin(), call.inputs.end(), is_taken) &&
                                 wanted.in_library && wanted.in_library(call);
    rule.preferred = wanted.always || on_tensor_cores;
    // Generated kernels for convolutions have neighbouring threads read neighbouring positions.
    return rule.preferred ? rule : ChannelsLast();
}

}  // namespace catena
