#include "runtime/ops/array/copy_to_device.h"

#include "runtime/core/array/device.h"
#include "runtime/ops/array/rearrange.h"
#include "runtime/ops/define/define.h"

namespace catena {
namespace {

const OpDef& copy_to_device_op();

// Devices live as long as the process, and not all have a name that get_device() knows.
int64_t number_of(Device& device) { return int64_t(reinterpret_cast<intptr_t>(&device)); }
Device& device_in(const Attributes& a, std::string_view name) {
    return *reinterpret_cast<Device*>(intptr_t(a.integer(name)));
}

Variable copied(const Variable& x, Device& from, Device& to) {
    const Variable* inputs[] = {&x};
    return std::move(apply(copy_to_device_op(), inputs, known_location(),
                           {{"from", number_of(from)}, {"to", number_of(to)}})[0]);
}

Variables body(std::span<const Variable> inputs, const Attributes& a, std::span<const Scalar>) {
    if (inputs[0].device().is_meta()) return {inputs[0]};  // Only types are computed.
    return {Variable(inputs[0].array().to(device_in(a, "to")), false)};
}

Variables gradient(const GradientCall& g) {
    return {copied(g.gy(), device_in(g.attributes(), "to"), device_in(g.attributes(), "from"))};
}

const OpDef& copy_to_device_op() {
    static const OpDef& op = register_op({
        .name = "copy_to_device",
        .input_count = 1,
        .type = [](const TypeCall& c) { return Types{c.inputs[0]}; },
        .body = body,
        .gradient = gradient,
    });
    return op;
}

}  // namespace

Variable copy(const Operand& x, Device& device) {
    const LocationScope scope(x.location());
    Device& from = x.variable().device();
    return &from == &device ? copy(x) : copied(x, from, device);
}

Variable copy(const Operand& x, std::string_view device) { return copy(x, get_device(device)); }

}  // namespace catena
