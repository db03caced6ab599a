#include "runtime/ops/rnn/recurrent_layer.h"

#include <algorithm>
#include <string>

#include "runtime/core/system/error.h"
#include "runtime/cpu/recurrent/recurrent_kernel.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/graph/walk/gradient.h"
#include "runtime/ops/declare/device_form.h"
#include "runtime/ops/declare/work.h"
#include "runtime/ops/define/composite.h"
#include "runtime/ops/define/widened.h"
#include "runtime/ops/rnn/recurrent_elements.h"
#include "runtime/ops/rnn/recurrent_onnx.h"
#include "runtime/ops/rnn/recurrent_steps.h"

namespace catena {
namespace {

constexpr RecurrentCell cells[] = {RecurrentCell::tanh, RecurrentCell::relu, RecurrentCell::gru,
                                   RecurrentCell::lstm};

// Inputs of the op: x, h, (c,) R, b, lengths. Outputs: y, h, (c,) and what the steps keep. Inputs
// of its gradient: those inputs, what was kept, and the gradients of y, h (and c). It gives those
// of all inputs but the lengths.
struct Positions {
    int memory;  ///< 1 with c, else 0.
    explicit Positions(RecurrentCell cell) : memory(widths_of(cell).has_memory) {}
    int R() const { return 2 + memory; }
    int b() const { return R() + 1; }
    int lengths() const { return R() + 2; }
    int inputs() const { return R() + 3; }
    int states() const { return 2 + memory; }
};

template <class List>
RecurrentInputs inputs_of(RecurrentCell cell, const List& list) {
    const Positions at(cell);
    return {list[0], list[1], at.memory ? list[2] : Array(), list[at.R()], list[at.b()]};
}
template <class List>
RecurrentOutputs outputs_of(RecurrentCell cell, const List& list, int begin, const Array& kept) {
    return {list[begin], list[begin + 1], widths_of(cell).has_memory ? list[begin + 2] : Array(),
            kept};
}

SequenceSteps steps_of_call(RecurrentCell cell, const KernelCall& call) {
    return steps_of(call.op.name.c_str(), call.inputs[Positions(cell).lengths()],
                    call.inputs[0].dim(0), call.attributes);
}
Arrays in_order(const KernelCall& call) {
    Arrays arrays;
    for (const Array& x : call.inputs) arrays.push_back(x.as_contiguous());
    return arrays;
}
void run_forward(RecurrentCell cell, const KernelCall& call) {
    recurrent_forward(cell, places_of(call.attributes), steps_of_call(cell, call),
                      inputs_of(cell, in_order(call)),
                      outputs_of(cell, call.outputs, 0, call.outputs.back()));
}
void run_backward(RecurrentCell cell, const KernelCall& call) {
    const Positions at(cell);
    const Arrays in = in_order(call);
    recurrent_backward(cell, places_of(call.attributes), steps_of_call(cell, call),
                       inputs_of(cell, in), outputs_of(cell, in, at.inputs() + 1, in[at.inputs()]),
                       inputs_of(cell, call.outputs));
}

/// The gradient in terms of the steps, which can be differentiated again. What the op kept follows
/// from its inputs, so nothing flows there.
Variables gradient_by_steps(RecurrentCell cell, std::span<const Variable> v,
                            const Attributes& attributes) {
    const Positions at(cell);
    std::vector<Variable> inputs(v.begin(), v.begin() + at.inputs());
    for (Variable& input : std::span(inputs).first(size_t(at.lengths())))
        if (!input.requires_grad()) input = Variable(input.array(), true);
    const Variables outputs = recurrent_steps(cell, inputs, attributes);
    Variables gx = grad(std::span<const Variable>(outputs),
                        std::span<const Variable>(inputs).first(size_t(at.lengths())),
                        v.last(size_t(at.states())), {.enable_double_backprop = true});
    for (size_t i = 0; i < gx.size(); ++i)
        if (!gx[i].defined()) gx[i] = fill(inputs[i].type(), 0);
    return gx;
}

std::string name_of_layer(RecurrentCell cell) {
    static constexpr const char* names[] = {"n_step.tanh", "n_step.relu", "n_step.gru",
                                            "n_step.lstm"};
    return names[int(cell)];
}

/// The operations of the products of all steps with R; x is multiplied outside.
double products_with_R(const TypeCall& c) {
    return 2 * double(element_count(c.inputs[0].shape)) * double(c.inputs[1].shape[1]);
}

const OpDef& define_gradient(RecurrentCell cell) {
    const Positions at(cell);
    const auto body = [cell](std::span<const Variable> v, const Attributes& attributes,
                             std::span<const Scalar>) {
        return gradient_by_steps(cell, v, attributes);
    };
    return register_op({
        .name = name_of_layer(cell) + ".gx",
        .kind = Kind::contract,
        .input_count = at.inputs() + 1 + at.states(),
        .output_count = at.lengths(),
        .differentiable = true,
        .type =
            [at](const TypeCall& c) {
                Types types;
                for (int i = 0; i < at.lengths(); ++i) types.push_back(c.inputs[size_t(i)]);
                return types;
            },
        .kernel = [cell](const KernelCall& c) { run_backward(cell, c); },
        .gradient =
            [body](const GradientCall& c) {
                return gradient_of_body(
                    OpDef{.name = "gradient of a recurrent layer", .body = body}, c);
            },
        .reads = [](int, int count) { return Reads{.inputs = first_inputs(count)}; },
        .declared = {counts_operations([](const TypeCall& c) {
                         return 2 * products_with_R(c);  // Of h and of R.
                     }),
                     element_plan([cell](const KernelCall& c, Threads threads) {
                         return recurrent_gradient_elements(cell, c, threads);
                     })},
    });
}

// n_step_c1: x [total, G U], h and c [B, U], R [G U, U], b [G U], lengths [B]
Types layer_type(RecurrentCell cell, const TypeCall& call) {
    const Positions at(cell);
    const std::string& name = call.op.name;
    const Type &x = call.inputs[0], &h = call.inputs[1],
               &lengths = call.inputs[size_t(at.lengths())];
    if (x.dtype != Dtype::float32 && x.dtype != Dtype::float64)
        fail<DtypeError>("{}: x should be float32 or float64, it is {}", name, to_string(x));
    if (!is_integer(lengths.dtype))
        fail<DtypeError>("{}: lengths should be integers, they are {}", name, to_string(lengths));
    for (int i = 1; i < at.lengths(); ++i)
        if (call.inputs[size_t(i)].dtype != x.dtype)
            fail<DtypeError>("{}: x is {}, input {} is {}; dtypes must be equal", name,
                             name_of(x.dtype), i, name_of(call.inputs[size_t(i)].dtype));
    if (h.shape.rank() != 2)
        fail<ShapeError>("{}: h should be [B,units], it is {}", name, to_string(h.shape));
    const int64_t batch = h.shape[0], units = h.shape[1], gates = widths_of(cell).gates * units;
    const auto expect = [&](const char* what, int i, const Shape& shape) {
        if (call.inputs[size_t(i)].shape != shape)
            fail<ShapeError>("{}: {} should be {} for {} sequences and {} units, it is {}", name,
                             what, to_string(shape), batch, units,
                             to_string(call.inputs[size_t(i)].shape));
    };
    const int64_t total = x.shape.rank() == 2 ? x.shape[0] : 0;
    expect("x", 0, {total, gates});
    if (at.memory) expect("c", 2, h.shape);
    expect("R", at.R(), {gates, units});
    expect("b", at.b(), {gates});
    expect("lengths", at.lengths(), {batch});
    Types types{{x.dtype, {total, units}}, h};
    if (at.memory) types.push_back(h);
    types.push_back({x.dtype, {total, widths_of(cell).kept * units}});
    return types;
}

const OpDef& define_layer(RecurrentCell cell) {
    const Positions at(cell);
    const OpDef& gradient = define_gradient(cell);
    return register_op({
        .name = name_of_layer(cell),
        .kind = Kind::contract,
        .input_count = at.inputs(),
        .output_count = at.states() + 1,
        .differentiable = true,
        .type = [cell](const TypeCall& c) { return layer_type(cell, c); },
        .kernel = [cell](const KernelCall& c) { run_forward(cell, c); },
        .gradient =
            [at, &gradient](const GradientCall& c) {
                Variables inputs;
                for (int i = 0; i < at.inputs(); ++i) inputs.push_back(c.x(i));
                inputs.push_back(c.y(at.states()));
                for (int i = 0; i < at.states(); ++i) inputs.push_back(c.gy(i));
                std::vector<const Variable*> list;
                for (const Variable& input : inputs) list.push_back(&input);
                Variables gx = apply(gradient, list, known_location(), c.attributes());
                gx.push_back({});  // of the lengths
                return gx;
            },
        .reads =
            [at](int, int count) {
                return Reads{.inputs = first_inputs(count), .outputs = uint64_t(1) << at.states()};
            },
        .onnx = [cell](OnnxCall& c) { return write_recurrent(cell, c); },
        .checks_values = true,
        .declared = {counts_operations(products_with_R),
                     element_plan([cell](const KernelCall& c, Threads threads) {
                         return recurrent_elements(cell, c, threads);
                     })},
    });
}

struct Layers {
    const OpDef* of[std::size(cells)];
};
Layers define_all() {
    Layers layers;
    for (RecurrentCell cell : cells) layers.of[int(cell)] = &define_layer(cell);
    return layers;
}
const Layers layers = define_all();

}  // namespace

RecurrentStates recurrent_layer(RecurrentCell cell, const RecurrentLayer& layer) {
    const Positions at(cell);
    const Dtype dtype = layer.x.dtype();
    CATENA_ASSERT(cell != RecurrentCell::gru || layer.gates[2] == 2,
                  "gru's last gate is not the last one");
    if (!is_float(dtype))
        fail<DtypeError>("{}: x should be floating point, it is {}", name_of_layer(cell),
                         name_of(dtype));
    // The states of 16-bit sequences are float32 from step to step.
    std::vector<Variable> inputs{widened(layer.x), widened(layer.h)};
    if (at.memory) inputs.push_back(widened(layer.c));
    for (const Variable& input : {widened(layer.R), widened(layer.b), layer.lengths})
        inputs.push_back(input);
    std::vector<const Variable*> list;
    for (const Variable& input : inputs) list.push_back(&input);
    std::vector<Attributes::Entry> attributes{{"order", int64_t(layer.order)},
                                              {"reverse", layer.reverse}};
    if (layer.gates != GatePlaces())
        attributes.push_back({"gates", Dims(std::span<const int64_t>(layer.gates.place))});
    const Variables y =
        apply(*layers.of[int(cell)], list, known_location(), Attributes(std::move(attributes)));
    return {cast(y[0], dtype), cast(y[1], dtype), at.memory ? cast(y[2], dtype) : Variable()};
}

}  // namespace catena
