#include "frontend/capture/run/program.h"

#include "frontend/capture/call/followed_call.h"
#include "frontend/capture/run/trace_interpreter.h"

namespace catena::capture {

void Program::run(FollowedCall& call, Activation* activation, const Check& check) {
    SmallVector<Array, 32> inputs, outputs(compiled_.output_count());
    inputs.reserve(plan_.inputs().size());
    call.references.count(call.values, call.effects.log());
    SmallVector<bool, 64> donated;
    for (int v : plan_.inputs()) donated.push_back(!activation && call.may_give_away(v));
    for (int v : plan_.inputs()) inputs.push_back(call.content(v));
    compiled_.run(inputs, call.numbers.values(), donated, outputs);
    if (check) check(outputs);
    for (size_t i = 0; i < plan_.outputs().size(); ++i)
        if (plan_.is_referenced(i)) call.values.deliver(plan_.outputs()[i], outputs[i]);
    if (activation) keep_for_backward(call, *activation, inputs, outputs);
}

void Program::interpret(FollowedCall& call, Activation* activation) {
    const Step* last = plan_.ending().last;
    if (!activation) return call.interpret(last, plan_.wanted());
    std::vector<Array> inputs;
    for (int v : plan_.inputs()) inputs.push_back(call.content(v));
    call.interpret(last, plan_.wanted());
    std::vector<Array> outputs;
    for (int v : plan_.outputs()) outputs.push_back(call.values.array(v));
    keep_for_backward(call, *activation, inputs, outputs);
}

std::vector<Array> Program::run(std::span<const Array> inputs, std::span<const double> scalars,
                                std::span<const bool> donated) {
    const bool is_compiled = compiled_.is_ready();
    std::vector<Array> outputs(is_compiled ? compiled_.output_count() : plan_.outputs().size());
    if (is_compiled)
        compiled_.run(inputs, scalars, donated, outputs);
    else
        interpret_trace(*compiled_.forward(), {inputs.begin(), inputs.end()}, scalars, outputs);
    return outputs;
}

}  // namespace catena::capture
