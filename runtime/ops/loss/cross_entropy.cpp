#include <algorithm>
#include <numeric>

#include "runtime/core/array/device.h"
#include "runtime/core/dtype/working_dtype.h"
#include "runtime/core/system/error.h"
#include "runtime/cpu/softmax_kernel.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/graph/op/variable_math.h"
#include "runtime/graph/settings/autocast.h"
#include "runtime/ops/activation/softmax.h"
#include "runtime/ops/array/indexing/indexing.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/declare/device_form.h"
#include "runtime/ops/define/composite.h"
#include "runtime/ops/define/widened.h"
#include "runtime/ops/loss/loss.h"
#include "runtime/ops/math/reduction/reduction.h"
#include "runtime/ops/math/weighted.h"
#include "runtime/ops/onnx/onnx.h"

namespace catena {
namespace {

using Span = std::span<const Variable>;

/// Shape of t with the class axis put back as size 1: the shape of a value per position that
/// broadcasts over classes.
Shape position_shape(const Shape& x) {
    Shape shape = x;
    shape[1] = 1;
    return shape;
}

/// Class numbers along axis 1. They are compared as floats, which vectorises best; exact to 2^24
/// (2^53).
Dtype class_dtype(int64_t classes) { return classes < (1 << 24) ? Dtype::float32 : Dtype::float64; }

const OpDef& op_class_numbers = register_op({
    .name = "class_numbers",
    .input_count = 0,
    .type =
        [](const TypeCall& c) {
            return Types{{c.attributes.dtype("dtype"), c.attributes.dims("shape")}};
        },
    .kernel =
        [](const KernelCall& c) {
            visit_dtype(c.outputs[0].dtype(), [&](auto zero) {
                using T = decltype(zero);
                T* y = c.outputs[0].to_fill<T>();
                for (int64_t i = 0; i < c.outputs[0].size(); ++i) y[i] = T(float(i));
            });
        },
    .onnx =
        [](OnnxCall& c) {
            c.dims("shape");  // must be known
            return std::vector{c.graph.constant(run_kernel(c.op, {}, c.attributes)[0])};
        },
    .declared = {element_text("        y0(i, T(i));")},
});

/// The first label that is neither a class nor to be ignored is an error.
template <class T>
void check_labels(const T* labels, int64_t n, int64_t classes, int64_t ignore_label) {
    bool wrong = false;
    for (int64_t i = 0; i < n; ++i) {
        const int64_t label = int64_t(labels[i]);
        wrong |= (label < 0 || label >= classes) && label != ignore_label;
    }
    if (!wrong) return;
    for (int64_t i = 0; i < n; ++i) {
        const int64_t label = int64_t(labels[i]);
        if ((label < 0 || label >= classes) && label != ignore_label)
            fail<ValueError>(
                "softmax_cross_entropy: label {} at index {} is not a class (x has {} classes, 0 "
                "to {}; "
                "ignore_label is {})",
                label, i, classes, classes - 1, ignore_label);
    }
}

/// The labels themselves, checked. A step of its own, because fused code cannot raise errors.
const OpDef& op_class_labels = register_op({
    .name = "class_labels",
    .type = [](const TypeCall& c) { return Types{c.inputs[0]}; },
    .kernel =
        [](const KernelCall& c) {
            const Array labels = c.inputs[0].as_contiguous();
            visit_dtype(labels.dtype(), [&](auto zero) {
                using T = decltype(zero);
                if constexpr (std::is_integral_v<T>) {
                    const T* from = labels.elements<T>();
                    check_labels(from, labels.size(), c.attributes.integer("classes"),
                                 c.attributes.integer("ignore_label"));
                    std::copy_n(from, labels.size(), c.outputs[0].to_fill<T>());
                }
            });
        },
    .onnx = "Identity",
    .checks_values = true,
    .declared = {element_text(R"(
        const i64 label = i64(p0[i]);
        if (label != ignore_label) place_in(label, 1, classes, false);
        y0(i, label);)")},
});

/// What the body of the loss and of its gradient have in common.
struct Positions {
    Variable scores;  ///< x in the dtype worked in.
    Variable hit;     ///< Bool: this class is the label.
    Variable valid;   ///< Bool per position: not to be ignored.
    Variable weight;  ///< The weight of each position; undefined without class weights.
};

Positions find_positions(const Variable& x, const Variable& t, const Variable& class_weight,
                         const Attributes& attributes) {
    const Shape& shape = x.shape();
    Shape row = Shape::filled(shape.rank(), 1);
    row[1] = shape[1];
    Dtype dtype = class_dtype(shape[1]);
    const DeviceScope beside_x(x.device());
    Variables numbers = apply(op_class_numbers, {}, known_location(),
                              {{"shape", row}, {"dtype", std::string(name_of(dtype))}});
    const int64_t ignore_label = attributes.integer("ignore_label");
    Variable known = call(op_class_labels, known_location(),
                          {{"classes", shape[1]}, {"ignore_label", ignore_label}}, {}, t);
    Variable labels = reshape(known, position_shape(shape));
    Positions p;
    p.scores = widened(x);
    p.hit = numbers[0] == cast(labels, dtype);
    p.valid = labels != Scalar(ignore_label);
    if (class_weight.defined())
        p.weight = sum(where(p.hit, reshape(cast(class_weight, p.scores.dtype()), row), Scalar(0)),
                       Axes{1}, true);
    return p;
}

/// What the sum of losses is divided by.
Variable count_of(const Positions& p) {
    return maximum(sum(cast(p.valid, p.scores.dtype())), Scalar(1));
}

Variables cross_entropy_body(Span v, const Attributes& attributes, std::span<const Scalar>) {
    const Variable &x = v[0], &t = v[1];
    Positions p = find_positions(x, t, v.size() > 2 ? v[2] : Variable(), attributes);
    Axes classes{1};
    Variable highest = max(p.scores, classes, true);
    Variable total = sum(exp(p.scores - highest), classes, true);
    Variable labels = reshape(t, position_shape(x.shape()));
    Variable picked = take_along_axis(x, where(p.valid, labels, Scalar(0)), 1);
    Variable loss = log(total) + (highest - cast(picked, p.scores.dtype()));
    if (p.weight.defined()) loss = weighted(p.weight, loss);
    loss = where(p.valid, loss, Scalar(0));
    if (attributes.text("reduce") == "no")
        loss = reshape(loss, t.shape());
    else if (attributes.flag("normalize"))
        loss = sum(loss) / count_of(p);
    else
        loss = sum(loss) * (1.0 / double(std::max<int64_t>(x.shape()[0], 1)));
    return {cast(loss, x.dtype()), highest, total};
}

/// Inputs x, t, highest, total, gy and perhaps class weights.
Variables cross_entropy_gradient_body(Span v, const Attributes& attributes,
                                      std::span<const Scalar>) {
    const Variable &x = v[0], &t = v[1], &highest = v[2], &total = v[3];
    Positions p = find_positions(x, t, v.size() > 5 ? v[5] : Variable(), attributes);
    Variable factor = cast(v[4], p.scores.dtype());
    if (attributes.text("reduce") == "no")
        factor = reshape(factor, position_shape(x.shape()));
    else if (attributes.flag("normalize"))
        factor = factor / count_of(p);
    else
        factor = factor * (1.0 / double(std::max<int64_t>(x.shape()[0], 1)));
    if (p.weight.defined()) factor = factor * p.weight;
    // The form of the forward pass: a program that holds both computes the exponentials once.
    Variable probability = exp(p.scores - highest) * (1.0 / total);
    Variable gx = where(p.hit, probability - 1.0, probability) * factor;
    return {cast(where(p.valid, gx, Scalar(0)), x.dtype())};
}

/// Checks x, t and, where present, class weights at `weight`; returns x's type.
const Type& check_types(const TypeCall& c, size_t weight) {
    const Type &x = c.inputs[0], &t = c.inputs[1];
    if (x.shape.rank() < 2)  // softmax_cross_entropy_c1
        fail<ShapeError>("softmax_cross_entropy: x should have rank 2 or more, it is {}",
                         to_string(x));
    if (x.shape[1] == 0)  // softmax_cross_entropy_c7
        fail<ShapeError>(
            "softmax_cross_entropy: x {} has no classes (axis 1), at least one is needed",
            to_string(x));
    if (!is_float(x.dtype))  // softmax_cross_entropy_c6
        fail<DtypeError>("softmax_cross_entropy: x should be floating point, it is {}",
                         to_string(x));
    if (!is_integer(t.dtype))  // softmax_cross_entropy_c2
        fail<DtypeError>("softmax_cross_entropy: t should hold integer labels, it is {}",
                         to_string(t));
    Shape expected = x.shape;
    expected.erase(1);
    if (!(t.shape == expected))  // softmax_cross_entropy_c3
        fail<ShapeError>("softmax_cross_entropy: t should be {} for x {}, it is {}",
                         to_string(expected), to_string(x.shape), to_string(t.shape));
    if (c.inputs.size() > weight && !(c.inputs[weight].shape == Shape{x.shape[1]}))
        fail<ShapeError>(  // softmax_cross_entropy_c4
            "softmax_cross_entropy: class_weight should be [{}], it is {}", x.shape[1],
            to_string(c.inputs[weight].shape));
    return x;
}

/// The labels and weights of a call in the form kernels take.
struct TaskData {
    Array labels;
    std::vector<double> weights;
    CrossEntropyTask task;
    int64_t count = 0;  ///< Labels that are not ignored.

    TaskData(const KernelCall& c, size_t weight)
        : labels(c.inputs[1].astype(Dtype::int64).as_contiguous()),
          weights(c.inputs.size() > weight ? c.inputs[weight].to_vector<double>()
                                           : std::vector<double>()),
          task{labels.elements<int64_t>(), weights.empty() ? nullptr : weights.data(),
               c.attributes.integer("ignore_label")} {
        check_labels(task.labels, labels.size(), c.inputs[0].dim(1), task.ignore_label);
        count =
            labels.size() - std::count(task.labels, task.labels + labels.size(), task.ignore_label);
    }

    /// The weight of each loss in the mean.
    double scale(const KernelCall& c) const {
        if (c.attributes.text("reduce") == "no") return 1;
        int64_t divisor = c.attributes.flag("normalize") ? count : c.inputs[0].dim(0);
        return 1.0 / double(std::max<int64_t>(divisor, 1));
    }
};

void cross_entropy_kernel(const KernelCall& c) {
    TaskData data(c, 2);
    Array x = as_working_array(c.inputs[0], c.inputs[0].dtype());
    const Array &loss = c.outputs[0], &highest = c.outputs[1], &total_exp = c.outputs[2];
    if (c.attributes.text("reduce") == "no") {
        Array losses = working_output(loss);
        cross_entropy_forward(x, data.task, losses, highest, total_exp);
        return store(losses, loss);
    }
    Array losses = Array::empty({x.dtype(), c.inputs[1].shape()}, x.device());
    cross_entropy_forward(x, data.task, losses, highest, total_exp);
    double total = 0;
    visit_dtype(losses.dtype(), [&](auto zero) {
        using T = decltype(zero);
        const T* each = losses.elements<T>();
        for (int64_t i = 0; i < losses.size(); ++i) total += double(each[i]);
    });
    visit_dtype(loss.dtype(), [&](auto zero) {
        using T = decltype(zero);
        *loss.to_fill<T>() = T(float(total * data.scale(c)));
        if constexpr (std::is_same_v<T, double>) *loss.to_fill<T>() = total * data.scale(c);
    });
}

void cross_entropy_gradient_kernel(const KernelCall& c) {
    TaskData data(c, 5);
    Dtype dtype = c.inputs[0].dtype();
    Array gx = working_output(c.outputs[0]);
    cross_entropy_backward(as_working_array(c.inputs[0], dtype), data.task,
                           c.inputs[2].as_contiguous(), c.inputs[3].as_contiguous(),
                           as_working_array(c.inputs[4], dtype), data.scale(c), gx);
    store(gx, c.outputs[0]);
}

const OpDef& op_cross_entropy_gx = define_composite({
    .name = "softmax_cross_entropy.gx",
    .input_count = -1,
    .type = [](const TypeCall& c) { return Types{check_types(c, 5)}; },
    .kernel = cross_entropy_gradient_kernel,
    .body = cross_entropy_gradient_body,
    .checks_values = true,
});

const OpDef& op_cross_entropy = define_composite({
    .name = "softmax_cross_entropy",
    .input_count = -1,
    .output_count = 3,
    .differentiable = true,
    .type =
        [](const TypeCall& c) {
            const Type& x = check_types(c, 2);
            bool no = c.attributes.text("reduce") == "no";
            Type position{working_dtype(x.dtype), position_shape(x.shape)};
            return Types{{x.dtype, no ? c.inputs[1].shape : Shape{}}, position, position};
        },
    .kernel = cross_entropy_kernel,
    .body = cross_entropy_body,
    .gradient =
        [](const GradientCall& c) {
            Variables gx(c.input_count());
            Variable x = c.x(0), t = c.x(1), highest = c.y(1), total = c.y(2);
            if (c.has_gy(0)) {
                Variable gy = c.gy(0), weight = c.input_count() > 2 ? c.x(2) : Variable();
                const Variable* inputs[] = {&x, &t, &highest, &total, &gy, &weight};
                gx[0] = apply(op_cross_entropy_gx, std::span(inputs, weight.defined() ? 6 : 5),
                              known_location(), c.attributes())[0];
            }
            // Used only by gradients of gradients. `highest` is a common shift, so its gradient
            // cancels.
            if (c.has_gy(2)) {
                Variable through = cast(exp(cast(x, total.dtype()) - highest) * c.gy(2), x.dtype());
                gx[0] = gx[0].defined() ? gx[0] + through : through;
            }
            return gx;
        },
    .reads =
        [](int input, int count) {
            return input == 0 ? Reads{.inputs = first_inputs(count), .outputs = 6} : Reads{};
        },
    .checks_values = true,
    .declared = {in_autocast(Autocast::wide)},
});

/// Targets that are probabilities themselves, in plain functions.
Variable soft_target_loss(const Variable& x, const Variable& t,
                          const SoftmaxCrossEntropy& options) {
    if (t.rank() < x.rank())  // softmax_cross_entropy_c5
        fail<DtypeError>(
            "softmax_cross_entropy: t is {}; class numbers need an integer dtype, as int32, and "
            "probabilities x's shape {}",
            to_string(t.type()), to_string(x.shape()));
    if (!(x.shape() == t.shape()))  // softmax_cross_entropy_c5
        fail<ShapeError>("softmax_cross_entropy: float t should have x's shape {}, it has {}",
                         to_string(x.shape()), to_string(t.shape()));
    if (options.class_weight.defined())
        fail<ValueError>("softmax_cross_entropy: class_weight works with integer t only, t is {}",
                         to_string(t.type()));
    bool divergence = options.soft_target_loss == "kl-divergence";
    if (!divergence && options.soft_target_loss != "cross-entropy")
        fail<ValueError>(
            "softmax_cross_entropy: soft_target_loss is '{}' and should be 'cross-entropy' or "
            "'kl-divergence'",
            options.soft_target_loss);
    const Dtype result = promote(x.dtype(), t.dtype());
    const Variable score = log_softmax(widened(x)), share = widened(t);
    Variable loss = divergence ? sum(weighted(share, log(share + 1e-7) - score), Axes{1})
                               : -sum(weighted(share, score), Axes{1});
    if (options.reduce == "no") return cast(loss, result);
    int64_t positions = x.size() / std::max<int64_t>(x.shape()[1], 1);
    int64_t divisor = options.normalize ? positions : x.shape()[0];
    return cast(sum(loss) * (1.0 / double(std::max<int64_t>(divisor, 1))), result);
}

const FunctionDef& f_softmax_cross_entropy = function(
    "softmax_cross_entropy(x, t, normalize=True, cache_score=True, class_weight=None, "
    "ignore_label=-1, "
    "reduce='mean', enable_double_backprop=False, soft_target_loss='cross-entropy')",
    {"x", "t", "class_weight"}, [](const FunctionArguments& a) {
        return softmax_cross_entropy(a.array("x"), a.array("t"),
                                     {.normalize = a.flag("normalize"),
                                      .class_weight = a.array("class_weight"),
                                      .ignore_label = a.integer("ignore_label"),
                                      .reduce = a.text("reduce"),
                                      .soft_target_loss = a.text("soft_target_loss")});
    });

}  // namespace

Variable softmax_cross_entropy(const Operand& x, const Operand& t,
                               const SoftmaxCrossEntropy& options) {
    LocationScope scope(x.location());
    if (options.reduce != "mean" && options.reduce != "no")
        fail<ValueError>("softmax_cross_entropy: reduce is '{}' and should be 'mean' or 'no'",
                         options.reduce);
    const Variable &vx = x, &vt = t, &weight = options.class_weight;
    if (is_float(vt.dtype()))
        return soft_target_loss(autocast_wide(vx), autocast_wide(vt), options);
    const Variable* inputs[] = {&vx, &vt, &weight};
    return apply(op_cross_entropy, std::span(inputs, weight.defined() ? 3 : 2), x.location(),
                 {{"normalize", options.normalize},
                  {"ignore_label", options.ignore_label},
                  {"reduce", options.reduce}})[0];
}

}  // namespace catena
