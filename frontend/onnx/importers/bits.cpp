// The bits of integers. Catena computes with numbers, so elements are read on the host.
#include <cstring>

#include "frontend/onnx/importers/shared.h"
#include "frontend/onnx/tensor.h"
#include "runtime/core/device.h"

namespace catena::onnx {
namespace {

/// f of the elements of two integer arrays, broadcast against each other.
template <class F>
Variables of_elements(const NodeCall& n, F&& f) {
    const Dtype dtype = n[0].dtype();
    if (!is_integer(dtype) || n[1].dtype() != dtype)
        n.wrong("it takes two arrays of one integer type");
    Shape shape;
    if (!broadcast_shapes(n[0].shape(), n[1].shape(), shape))
        n.wrong(fmt::format("{} and {} do not broadcast", to_string(n[0].shape()),
                            to_string(n[1].shape())));
    std::vector<int64_t> a = broadcast_to(n[0], shape).array().to_vector<int64_t>();
    const std::vector<int64_t> b = broadcast_to(n[1], shape).array().to_vector<int64_t>();
    for (size_t i = 0; i < a.size(); ++i) a[i] = f(a[i], b[i]);
    return {Variable(Array::from(a, shape).astype(dtype), false)};
}

/// The low `bits` of x as a number of that width.
int64_t wrapped(uint64_t x, int bits, bool is_signed) {
    if (bits == 64) return int64_t(x);
    const uint64_t low = x & ((uint64_t(1) << bits) - 1);
    const bool negative = is_signed && (low >> (bits - 1)) != 0;
    return int64_t(low) - (negative ? int64_t(1) << bits : 0);
}

/// A shift by the width or more, and one by less than 0, moves all bits out.
Variables shifted(const NodeCall& n) {
    const int bits = int(8 * size_of(n[0].dtype()));
    const bool is_signed = n[0].dtype() != Dtype::uint8, left = n.text("direction", "") == "LEFT";
    return of_elements(n, [=](int64_t x, int64_t by) -> int64_t {
        if (by < 0 || by >= bits) return left || x >= 0 ? 0 : -1;
        return left ? wrapped(uint64_t(x) << by, bits, is_signed) : x >> by;
    });
}

Variables reinterpreted(const NodeCall& n) {
    const Dtype dtype = dtype_from_onnx(int(n.integer("to")), n.describe());
    if (size_of(dtype) != size_of(n[0].dtype()))
        n.wrong(fmt::format("{} has another size than {}", catena::name_of(dtype),
                            catena::name_of(n[0].dtype())));
    const Array from = n[0].array().to(cpu_device()).as_contiguous();
    const Array to = Array::empty({dtype, from.shape()}, cpu_device());
    std::memcpy(to.to_fill(), from.elements(), size_t(from.size()) * size_of(dtype));
    return {Variable(to, false)};
}

const int importers = add_importers({
    {"BitShift", shifted},
    {"BitwiseAnd",
     [](const NodeCall& n) { return of_elements(n, [](int64_t a, int64_t b) { return a & b; }); }},
    {"BitwiseOr",
     [](const NodeCall& n) { return of_elements(n, [](int64_t a, int64_t b) { return a | b; }); }},
    {"BitwiseXor",
     [](const NodeCall& n) { return of_elements(n, [](int64_t a, int64_t b) { return a ^ b; }); }},
    {"BitCast", reinterpreted},
});

}  // namespace
}  // namespace catena::onnx
