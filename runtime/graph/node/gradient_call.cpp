#include <fmt/format.h>

#include "runtime/core/system/error.h"
#include "runtime/graph/node/node.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/graph/op/op.h"

namespace catena {

const Attributes& GradientCall::attributes() const { return node_.attributes; }
const Scalar& GradientCall::scalar(int i) const { return node_.scalars[i]; }
int GradientCall::scalar_count() const { return int(node_.scalars.size()); }
int GradientCall::input_count() const { return int(node_.edges.size()); }
bool GradientCall::needs(int input) const { return node_.edges[input].wanted(); }
bool GradientCall::ends_at(int input) const { return bool(node_.edges[input].leaf); }
const Type& GradientCall::x_type(int input) const { return node_.input_types[input]; }
const Type& GradientCall::y_type(int output) const { return node_.output_types[output]; }

bool GradientCall::has_gy(int output) const {
    node_.discerns_zeros = true;
    return gy_[output].defined();
}

const Variable& GradientCall::gy(int output) const {
    if (gy_[output].defined()) return gy_[output];
    if (zeros_.empty()) zeros_.resize(gy_.size());
    Variable& zeros = zeros_[output];
    if (!zeros.defined()) zeros = fill(node_.output_types[output], 0);
    return zeros;
}

Variable GradientCall::x(int input) const {
    const Array& kept = node_.kept_inputs[input];
    if (!kept.defined())
        throw InternalError(
            fmt::format("{}: the gradient reads input {}, which OpDef::reads does not declare",
                        node_.op->name, input));
    return reconstruct(kept, node_.edges[input]);
}

Variable GradientCall::y(int output) const {
    const Array& kept = node_.kept_outputs[output];
    if (!kept.defined())
        throw InternalError(
            fmt::format("{}: the gradient reads output {}, which OpDef::reads does not declare",
                        node_.op->name, output));
    // Another array than the one that is kept: the user has replaced it, or a region has computed
    // once more what its nodes keep, and in other bits. Then the gradient goes with what is kept,
    // as x() does: max asks where its input equals its output.
    if (VariableBody* alive = node_.outputs[output]; alive && alive->array == kept)
        return Variable(Ref<VariableBody>(alive));
    Variable y(kept, true);
    y.body()->creator = Ref<Node>(&node_);
    y.body()->output_index = output;
    return y;
}

}  // namespace catena
