#pragma once

#include <set>
#include <string>

#include "codegen/cuda/layout.h"
#include "codegen/cuda/lines.h"
#include "codegen/kernel/dependence.h"

namespace catena::codegen::cuda {

/// The place where a value is computed: once in a thread, once for each group (a result, or a step
/// of a map), or at every step of a reduction.
enum class Level : uint8_t { thread, group, step };

/// The data that the writers of a kernel's text share. Names in the text: v3 is value 3, p1 the
/// address of operand 1, o1 and q1 its offsets in the group and at the step; n0, i0 and s1_0 are
/// the size, the index and the stride of dimension 0.
struct KernelWriting {
    KernelWriting(const Kernel& kernel, const Layout& layout)
        : kernel(kernel), layout(layout), depends(kernel) {}

    bool reduces() const { return kernel.reduced != 0; }
    bool lanes_reduced() const { return layout.kind == Layout::Kind::rows; }
    StrideClass stride(int o, int dim) const {
        return stride_class(kernel, kernel.operand(o), dim);
    }
    Level level_of_value(int v) const { return level_of(depends.dims(v), depends.stage(v)); }
    Level level_of_operand(int o) const {
        return level_of(Dependence::dims_of(kernel.operand(o)), 0);
    }

    /// Whether a value differs for the elements of a step, so that the text has an array of copies.
    bool in_copies(int v) const { return depends.varying(v) && layout.vector > 1; }
    std::string name_of(int v, const std::string& c) const {
        return in_copies(v) ? fmt::format("v{}[{}]", v, c) : fmt::format("v{}", v);
    }
    /// Begins a loop over the elements of a step.
    void open_copies() {
        lines.line("#pragma unroll");
        lines.open("for (int c = 0; c < {}; ++c) {{", layout.vector);
    }

    const Kernel& kernel;
    const Layout& layout;
    const Dependence depends;
    Lines lines;
    int numbers = 0;       ///< How many numbers of the launch have got names.
    int first_scalar = 0;  ///< The number of the first scalar, where scalars are passed by value.
    std::set<Instruction> math;  ///< Instructions that functions of the preamble compute.

private:
    Level level_of(uint32_t dims, int stage) const {
        if (dims & kernel.reduced) return Level::step;
        return dims != 0 || stage > 0 ? Level::group : Level::thread;
    }
};

}  // namespace catena::codegen::cuda
