#pragma once

#include <span>

#include "runtime/core/array/code_device.h"
#include "runtime/program/schedule/schedule.h"

// Launch parameters for devices with generated kernels, as functions of the sizes.

namespace catena::program {

/// The alignment of an operand's address: the largest power of two up to 16.
int64_t alignment_at(int64_t byte_offset);

/// Whether every operand can be accessed with aligned vectors of `vector` elements along the
/// innermost dimension, or element by element. `alignments` are those of the operands' first
/// addresses, inputs then outputs; empty: 16.
bool takes_steps_of(const KernelGeometry& geometry, int vector,
                    std::span<const int64_t> alignments);

/// Whether element indices, plus one grid step, may overflow 32 bits.
bool needs_wide_index(const KernelGeometry& geometry);

/// Whether a kernel's scalars fit among its arguments, all of which are copied at every launch.
bool takes_scalars_by_value(const KernelGeometry& geometry);

/// The number of results of a reduction, or of vectors of a map.
int64_t group_count(const KernelGeometry& geometry, int vector);
/// The number of blocks that covers all groups; a launch may have fewer.
int64_t block_count(const KernelGeometry& geometry, const DeviceForm& form);
/// The number of blocks of a launch on `device`.
uint32_t launch_blocks(int64_t blocks, const CodeDevice& device);

/// Sizes (the innermost in vectors), the full size of a split dimension, and the strides that the
/// code reads.
std::vector<int64_t> device_numbers(const KernelGeometry& geometry, int vector,
                                    std::span<const StrideRead> strides_read);

}  // namespace catena::program
