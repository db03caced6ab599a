#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/ops/declare/channels_last.h"
#include "runtime/program/schedule/schedule.h"

// Schedules of one program at several sizes often differ in numbers only: sizes, strides, offsets,
// bytes. These numbers are sums of products of the sizes, so they can be computed from those at
// other sizes.

namespace catena::program {

/// The numbers of a host schedule that depend on its sizes, in an order that depends on the rest
/// alone. Without those that follow from others, see set_numbers.
std::vector<int64_t> numbers_of(const Schedule& schedule);

/// Gives a schedule the numbers of another size, and computes what follows from them: how
/// reductions are divided into blocks (reduction_blocks.h), the numbers that kernels read, the
/// memory plan. `schedule` has the numbers of some size. False, with `schedule` in no valid state,
/// when it may need another form at these sizes: other strides that code reads, other buffers that
/// can be written in place, large outputs of another size (streaming_bytes).
bool set_numbers(Schedule& schedule, std::span<const int64_t> numbers);

/// The second half of set_numbers: what follows from numbers that are set. `bytes_before`: of each
/// buffer at a size for which the schedule's form was compiled.
bool settle_numbers(Schedule& schedule, const std::vector<size_t>& bytes_before);

/// The memory orders that a library call wants at its sizes, by which the passes have chosen some.
/// They need not stay the same between two sizes at which they are: a convolution of sixteen images
/// at a time wants another order at each multiple of sixteen.
ChannelsLast orders_wanted(const LibraryCall& call);

/// What two schedules differ in beside numbers_of(), texts and addresses; empty: nothing. Schedules
/// with blocks that reduction_blocks.h does not give differ from all others.
std::string difference(const Schedule& a, const Schedule& b);

}  // namespace catena::program
