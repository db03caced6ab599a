#pragma once

#include <span>

#include "runtime/core/code_device.h"
#include "runtime/program/schedule.h"

// What a launch on a device that takes generated kernels is given, as functions of the sizes.

namespace catena::program {

/// The largest power of two, 16 at most, that an operand's address is a multiple of.
int64_t alignment_at(int64_t byte_offset);

/// Whether every operand, inputs then outputs, can take `vector` elements of the innermost dimension in one aligned access, or
/// element by element. Operands' first addresses are multiples of `alignments`, of 16 where it is empty.
bool takes_steps_of(const KernelProgram& program, int vector, std::span<const int64_t> alignments);

/// Whether indices of elements are beyond what 32 bits hold with room to step on.
bool needs_wide_index(const KernelProgram& program);

/// Whether a kernel's scalars fit among its arguments, all of which are copied at every launch.
bool takes_scalars_by_value(const KernelProgram& program);

/// Results, or steps of a map.
int64_t group_count(const KernelProgram& program, int vector);
/// Blocks that give every group its threads; a launch may have fewer.
int64_t block_count(const KernelProgram& program, const DeviceForm& form);
/// What a launch on `device` has.
uint32_t launch_blocks(int64_t blocks, const CodeDevice& device);

/// Sizes (the innermost in steps), the full size of a split dimension, and the strides that the code reads.
std::vector<int64_t> device_numbers(const KernelProgram& program, int vector,
                                    std::span<const KernelLaunch::StrideRead> strides_read);

}  // namespace catena::program
