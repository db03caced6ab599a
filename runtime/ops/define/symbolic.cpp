#include "runtime/ops/define/symbolic.h"

#include <memory>

#include "runtime/graph/op/registered_together.h"
#include "runtime/graph/settings/config.h"
#include "runtime/ops/define/register_map.h"

namespace catena {
namespace {

/// One gradient of a map as an op of its own over just the values that it reads.
struct GradientOp {
    const OpDef* op = nullptr;
    std::vector<int> reads;  ///< Positions in x0.., y, gy.
    MapGradient gradient;
    bool is_gy = false;  ///< True where nothing is computed: the gradient is gy itself.
};

/// `formula` over the inputs in `kept` only, renumbered.
Formula restrict_inputs(Formula formula, const std::vector<int>& kept) {
    for (Formula::Node& node : formula.nodes) {
        if (node.leaf != Formula::Leaf::input) continue;
        for (size_t k = 0; k < kept.size(); ++k)
            if (kept[k] == node.args[0]) {
                node.args[0] = int32_t(k);
                break;
            }
    }
    formula.input_count = int(kept.size());
    return formula;
}

/// Drops nodes that no output depends on.
Formula without_dead_nodes(const Formula& formula) {
    std::vector<bool> live(formula.nodes.size());
    for (int32_t o : formula.outputs) live[o] = true;
    for (size_t i = formula.nodes.size(); i-- > 0;) {
        const Formula::Node& node = formula.nodes[i];
        if (!live[i] || node.leaf != Formula::Leaf::none) continue;
        for (int a = 0; a < info_of(node.op).arity; ++a) live[node.args[a]] = true;
    }
    Formula result;
    result.input_count = formula.input_count;
    result.scalar_count = formula.scalar_count;
    std::vector<int32_t> renamed(formula.nodes.size());
    for (size_t i = 0; i < formula.nodes.size(); ++i) {
        if (!live[i]) continue;
        Formula::Node node = formula.nodes[i];
        if (node.leaf == Formula::Leaf::none)
            for (int a = 0; a < info_of(node.op).arity; ++a) node.args[a] = renamed[node.args[a]];
        renamed[i] = int32_t(result.nodes.size());
        result.nodes.push_back(node);
    }
    for (int32_t o : formula.outputs) result.outputs.push_back(renamed[o]);
    return result;
}

GradientOp register_gradient(RegisteredTogether& ops, const OpDef& op, int input,
                             MapGradient gradient) {
    GradientOp result;
    Formula formula = without_dead_nodes(gradient.formula);
    for (int i = 0; i < formula.input_count; ++i)
        if (formula.reads_input(i)) result.reads.push_back(i);
    // A gradient that reads nothing that flows (a constant) still has the shape of gy.
    int gy = op.input_count + 1;
    if (result.reads.empty()) result.reads.push_back(gy);
    const Formula::Node& last = formula.nodes[size_t(formula.outputs[0])];
    result.is_gy = last.leaf == Formula::Leaf::input && last.args[0] == gy;
    OpDef derived;
    derived.name = op.name + ".gx" + std::to_string(input);
    derived.kind = Kind::map;
    derived.input_count = int(result.reads.size());
    derived.scalar_names = op.scalar_names;
    derived.formula = restrict_inputs(formula, result.reads);
    result.op = &ops.add(register_map(std::move(derived)));
    result.gradient = std::move(gradient);
    return result;
}

/// The value at position k of x0.., y, gy.
Variable value_at(const GradientCall& c, int k) {
    int n = c.input_count();
    return k < n ? c.x(k) : k == n ? c.y() : c.gy();
}

Variable plain_gradient(const GradientCall& c, const GradientOp& g,
                        std::span<const Scalar> scalars) {
    const int gy = c.input_count() + 1;
    SmallVector<Variable, 4> values(g.reads.size());
    SmallVector<const Variable*, 4> inputs;
    for (size_t i = 0; i < values.size(); ++i) {
        if (g.reads[i] != gy) values[i] = value_at(c, g.reads[i]);
        inputs.push_back(g.reads[i] == gy ? &c.gy() : &values[i]);
    }
    return std::move(apply(*g.op, inputs, {}, {}, scalars)[0]);
}

Variable differentiable_gradient(const GradientCall& c, const GradientOp& g,
                                 std::span<const Scalar> scalars) {
    int n = c.input_count();
    std::vector<Variable> arguments(n + scalars.size() + 2);
    for (int k : g.reads) arguments[k < n ? k : k + scalars.size()] = value_at(c, k);
    Dtype dtype = c.y_type().dtype;
    for (size_t s = 0; s < scalars.size(); ++s)
        arguments[n + s] = fill(Type{dtype, {}}, scalars[s]);
    if (!arguments.back().defined()) arguments.back() = c.gy();
    return g.gradient.on_variables(arguments);
}

/// `values`: the inputs, and then the output.
Reads as_reads(const std::vector<int>& values, int inputs) {
    Reads reads;
    for (int k : values) {
        if (k < inputs) reads.inputs |= uint64_t(1) << k;
        if (k == inputs) reads.outputs |= 1;
    }
    return reads;
}

/// The gradient as the input has it: broadcast dimensions summed, dtype restored.
Variable like_input(Variable gx, const Type& x) {
    if (!(gx.shape() == x.shape)) gx = sum_to(gx, x.shape);
    if (gx.dtype() != x.dtype) return cast(gx, x.dtype);
    return gx;
}

}  // namespace

const OpDef& define_elementwise(OpDef op, std::vector<MapGradient> gradients) {
    RegisteredTogether ops;
    auto derived = std::make_shared<std::vector<GradientOp>>(gradients.size());
    bool any = false;
    for (size_t i = 0; i < gradients.size(); ++i)
        if (gradients[i].defined()) {
            (*derived)[i] = register_gradient(ops, op, int(i), std::move(gradients[i]));
            any = true;
        }
    if (any) {
        std::vector<Reads> reads;
        for (const GradientOp& g : *derived) reads.push_back(as_reads(g.reads, op.input_count));
        op.reads = [reads = std::move(reads)](int input, int) { return reads[size_t(input)]; };
        op.gradient = [derived](const GradientCall& c) {
            Variables gx(c.input_count());
            SmallVector<Scalar, 2> scalars;
            for (int s = 0; s < c.scalar_count(); ++s) scalars.push_back(c.scalar(s));
            bool given = false;
            for (int i = 0; i < c.input_count(); ++i) {
                const GradientOp& g = (*derived)[i];
                if (!c.needs(i) || !g.op) continue;
                // One input may have gy itself: two that share it would see what the host writes to
                // either's gradient.
                const bool gives_gy = g.is_gy && !given && !c.ends_at(i);
                given |= gives_gy;
                Variable full = gives_gy                   ? c.gy()
                                : config().enable_backprop ? differentiable_gradient(c, g, scalars)
                                                           : plain_gradient(c, g, scalars);
                gx[i] = like_input(std::move(full), c.x_type(i));
            }
            return gx;
        };
    }
    const OpDef& made = register_map(std::move(op));
    ops.keep();
    return made;
}

Variable as_result(double number, std::span<const Variable> v) {
    return fill(v.back().type(), number);
}

}  // namespace catena
