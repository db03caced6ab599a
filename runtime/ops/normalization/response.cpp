#include <algorithm>

#include "runtime/core/system/error.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/array/layout/slicing.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/define/check_float.h"
#include "runtime/ops/define/widened.h"
#include "runtime/ops/math/math.h"
#include "runtime/ops/math/reduction/norm.h"
#include "runtime/ops/math/reduction/reduction.h"
#include "runtime/ops/normalization/normalization.h"
#include "runtime/ops/onnx/onnx.h"

namespace catena {
namespace {

Variable response_body(const Variable& x, const Attributes& attributes,
                       std::span<const Scalar> scalars) {
    // Further ones are zeros beyond both ends: a window of any size takes no longer than one of all
    // channels.
    const int64_t channels = x.shape()[1], furthest = std::max<int64_t>(channels - 1, 0);
    const int64_t before = std::min(attributes.integer("before"), furthest),
                  behind = std::min(attributes.integer("behind"), furthest);
    const Variable wide = widened(x);
    Dims front = Dims::filled(x.rank(), 0), back = front;
    front[1] = before;
    back[1] = behind;
    const Variable squares = pad(square(wide), front, back);
    Variable total;
    for (int64_t i = 0; i <= before + behind; ++i) {
        const Variable part = slice_axis(squares, 1, i, channels);
        total = total.defined() ? total + part : part;
    }
    return cast(wide / pow(total * scalars[1] + scalars[0], scalars[2]), x.dtype());
}

/// ONNX's operator takes as many channels before as behind, or one less, and four axes.
std::vector<int> write_response(OnnxCall& c) {
    const int64_t before = c.attributes.integer("before"),
                  size = before + c.attributes.integer("behind") + 1;
    if (before != (size - 1) / 2) return {};
    const OnnxSizes& x = c.inputs[0].shape;
    OnnxSizes image{x[0], x[1], 1, 1};
    for (size_t i = 2; i < x.size(); ++i) {
        if (!image[2].is_constant() && !x[i].is_constant()) return {};
        image[2] = x[i].is_constant() ? image[2] * x[i].constant : x[i] * image[2].constant;
    }
    if (x.size() == 4) image = x;
    const int y = c.graph.node("LRN", {c.graph.reshape(c.input(0), x, image)},
                               {{"size", size},
                                {"bias", c.scalars[0]},
                                {"alpha", c.scalars[1] * double(size)},
                                {"beta", c.scalars[2]}});
    return {c.graph.reshape(y, image, x)};
}

/// The operation, which is only its body but for ONNX.
const OpDef& op_local_response = register_op({
    .name = "local_response_normalization",
    .scalar_names = {"k", "alpha", "beta"},
    .type = [](const TypeCall& c) { return Types{c.inputs[0]}; },
    .body =
        [](std::span<const Variable> v, const Attributes& a, std::span<const Scalar> scalars) {
            return Variables{response_body(v[0], a, scalars)};
        },
    .onnx = write_response,
});

const FunctionDef& f_normalize =
    function("normalize(x, eps=1e-05, axis=1)", {"x"}, [](const FunctionArguments& a) {
        return normalize(a.array("x"), a.number("eps"), a.dims("axis"));
    });
const FunctionDef& f_local_response_normalization =
    function("local_response_normalization(x, n=5, k=2, alpha=0.0001, beta=0.75)", {"x"},
             [](const FunctionArguments& a) {
                 return local_response_normalization(a.array("x"), a.integer("n"), a.number("k"),
                                                     a.number("alpha"), a.number("beta"));
             });

}  // namespace

Variable normalize(const Operand& x, const Scalar& eps, const Axes& axis) {
    LocationScope scope(x.location());
    const Variable& v = x;
    check_float("normalize", "x", v.type());
    const Axes axes = normalize_axes("normalize", axis, v.rank(), true);
    const Variable wide = widened(v);
    return cast(wide / (length_of(sum(square(wide), axes, true)) + eps), v.dtype());
}

Variable local_response(const Variable& x, int64_t before, int64_t behind, const Scalar& k,
                        const Scalar& alpha, const Scalar& beta) {
    return call(op_local_response, known_location(), {{"before", before}, {"behind", behind}},
                {k, alpha, beta}, x);
}

Variable local_response_normalization(const Operand& x, int64_t n, const Scalar& k,
                                      const Scalar& alpha, const Scalar& beta) {
    LocationScope scope(x.location());
    const Variable& v = x;
    check_float("local_response_normalization", "x", v.type());
    if (v.rank() < 2)
        fail<ShapeError>("local_response_normalization: x should be [N,C,...], it is {}",
                         to_string(v.shape()));
    if (n < 1) fail<ValueError>("local_response_normalization: n is {} and should be positive", n);
    return local_response(v, n / 2, n / 2, k, alpha, beta);
}

}  // namespace catena
