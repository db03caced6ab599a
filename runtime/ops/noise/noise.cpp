#include "runtime/ops/noise/noise.h"

#include "runtime/core/array/device.h"
#include "runtime/core/dtype/working_dtype.h"
#include "runtime/core/system/error.h"
#include "runtime/cpu/random_kernel.h"
#include "runtime/cpu/softmax_kernel.h"
#include "runtime/graph/op/variable_math.h"
#include "runtime/graph/settings/config.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/define/check_float.h"
#include "runtime/ops/define/composite.h"
#include "runtime/ops/define/define.h"
#include "runtime/ops/noise/random.h"
#include "runtime/ops/onnx/onnx.h"

namespace catena {
namespace {

/// What dropout does to an element, given a draw from [0, 1).
const OpDef& op_drop = elementwise<2, 1>("drop")
                           .scalars({"ratio"})
                           .floats()
                           .forward([](auto x, auto draw, auto ratio) {
                               return select(draw >= ratio, x * (1.0 / (1.0 - ratio)), 0.0);
                           })
                           .gradient<0>([](auto x, auto draw, auto ratio, auto y, auto gy) {
                               return select(draw >= ratio, gy * (1.0 / (1.0 - ratio)), 0.0);
                           })
                           .define();

Variable dropout_of_state(const Variable& x, const Variable& state, const Scalar& ratio);

/// Inputs x and the random state. Its gradient is dropout of gy with the same state: the mask is
/// drawn again, not kept.
const OpDef& op_dropout = define_composite({
    .name = "dropout",
    .input_count = 2,
    .scalar_names = {"ratio"},
    .differentiable = true,
    .type =
        [](const TypeCall& c) {
            check_float("dropout", "x", c.inputs[0]);  // dropout_c1
            return Types{c.inputs[0]};
        },
    .kernel =
        [](const KernelCall& c) {
            Array x = as_working_array(c.inputs[0], c.inputs[0].dtype()),
                  y = working_output(c.outputs[0]);
            Array state = c.inputs[1].as_contiguous();
            RandomStream stream{uint64_t(state.elements<int64_t>()[0]),
                                uint64_t(state.elements<int64_t>()[1])};
            dropout_elements(stream, x, c.scalars[0], y);
            store(y, c.outputs[0]);
        },
    .body =
        [](std::span<const Variable> v, const Attributes&, std::span<const Scalar> scalars) {
            Variable draw = uniform_of_state(v[1], v[0].shape(), Dtype::float32);
            Variable x = cast(v[0], working_dtype(v[0].dtype()));
            return Variables{
                cast(call(op_drop, known_location(), {}, {scalars[0]}, x, draw), v[0].dtype())};
        },
    .gradient =
        [](const GradientCall& c) {
            return Variables{dropout_of_state(c.gy(), c.x(1), c.scalar(0)), Variable()};
        },
    .reads = [](int, int) { return Reads{.inputs = 2}; },
    .onnx =
        [](OnnxCall& c) {
            const int training = c.graph.number(1, Dtype::bool_);
            return c.node("Dropout",
                          {c.input(0), c.graph.number(c.scalars[0], c.result()), training});
        },
});

Variable dropout_of_state(const Variable& x, const Variable& state, const Scalar& ratio) {
    return call(op_dropout, known_location(), {}, {ratio}, x, state);
}

void check_ratio(const Scalar& ratio) {
    if (!(ratio.value() >= 0 && ratio.value() < 1))  // dropout_c2
        fail<ValueError>("dropout: ratio is {} and should be at least 0 and less than 1",
                         ratio.value());
}

Variable drop(const Variable& x, const Scalar& ratio) {
    Variable y = dropout_of_state(x, random_state(x.device()), ratio);
    advance_random_state();
    return y;
}

const FunctionDef& f_dropout = function("dropout(x, ratio=0.5, *, mask=None, return_mask=False)",
                                        {"x", "mask"}, [](const FunctionArguments& a) {
                                            Variable x = a.array("x"), mask = a.array("mask");
                                            double ratio = a.number("ratio");
                                            const bool returned = a.flag("return_mask");
                                            if (mask.defined()) {
                                                Variables y{dropout(x, ratio, mask)};
                                                if (returned) y.push_back(mask);
                                                return OneOrMore(std::move(y));
                                            }
                                            if (!returned)
                                                return OneOrMore(Variables{dropout(x, ratio)});
                                            const MaskedResult both = dropout_with_mask(x, ratio);
                                            return OneOrMore(Variables{both.y, both.mask});
                                        });
const FunctionDef& f_gaussian = function("gaussian(mean, ln_var, *, eps=None, return_eps=False)",
                                         {"mean", "ln_var", "eps"}, [](const FunctionArguments& a) {
                                             Variable mean = a.array("mean"), eps = a.array("eps");
                                             if (!eps.defined())
                                                 eps = random_normal(mean.shape(), mean.dtype());
                                             Variables y{gaussian(mean, a.array("ln_var"), eps)};
                                             if (a.flag("return_eps")) y.push_back(eps);
                                             return OneOrMore(std::move(y));
                                         });

}  // namespace

Variable functions::Dropout::operator()(const Operand& x, const Scalar& ratio) const {
    LocationScope scope(x.location());
    check_ratio(ratio);
    return config().train ? drop(x, ratio) : x.variable();
}

Variable functions::Dropout::operator()(const Operand& x, const Scalar& ratio,
                                        const Operand& mask) const {
    LocationScope scope(x.location());
    check_ratio(ratio);
    const Variable &vx = x, &factors = mask;
    if (!config().train) return vx;
    check_float("dropout", "x", vx.type());  // dropout_c1
    if (!(vx.shape() == factors.shape()))    // dropout_c3
        fail<ShapeError>("dropout: the mask should have x's shape {}, it has {}",
                         to_string(vx.shape()), to_string(factors.shape()));
    return vx * factors;
}

MaskedResult dropout_with_mask(const Operand& x, const Scalar& ratio) {
    LocationScope scope(x.location());
    check_ratio(ratio);
    const Variable& vx = x;
    if (!config().train) return {vx, Variable()};
    DeviceScope device(vx.device());
    Variable mask = drop(fill(vx.type(), 1), ratio);
    return {vx * mask, mask};
}

Variable gaussian(const Operand& mean, const Operand& ln_var) {
    LocationScope scope(mean.location());
    const Variable& m = mean;
    return gaussian(m, ln_var, random_normal(m.shape(), m.dtype()));
}

Variable gaussian(const Operand& mean, const Operand& ln_var, const Operand& eps) {
    LocationScope scope(mean.location());
    const Variable &m = mean, &v = ln_var, &e = eps;
    if (!(m.shape() == v.shape()) || !(m.shape() == e.shape()))  // gaussian_c1
        fail<ShapeError>(
            "gaussian: mean, ln_var and eps should have one shape, they have {}, {} and {}",
            to_string(m.shape()), to_string(v.shape()), to_string(e.shape()));
    return m + e * exp(v * 0.5);
}

}  // namespace catena
