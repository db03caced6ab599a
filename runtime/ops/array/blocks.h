#pragma once

#include "runtime/graph/op.h"

namespace catena {

/// What a block's place in the channels is: block, then channel (as in Chainer; ONNX's DCR), or
/// channel, then block (CRD).
enum class BlockOrder { blocks_first, channels_first };

/// Channels become squares of pixels: X [N, r r C, H, W] gives [N, C, r H, r W].
Variable depth2space(const Operand& X, int64_t r, BlockOrder order = BlockOrder::blocks_first);
/// The inverse: X [N, C, r H, r W] gives [N, r r C, H, W].
Variable space2depth(const Operand& X, int64_t r, BlockOrder order = BlockOrder::blocks_first);

/// The elements of axis1 and axis2 where the index of axis2 is `offset` more than that of axis1, as
/// the last axis.
Variable diagonal(const Operand& x, int64_t offset = 0, int64_t axis1 = 0, int64_t axis2 = 1);

/// Sequences, sorted by decreasing length, become positions: y[t] has x[i][t] of all sequences i
/// longer than t. Its own inverse for sequences that are not empty.
Variables transpose_sequence(std::span<const Variable> xs,
                             const std::source_location& at = std::source_location::current());

}  // namespace catena
