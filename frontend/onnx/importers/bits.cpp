// The bits of numbers.
#include <cstring>

#include "frontend/onnx/importers/shared.h"
#include "runtime/core/array/device.h"
#include "runtime/ops/math/bits.h"

namespace catena::onnx {
namespace {

Variables shifted(const NodeCall& n) {
    if (!n.has_attribute("direction")) n.wrong("attribute direction is missing");
    return {n.choice("direction", {"LEFT", "RIGHT"}) == "LEFT" ? left_shift(n[0], n[1])
                                                               : right_shift(n[0], n[1])};
}

/// The elements' bits, as they lie in memory.
Variables reinterpreted(const NodeCall& n) {
    const Dtype dtype = n.dtype("to");
    if (size_of(dtype) != size_of(n[0].dtype()))
        n.wrong(fmt::format("{} has another size than {}", catena::name_of(dtype),
                            catena::name_of(n[0].dtype())));
    const Array from = n[0].array().to(cpu_device()).as_contiguous();
    const Array to = Array::empty({dtype, from.shape()}, cpu_device());
    if (to.size() > 0) std::memcpy(to.to_fill(), from.elements(), byte_count(to.type()));
    return {Variable(to, false)};
}

const int bits_importers = add_importers({
    {"BitShift", shifted},
    {"BitwiseAnd", [](const NodeCall& n) { return Variables{bitwise_and(n[0], n[1])}; }},
    {"BitwiseOr", [](const NodeCall& n) { return Variables{bitwise_or(n[0], n[1])}; }},
    {"BitwiseXor", [](const NodeCall& n) { return Variables{bitwise_xor(n[0], n[1])}; }},
    {"BitwiseNot", [](const NodeCall& n) { return Variables{bitwise_not(n[0])}; }},
    {"BitCast", reinterpreted},
});

}  // namespace
}  // namespace catena::onnx
