#pragma once

#include <vector>

#include "runtime/program/schedule/schedule.h"

namespace catena::program {

/// Which kernels of a host schedule work on blocks of a reduction, which buffers have one result
/// per block, and which kernels combine these.
class BlockedKernels {
public:
    explicit BlockedKernels(const Schedule& schedule);

    static constexpr int none = -1;
    /// The kernel that computes the blocks: itself, the one whose results it combines, or none.
    int of_kernel(size_t k) const { return of_kernel_[k]; }
    int of_buffer(size_t b) const { return of_buffer_[b]; }

    /// Whether a kernel combines the results of blocks.
    bool combines(const Schedule& schedule, size_t k) const {
        return schedule.kernels[k].geometry.split <= 0 && of_kernel_[k] != none;
    }
    /// How many results a buffer has for blocks; 1 if it has none.
    int64_t count(const Schedule& schedule, size_t b) const {
        return of_buffer_[b] == none ? 1
                                     : schedule.kernels[size_t(of_buffer_[b])].geometry.domain[0];
    }

    /// An operand of a kernel over blocks that has one element for each, instead of the elements of
    /// the blocks.
    static bool is_per_block(const KernelGeometry& geometry, const KernelOperand& operand) {
        return operand.strides[geometry.split] == 0 && operand.strides[0] != 0;
    }

private:
    std::vector<int> of_kernel_, of_buffer_;
};

/// Whether reductions are divided as reduction_blocks.h says.
bool has_regular_blocks(const Schedule& schedule);

/// Divides the reductions anew after their sizes have changed; false: there would be a single
/// block, which is other code.
bool divide_into_blocks(Schedule& schedule);

}  // namespace catena::program
