#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/core/dtype/dtype.h"
#include "runtime/graph/op/op.h"

namespace catena {

/// How an op treats its float16, bfloat16 and float32 inputs inside an autocast scope. float64
/// inputs are unchanged, and so are the other inputs of an op that has one.
enum class Autocast : uint8_t {
    unchanged,  ///< Leaves the inputs alone: operands of different dtypes are promoted as always.
    /// Rounds the inputs to the scope's dtype: for products and convolutions, whose sums are
    /// float32 anyway.
    narrow,
    /// Takes 16-bit floats as float32: for sums, softmax, losses, and states that accumulate.
    wide,
    same,  ///< Takes the inputs in their common dtype: for ops that need equal ones.
};
/// The declaration of how an op treats its inputs, for OpDef::declared. A composite without kernel
/// and gradient needs none: its body's ops say it.
Declaration in_autocast(Autocast how);
/// Autocast::unchanged without a declaration.
Autocast autocast_of(const OpDef& op);

/// Until the scope ends, on this thread: products and convolutions take their operands in `dtype`
/// (bfloat16 or float16; float32 switches autocast off; others are a ValueError), results come in
/// it, and sums and losses stay float32. Parameters stay what they are, and so do their gradients.
/// A gradient is computed in the dtypes of its forward call, wherever backward() stands. As
/// torch.autocast.
class AutocastScope {
public:
    /// From now on operations are computed in this dtype.
    explicit AutocastScope(Dtype dtype);
    ~AutocastScope();
    AutocastScope(const AutocastScope&) = delete;
    AutocastScope& operator=(const AutocastScope&) = delete;

private:
    Dtype previous_;
};
/// `auto scope = ct::autocast();`
[[nodiscard]] inline AutocastScope autocast(Dtype dtype = Dtype::bfloat16) {
    return AutocastScope(dtype);
}

/// The dtype of this thread's autocast scope; float32 outside.
Dtype autocast_dtype();
/// x as an op that is Autocast::wide takes it, for functions of several ops.
Variable autocast_wide(const Variable& x);
std::vector<Variable> autocast_wide(std::span<const Variable> xs);

/// The operands of a call after autocast.
using AutocastInputs = SmallVector<Variable, 4>;
/// The inputs as the op takes them in the present scope; empty if they are that already.
AutocastInputs autocast_inputs(const OpDef& op, std::span<const Variable* const> inputs);

}  // namespace catena
