#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/graph/op/op.h"

namespace catena {

/// How devices with generated kernels compute an op without formula and body: launches of C++
/// texts, with the names listed in docs/cuda.md.
struct ElementPass {
    /// The code of thread `i` of `count`. Sizes are names, so that similar calls share it.
    std::string text;
    int64_t count = 0;
    /// Further constants of this launch, by name.
    std::vector<std::pair<std::string, int64_t>> numbers;
    /// Thread i computes element i of output 0, whichever thread comes beside it.
    bool by_element = false;
};
struct ElementProgram {
    std::vector<ElementPass> passes;  ///< The passes, which run one after another.
    int64_t scratch = 0;              ///< Words of 8 bytes, `scratch[k]`, that the passes share.
};
/// The number of threads. A single thread processes the elements in order, so its plan may be
/// simpler.
enum class Threads : uint8_t { one, many };
/// Reads only types and attributes of the call: its arrays may have no memory.
using ElementPlan = std::function<ElementProgram(const KernelCall&, Threads)>;

Declaration element_plan(ElementPlan plan);
/// The same for one thread and for many.
Declaration element_plan(std::function<ElementProgram(const KernelCall&)> plan);
/// One pass over the elements of output 0.
Declaration element_text(std::string text);
/// The op's kernel works on arrays of any device, because it only calls functions like
/// copy_elements.
Declaration on_any_device();
/// The op always runs on the host, with copies from and to the device; `reason` says why.
Declaration host_only(std::string reason);

bool has_element_plan(const OpDef& op);
ElementProgram element_program(const KernelCall& call, Threads threads = Threads::many);
bool runs_anywhere(const OpDef& op);
/// Why the op runs on the host alone; "" if it may run on devices.
const std::string& host_only_reason(const OpDef& op);

}  // namespace catena
