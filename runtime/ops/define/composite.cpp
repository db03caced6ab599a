#include "runtime/ops/define/composite.h"

#include "runtime/core/system/error.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/graph/settings/config.h"
#include "runtime/graph/walk/backward.h"

namespace catena {
namespace {

/// A variable of x's elements such that differentiating towards it does not flow on into x: one
/// input of an op may have been computed from another.
Variable start_of_graph(const Variable& x) {
    if (!config().enable_backprop) return Variable(x.array(), true);
    return x * 1.0;
}

}  // namespace

const OpDef& define_composite(OpDef op) {
    CATENA_ASSERT(op.body, op.name + " has no body");
    if (op.gradient) return register_op(std::move(op));
    op.differentiable = true;
    op.reads = [](int, int input_count) { return Reads{.inputs = first_inputs(input_count)}; };
    std::string name = op.name;
    op.gradient = [name](const GradientCall& c) { return gradient_of_body(*find_op(name), c); };
    return register_op(std::move(op));
}

Variables gradient_of_body(const OpDef& op, const GradientCall& call) {
    Variables inputs(call.input_count()), wanted, outputs, gy;
    for (int i = 0; i < call.input_count(); ++i) {
        inputs[i] = call.needs(i) ? start_of_graph(call.x(i)) : call.x(i);
        if (call.needs(i)) wanted.push_back(inputs[i]);
    }
    SmallVector<Scalar, 2> scalars;
    for (int i = 0; i < call.scalar_count(); ++i) scalars.push_back(call.scalar(i));
    bool twice = config().enable_backprop;
    auto scope = force_backprop_mode();
    Variables results = op.body(inputs, call.attributes(), scalars);
    for (size_t i = 0; i < results.size(); ++i)
        if (call.has_gy(int(i))) {
            outputs.push_back(results[i]);
            gy.push_back(call.gy(int(i)));
        }
    Variables found = grad_inside(outputs, wanted, gy, twice);
    Variables gx(call.input_count());
    for (int i = 0, next = 0; i < call.input_count(); ++i)
        if (call.needs(i)) gx[i] = found[next++];
    return gx;
}

}  // namespace catena
