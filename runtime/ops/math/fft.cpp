#include "runtime/ops/math/fft.h"

#include "runtime/core/system/error.h"
#include "runtime/cpu/fft_kernel.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/array/layout/creation.h"
#include "runtime/ops/array/layout/slicing.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/declare/device_form.h"
#include "runtime/ops/define/check_float.h"
#include "runtime/ops/define/scalar_type.h"
#include "runtime/ops/define/widened.h"
#include "runtime/ops/onnx/onnx.h"

namespace catena {
namespace {

Types fft_type(const TypeCall& c) {
    const Type &real = c.inputs[0], &imag = c.inputs[1];
    if (real.dtype != Dtype::float32 && real.dtype != Dtype::float64)
        fail<DtypeError>("fft: real should be floating point, it is {}", to_string(real));
    if (real != imag)
        fail<ShapeError>("fft: real and imag should be of one type, they are {} and {}",
                         to_string(real), to_string(imag));
    if (real.shape.rank() == 0 || real.shape[real.shape.rank() - 1] == 0)
        fail<ShapeError>("fft: a last axis of at least one element is needed, real is {}",
                         to_string(real));
    return {real, imag};
}

/// The adjoint, which is n times the inverse, transforms with the parts exchanged: i conj(x) for x.
Variables adjoint(const Variable& real, const Variable& imag);

/// ONNX keeps both parts in one array, along a last axis.
std::vector<int> write_fft(OnnxCall& c) {
    OnnxGraph& g = c.graph;
    const OnnxSizes& shape = c.inputs[0].shape;
    OnnxSizes apart = shape;
    apart.push_back(1);
    const int64_t parts = int64_t(shape.size()), last = parts - 1;
    const int both =
        g.node("Concat", {g.reshape(c.input(0), shape, apart), g.reshape(c.input(1), shape, apart)},
               {{"axis", parts}});
    const int y = c.opset() < 20 ? g.node("DFT", {both}, {{"axis", last}})
                                 : g.node("DFT", {both, -1, g.number(double(last), Dtype::int64)});
    std::vector<int> outputs =
        g.node("Split", {y, g.integers(OnnxSizes{1, 1})}, {{"axis", parts}}, 2);
    for (int& output : outputs) output = g.reshape(output, apart, shape);
    return outputs;
}

const OpDef& op_fft = register_op({
    .name = "fft",
    .input_count = 2,
    .output_count = 2,
    .differentiable = true,
    .type = fft_type,
    .kernel = run_fft,
    .gradient = [](const GradientCall& g) { return adjoint(g.gy(0), g.gy(1)); },
    .onnx = {write_fft, 17},
    .declared = {host_only("the host computes Fourier transforms")},
});

Variables transform(const Variable& real, const Variable& imag) {
    const Variable* inputs[] = {&real, &imag};
    return apply(op_fft, inputs, known_location());
}
Variables adjoint(const Variable& real, const Variable& imag) {
    const Variables exchanged = transform(imag, real);
    return {exchanged[1], exchanged[0]};
}

Variable part(const char* name, const Variable& x) {
    check_float("fft", name, x.type());
    return widened(x);
}

const FunctionDef& f_fft =
    function("fft(real, imag)", {"real", "imag"}, [](const FunctionArguments& a) {
        const ComplexPair y = fft(a.array("real"), a.array("imag"));
        return Variables{y.real, y.imag};
    });
const FunctionDef& f_ifft =
    function("ifft(real, imag)", {"real", "imag"}, [](const FunctionArguments& a) {
        const ComplexPair y = ifft(a.array("real"), a.array("imag"));
        return Variables{y.real, y.imag};
    });

}  // namespace

ComplexPair fft(const Operand& real, const Operand& imag) {
    LocationScope scope(real.location());
    const Dtype dtype = real.variable().dtype();
    const Variables y = transform(part("real", real), part("imag", imag));
    return {cast(y[0], dtype), cast(y[1], dtype)};
}

ComplexPair rfft(const Operand& x) {
    LocationScope scope(x.location());
    const Variable real = as_floats(x);
    const ComplexPair y = fft(real, zeros_like(real));
    const int64_t kept = real.shape()[real.rank() - 1] / 2 + 1;
    return {slice_axis(y.real, -1, 0, kept), slice_axis(y.imag, -1, 0, kept)};
}

ComplexPair ifft(const Operand& real, const Operand& imag) {
    LocationScope scope(real.location());
    const Dtype dtype = real.variable().dtype();
    const Variables y = adjoint(part("real", real), part("imag", imag));
    const Shape& shape = y[0].shape();
    const double share = 1.0 / double(shape[shape.rank() - 1]);
    return {cast(y[0] * share, dtype), cast(y[1] * share, dtype)};
}

}  // namespace catena
