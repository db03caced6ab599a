#pragma once

#include <concepts>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "runtime/core/memory/small_vector.h"
#include "runtime/graph/op/attributes.h"
#include "runtime/graph/op/declarations.h"
#include "runtime/graph/variable/scalar_operand.h"
#include "runtime/graph/variable/variable.h"
#include "runtime/scalar/formula.h"

namespace catena {

struct OpDef;

/// What the compiler may assume of an op. All other ops are a `call`: correct, never fused.
enum class Kind : uint8_t {
    map,       ///< `formula` at every index of the broadcast inputs; with no inputs, of the output.
    reduce,    ///< combine over attribute "axes" (dims), kept as size 1 when "keepdims".
    scan,      ///< running combination along an axis.
    contract,  ///< The matmul family.
    window,    ///< Convolution and pooling.
    reshape,   ///< A reshape; attribute "shape".
    transpose,  ///< attribute "axes": output axis i is input axis axes[i].
    broadcast,  ///< attribute "shape"; NumPy rules.
    slice,      ///< attributes "begin", "step", "size" (dims of the input's rank).
    pad,
    concat,
    gather,
    scatter,
    sort,
    random,
    call,
};
/// The kind's name, for messages.
std::string_view name_of(Kind kind);

/// How a reduce combines.
enum class Combine : uint8_t { sum, product, maximum, minimum };

/// Types of inputs or outputs.
using Types = SmallVector<Type, 2>;
/// Arrays that are inputs or outputs.
using Arrays = SmallVector<Array, 4>;
/// Variables that are inputs or outputs.
using Variables = SmallVector<Variable, 4>;

/// One call without elements, as passed to a type rule.
struct TypeCall {
    /// The op.
    const OpDef& op;
    /// Dtypes and shapes of the inputs.
    std::span<const Type> inputs;
    /// The call's attributes.
    const Attributes& attributes;
};

/// One call of an op on Variables: what apply() has checked, and whoever carries it out is given
/// (executor.h). Where the user called it: current_location().
struct OpCall {
    /// The op.
    const OpDef& op;
    /// The inputs.
    std::span<const Variable* const> inputs;
    /// The call's attributes.
    const Attributes& attributes;
    /// The call's numbers, in the order of OpDef::scalar_names.
    std::span<const Scalar> scalars;
};

/// One call with elements, as passed to a kernel. Inputs may have any strides; outputs are
/// contiguous and uninitialised.
struct KernelCall {
    /// The op.
    const OpDef& op;
    /// The inputs.
    std::span<const Array> inputs;
    /// The outputs, which the kernel fills.
    std::span<Array> outputs;
    /// The call's attributes.
    const Attributes& attributes;
    /// The call's numbers, in the order of OpDef::scalar_names.
    std::span<const double> scalars;
};

/// The values available to a gradient. Only those declared in OpDef::reads are kept: using others
/// is an InternalError. All results are Variables, so gradients are differentiable.
class GradientCall {
public:
    /// A call for a node of the graph, with the gradients of its outputs; undefined: no gradient.
    GradientCall(Node& node, std::span<const Variable> gy) : node_(node), gy_(gy) {}
    /// The call's attributes.
    const Attributes& attributes() const;
    /// The call's number of this index.
    const Scalar& scalar(int i) const;
    /// The count of the call's numbers.
    int scalar_count() const;
    /// The count of the call's inputs.
    int input_count() const;
    /// False: leave that result undefined.
    bool needs(int input) const;
    /// The input is a leaf, which keeps that result.
    bool ends_at(int input) const;
    /// An input.
    Variable x(int input) const;
    /// An output.
    Variable y(int output = 0) const;
    /// The type of an input, which is always known.
    const Type& x_type(int input) const;
    /// The type of an output; always known.
    const Type& y_type(int output = 0) const;
    /// Gradient of output i, as long as the call lasts; zeros when there is none.
    const Variable& gy(int output = 0) const;
    /// Whether a gradient flows into output i.
    bool has_gy(int output) const;

private:
    Node& node_;
    std::span<const Variable> gy_;
    mutable std::vector<Variable> zeros_;  ///< Zeros that gy() has made, one per output.
};

/// The inputs and outputs that the gradient of one input reads; bit i is input or output i.
struct Reads {
    /// A bit for each input that is read.
    uint64_t inputs = 0;
    /// A bit for each output that is read.
    uint64_t outputs = 0;
};

struct OnnxCall;

/// The ONNX form of an op (runtime/ops/onnx/onnx.h), as an expression or a function. An expression
/// is an operator, applied to all inputs ("Relu"), or calls over inputs a, b, ..., scalars by their
/// names and numbers: "LeakyRelu(a, alpha=slope)". A map without a mapping is exported as its
/// formula, a composite as its body.
struct OnnxMapping {
    /// A function that writes the nodes of a call.
    using Writer = std::function<std::vector<int>(OnnxCall&)>;
    /// The expression; "" where a function writes the nodes.
    std::string expression;
    /// Adds nodes and returns the values of the outputs; none: not with these arguments.
    Writer write;
    int since = 1;  ///< The first operator set that supports it.

    OnnxMapping() = default;
    /// An expression.
    OnnxMapping(const char* expression, int since = 1) : expression(expression), since(since) {}
    /// A function that writes the nodes.
    template <std::convertible_to<Writer> F>
    OnnxMapping(F write, int since = 1) : write(std::move(write)), since(since) {}
    /// Whether there is a mapping.
    explicit operator bool() const { return write || !expression.empty(); }
};

/// The complete, immutable definition of an op. Created by the builders of define.h.
struct OpDef {
    /// The op's name, unique among all ops.
    std::string name;
    /// What sort of op it is.
    Kind kind = Kind::call;
    int input_count = 1;   ///< The number of inputs; -1: any (concat, stack).
    int output_count = 1;  ///< The number of outputs; -1: the type rule says.
    /// The names of its numbers.
    std::vector<std::string> scalar_names;
    /// Whether it has a gradient.
    bool differentiable = false;

    /// Output types; throws ShapeError or DtypeError with the op's name, the values and the rule.
    std::function<Types(const TypeCall&)> type;
    /// Eager CPU kernel. Empty for ops that are views or bodies only.
    std::function<void(const KernelCall&)> kernel;
    /// The output as a view of input 0, or an undefined Array when it must be copied.
    std::function<Array(const Array& input, const Attributes&)> view;
    /// The op in terms of other ops, which a recorder sees instead of the call.
    std::function<Variables(std::span<const Variable>, const Attributes&, std::span<const Scalar>)>
        body;
    /// Gradients of the inputs that need one, in input order.
    std::function<Variables(const GradientCall&)> gradient;
    /// What `gradient` reads for input i; a missing entry reads nothing.
    std::function<Reads(int input, int input_count)> reads;

    Formula formula;           ///< What a Kind::map computes of each element.
    bool gives_bool = false;   ///< Kind::map: the result is bool (comparisons).
    bool floats_only = false;  ///< Kind::map: integer inputs are a DtypeError.
    Combine combine{};         ///< How a Kind::reduce combines.
    OnnxMapping onnx;          ///< The ONNX form; empty: by formula or body, or not at all.
    /// The kernel can fail: it rejects values of its inputs (labels, indices), or waits for other
    /// processes.
    bool checks_values = false;
    /// What else the compiler, devices and scopes may know of the op: functions of
    /// runtime/ops/declare and runtime/graph/settings/autocast.h make these and ask for them.
    Declarations declared;

    uint32_t id = 0;  ///< Dense, in order of registration.
};

/// Adds an op to the process-wide registry; InternalError when the name is taken, or the op
/// declares something twice.
const OpDef& register_op(OpDef op);
/// The op of that name; null when there is none.
const OpDef* find_op(std::string_view name);
/// All ops, in the order of their registration.
std::vector<const OpDef*> all_ops();

/// Runs one operation: types, memory, kernel, graph node, recorder. All operations pass through it.
Variables apply(const OpDef& op, std::span<const Variable* const> inputs, const SourceLoc& at,
                const Attributes& attributes = {}, std::span<const Scalar> scalars = {});

/// apply() for an op with one output.
template <class... Inputs>
Variable call(const OpDef& op, const SourceLoc& at, const Attributes& attributes,
              std::initializer_list<Scalar> scalars, const Inputs&... inputs) {
    const Variable* list[] = {&static_cast<const Variable&>(inputs)...};
    return std::move(apply(op, list, at, attributes, {scalars.begin(), scalars.size()})[0]);
}

/// Runs an op's kernel on arrays, outside any graph and not recorded; outputs are allocated on the
/// inputs' device.
Arrays run_kernel(const OpDef& op, std::span<const Array> inputs, const Attributes& attributes = {},
                  std::span<const double> scalars = {});

}  // namespace catena
