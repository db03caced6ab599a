#include "runtime/ops/declare/border.h"

namespace catena {
namespace {

Types types_given(const TypeCall& call) {
    const auto given = size_t(call.attributes.integer("given"));
    CATENA_ASSERT(given <= call.inputs.size(), "a border gives more than it is given");
    return Types(call.inputs.last(given));
}

const OpDef& define_border() {
    OpDef op;
    op.name = "border";
    op.input_count = op.output_count = -1;
    op.type = types_given;
    return register_op(std::move(op));
}
const OpDef& op_border = define_border();

}  // namespace

const OpDef& border_op() { return op_border; }

Attributes attributes_of(const Border& border, int given) {
    return {{"inputs", int64_t(border.inputs)},
            {"outputs", int64_t(border.outputs)},
            {"given", int64_t(given)}};
}

std::optional<Border> border_of(const Trace& trace) {
    for (const Trace::Step& step : trace.steps)
        if (step.op == &op_border)
            return Border{int(step.attributes.integer("inputs")),
                          int(step.attributes.integer("outputs"))};
    return std::nullopt;
}

}  // namespace catena
