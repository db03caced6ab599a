#pragma once

#include "codegen/cuda/kernel_writing.h"

namespace catena::codegen::cuda {

/// Writes the reduction of a group: each thread adds up its steps, then the threads combine their
/// sums, always in the same order.
class ReductionText {
public:
    explicit ReductionText(KernelWriting& writing) : w(writing) {}

    /// Size of the block's shared memory, in words of eight bytes.
    int shared_words() const;
    void declare(const char* accumulator, int reduction);
    /// Adds this step's element.
    void add(const char* accumulator, int reduction);
    /// Adds "part", a short sum, to "total".
    void add_part(int reduction);
    void finish(int reduction);

private:
    const KernelValue& value_of(int reduction) const { return w.kernel.values[size_t(reduction)]; }
    std::string combined(int reduction, const std::string& x, const std::string& y) const;
    int copies(int reduction) const {
        return w.lanes_reduced() || w.depends.varying(reduction) ? w.layout.vector : 1;
    }
    void finish_columns(int reduction);
    void finish_rows(int reduction);
    void combine_turns(int reduction, int copy);
    void combine_warps(int reduction);

    KernelWriting& w;
};

}  // namespace catena::codegen::cuda
