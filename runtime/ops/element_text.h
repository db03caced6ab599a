#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/ops/op.h"

namespace catena {

/// For devices that take generated kernels, what an op without formula and body computes: launches of C++ texts, with
/// the names that docs/cuda.md lists.
struct ElementPass {
    std::string text;   ///< Of thread `i` of `count`. Calls of one pattern should share it: sizes are names.
    int64_t count = 0;
    std::vector<std::pair<std::string, int64_t>> numbers;  ///< Further names of this launch, the same in every call.
};
struct ElementProgram {
    std::vector<ElementPass> passes;  ///< One after another.
    int64_t scratch = 0;              ///< Words of 8 bytes, `scratch[k]`, that the passes share.
};
/// Who computes it. One thread takes the elements in their order, which lets a plan do without what many need.
enum class Threads : uint8_t { one, many };
/// Reads types and attributes of the call only: its arrays may have no memory.
using ElementPlan = std::function<ElementProgram(const KernelCall&, Threads)>;

// All return true, for initialisers.
bool set_element_plan(const OpDef& op, ElementPlan plan);
/// The same for one thread and for many.
bool set_element_plan(const OpDef& op, std::function<ElementProgram(const KernelCall&)> plan);
/// One pass over the elements of output 0.
bool set_element_text(const OpDef& op, std::string text);
/// The op's kernel only calls what works on arrays of any device, such as copy_elements.
bool set_runs_anywhere(const OpDef& op);
/// Why the op runs on the host, whatever the device: with copies both ways.
bool set_host_only(const OpDef& op, std::string reason);

/// What a device's library of numerics knows the op as; attributes are those of the op that bears the role here.
enum class LibraryRole : uint8_t {
    none,
    matmul,                    ///< a, b -> y; "transa", "transb"
    linear,                    ///< x, W, b -> x W^T + b
    convolution,               ///< x, W -> y; "stride", "pad", "dilate", "groups"
    convolution_data,          ///< gy, W -> gx
    convolution_weights,       ///< x, gy -> gW
    average_pooling,           ///< x -> y; "ksize", "stride", "pad", borders count
    average_pooling_gradient,  ///< gy -> gx
    batch_normalization,       ///< x, gamma, beta, scalar eps -> y, mean, variance; "axis"
    batch_normalization_gradient,  ///< x, gamma, mean, variance, gy, scalar eps -> gx, ggamma, gbeta
};
bool set_library_role(const OpDef& op, LibraryRole role);
LibraryRole library_role_of(const OpDef& op);

bool has_element_plan(const OpDef& op);
ElementProgram element_program(const KernelCall& call, Threads threads = Threads::many);
bool runs_anywhere(const OpDef& op);
const std::string& host_only_reason(const OpDef& op);  ///< "" when there is none.

}  // namespace catena
