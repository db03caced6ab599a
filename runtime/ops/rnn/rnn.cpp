#include "runtime/ops/rnn/rnn.h"

#include "runtime/core/system/error.h"
#include "runtime/cpu/recurrent/lstm_kernel.h"
#include "runtime/cpu/softmax_kernel.h"
#include "runtime/graph/op/variable_math.h"
#include "runtime/graph/settings/autocast.h"
#include "runtime/ops/activation/activation.h"
#include "runtime/ops/array/layout/joining.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/array/layout/slicing.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/define/composite.h"

namespace catena {
namespace {

using Span = std::span<const Variable>;

struct Gates {
    Variable a, i, f, o;
};

/// The gates of x [n, 4 units], each [n, units], after their nonlinearities.
Gates gates_of(const Variable& x) {
    int64_t n = x.shape()[0], units = x.shape()[1] / 4;
    Variable apart = reshape(x, Shape{n, units, 4});
    auto gate = [&](int64_t k) { return reshape(slice_axis(apart, 2, k, 1), Shape{n, units}); };
    return {tanh(gate(0)), sigmoid(gate(1)), sigmoid(gate(2)), sigmoid(gate(3))};
}

/// Rows of a that x has, and the others.
Variable first_rows(const Variable& a, int64_t n) {
    return a.shape()[0] == n ? a : slice_axis(a, 0, 0, n);
}
Variable with_rest(const Variable& rows, const Variable& a) {
    int64_t n = rows.shape()[0], all = a.shape()[0];
    return all == n ? rows : concat({rows, slice_axis(a, 0, n, all - n)}, 0);
}

Variables body(Span v, const Attributes&, std::span<const Scalar>) {
    const Variable &c_prev = v[0], &x = v[1];
    Gates g = gates_of(x);
    Variable c = g.a * g.i + first_rows(c_prev, x.shape()[0]) * g.f;
    Variable h = g.o * tanh(c);
    return {with_rest(c, c_prev), h};
}

/// Inputs c_prev, x, gc, gh; gradients towards c_prev and x.
Variables gradient_body(Span v, const Attributes&, std::span<const Scalar>) {
    const Variable &x = v[1], &gc = v[2], &gh = v[3];
    int64_t n = x.shape()[0], units = x.shape()[1] / 4;
    Gates g = gates_of(x);
    Variable old = first_rows(v[0], n);
    Variable shaped = tanh(g.a * g.i + old * g.f);
    Variable cell = first_rows(gc, n) + gh * g.o * (1.0 - shaped * shaped);
    Variable to_a = cell * g.i * (1.0 - g.a * g.a);
    Variable to_i = cell * g.a * g.i * (1.0 - g.i);
    Variable to_f = cell * old * g.f * (1.0 - g.f);
    Variable to_o = gh * shaped * g.o * (1.0 - g.o);
    Variable together = stack({to_a, to_i, to_f, to_o}, 2);
    return {with_rest(cell * g.f, gc), reshape(together, Shape{n, 4 * units})};
}

const OpDef& op_lstm_gx = define_composite({
    .name = "lstm.gx",
    .input_count = 4,
    .output_count = 2,
    .type = [](const TypeCall& c) { return Types{c.inputs[0], c.inputs[1]}; },
    .kernel =
        [](const KernelCall& c) {
            Dtype dtype = c.inputs[1].dtype();
            Array gc_prev = working_output(c.outputs[0]), gx = working_output(c.outputs[1]);
            lstm_backward(as_working_array(c.inputs[0], dtype),
                          as_working_array(c.inputs[1], dtype),
                          as_working_array(c.inputs[2], dtype),
                          as_working_array(c.inputs[3], dtype), gc_prev, gx);
            store(gc_prev, c.outputs[0]);
            store(gx, c.outputs[1]);
        },
    .body = gradient_body,
});

Types lstm_type(const TypeCall& call) {
    const Type &c = call.inputs[0], &x = call.inputs[1];
    if (c.shape.rank() != 2 || x.shape.rank() != 2)  // lstm_c1
        fail<ShapeError>("lstm: takes matrices, c_prev is {} and x is {}", to_string(c.shape),
                         to_string(x.shape));
    if (x.shape[1] != 4 * c.shape[1])  // lstm_c2
        fail<ShapeError>(
            "lstm: x should have 4 gates for each of {} units, so {} columns; it has {} "
            "(c_prev {}, x {})",
            c.shape[1], 4 * c.shape[1], x.shape[1], to_string(c.shape), to_string(x.shape));
    if (x.shape[0] > c.shape[0])  // lstm_c3
        fail<ShapeError>("lstm: x has {} rows, c_prev only {} (c_prev {}, x {})", x.shape[0],
                         c.shape[0], to_string(c.shape), to_string(x.shape));
    if (c.dtype != x.dtype || !is_float(x.dtype))  // lstm_c4
        fail<DtypeError>(
            "lstm: c_prev and x should have one floating point dtype, they have {} and {}",
            name_of(c.dtype), name_of(x.dtype));
    return {c, {x.dtype, Shape{x.shape[0], c.shape[1]}}};
}

const OpDef& op_lstm = define_composite({
    .name = "lstm",
    .input_count = 2,
    .output_count = 2,
    .differentiable = true,
    .type = lstm_type,
    .kernel =
        [](const KernelCall& call) {
            Dtype dtype = call.inputs[1].dtype();
            Array c = working_output(call.outputs[0]), h = working_output(call.outputs[1]);
            lstm_forward(as_working_array(call.inputs[0], dtype),
                         as_working_array(call.inputs[1], dtype), c, h);
            store(c, call.outputs[0]);
            store(h, call.outputs[1]);
        },
    .body = body,
    .gradient =
        [](const GradientCall& c) {
            Variable c_prev = c.x(0), x = c.x(1), gc = c.gy(0), gh = c.gy(1);
            const Variable* inputs[] = {&c_prev, &x, &gc, &gh};
            return apply(op_lstm_gx, inputs, known_location());
        },
    .reads = [](int, int) { return Reads{.inputs = 3}; },
    .declared = {in_autocast(Autocast::wide)},
});

const FunctionDef& f_lstm =
    function("lstm(c_prev, x)", {"c_prev", "x"}, [](const FunctionArguments& a) {
        LstmResult y = lstm(a.array("c_prev"), a.array("x"));
        return Variables{y.c, y.h};
    });

}  // namespace

LstmResult lstm(const Operand& c_prev, const Operand& x) {
    LocationScope scope(x.location());
    const Variable* inputs[] = {&c_prev.variable(), &x.variable()};
    Variables y = apply(op_lstm, inputs, x.location());
    return {y[0], y[1]};
}

}  // namespace catena
