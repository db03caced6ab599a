#include "runtime/ops/custom/custom_function.h"

#include "runtime/core/system/error.h"
#include "runtime/graph/node/user_gradient.h"
#include "runtime/graph/op/registered_together.h"
#include "runtime/ops/array/rearrange.h"
#include "runtime/ops/custom/unused_name.h"

namespace catena::detail {
namespace {

/// The user's code reads elements by a pointer: in row-major order, whatever view the array is, or
/// may be once it is computed.
Variable row_major(const Variable& x) {
    return x.array().contiguous() && !x.array().body()->pending ? x : copy(x);
}

std::vector<Variable> row_major(std::span<const Variable> xs) {
    std::vector<Variable> dense;
    for (const Variable& x : xs) dense.push_back(x.defined() ? row_major(x) : x);
    return dense;
}

void check_results(const std::string& name, const Variables& ys, int outputs) {
    if (int(ys.size()) != outputs)
        fail<ValueError>("{}: forward gives {} results, CustomOptions::outputs is {}", name,
                         ys.size(), outputs);
    for (size_t i = 0; i < ys.size(); ++i)
        if (!ys[i].defined()) fail<ValueError>("{}: result {} of forward is undefined", name, i);
}

void check_gradients(const std::string& name, const GradientCall& g, const Variables& gx) {
    if (int(gx.size()) != g.input_count())
        fail<ValueError>(
            "{}: backward gives {} gradients, there are {} inputs (an undefined Variable is no "
            "gradient)",
            name, gx.size(), g.input_count());
    for (int i = 0; i < g.input_count(); ++i)
        if (gx[size_t(i)].defined() && g.needs(i) && !(gx[size_t(i)].type() == g.x_type(i)))
            fail<ShapeError>(
                "{}: backward gives a gradient {} of input {}, which is {}; they must be equal",
                name, to_string(gx[size_t(i)].type()), i, to_string(g.x_type(i)));
}

Variables gradient_of(const std::string& name, const CustomCode& backward,
                      const CustomOptions& options, const GradientCall& g) {
    std::vector<Variable> xs(size_t(g.input_count())), ys(size_t(options.outputs)), gys;
    for (int i = 0; i < g.input_count() && options.keep_inputs; ++i)
        xs[size_t(i)] = row_major(g.x(i));
    for (int i = 0; i < options.outputs; ++i) {
        if (options.keep_outputs) ys[size_t(i)] = row_major(g.y(i));
        gys.push_back(row_major(g.gy(i)));
    }
    Variables gx = backward(CustomCall{xs, ys, gys});
    check_gradients(name, g, gx);
    return gx;
}

}  // namespace

CustomCode::CustomCode(const void* owned, void (*destroy)(const void*), Run* run)
    : function(owned, destroy), run(run) {}

Variables listed(Variable result) { return {std::move(result)}; }

const OpDef& define_custom(const std::string& given, CustomCode forward, CustomCode backward,
                           const CustomOptions& options) {
    const std::string name = unused_op_name(given);
    RegisteredTogether ops;
    const OpDef& op = ops.add(register_op({
        .name = name,
        .input_count = -1,
        .output_count = -1,
        .body =
            [=](std::span<const Variable> xs, const Attributes&, std::span<const Scalar>) {
                const std::vector<Variable> dense = row_major(xs);
                Variables ys = forward(CustomCall{.xs = dense, .ys = {}, .gys = {}});
                check_results(name, ys, options.outputs);
                return ys;
            },
        .gradient = [=](const GradientCall& g) { return gradient_of(name, backward, options, g); },
        .reads =
            [=](int, int) {
                return Reads{options.keep_inputs ? ~uint64_t(0) : 0,
                             options.keep_outputs ? ~uint64_t(0) : 0};
            },
    }));
    set_user_gradient(op);
    ops.keep();
    return op;
}

Variables call_custom(const OpDef& op, std::span<const Variable> xs,
                      const std::source_location& at) {
    SmallVector<const Variable*, 4> inputs;
    for (const Variable& x : xs) inputs.push_back(&x);
    return apply(op, inputs, at);
}

}  // namespace catena::detail
