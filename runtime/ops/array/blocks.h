#pragma once

#include "runtime/graph/op/op.h"

namespace catena {

/// The order of a block's place and the channel in the channel axis: block, then channel (as in
/// Chainer; ONNX's DCR), or channel, then block (CRD).
enum class BlockOrder { blocks_first, channels_first };

/// Channels become squares of pixels: (N, r * r * C, H, W) gives (N, C, r * H, r * W). Chainer's
/// function. ShapeError where r * r does not divide the channels.
/// - X: (N, r * r * C, H, W).
/// - r: Pixels of a square's side.
Variable depth2space(const Operand& X, int64_t r, BlockOrder order = BlockOrder::blocks_first);
/// Squares of pixels become channels, depth2space backwards: (N, C, r * H, r * W) gives (N, r * r *
/// C, H, W). Chainer's function. ShapeError where r does not divide the height and the width.
/// - X: (N, C, r * H, r * W).
/// - r: Pixels of a square's side.
Variable space2depth(const Operand& X, int64_t r, BlockOrder order = BlockOrder::blocks_first);

/// The elements of two axes where the index of axis2 is `offset` more than that of axis1, as the
/// last axis, as NumPy's diagonal.
/// - offset: Which diagonal: above the main one where positive, below it where negative.
/// - axis1, axis2: The axes, which the result lacks.
Variable diagonal(const Operand& x, int64_t offset = 0, int64_t axis1 = 0, int64_t axis2 = 1);

/// Sequences, sorted by decreasing length, become positions: result t holds element t of all
/// sequences that are longer than t. Its own inverse for sequences that are not empty. Chainer's
/// function.
/// - xs: Arrays (length, ...) of one dtype that differ in their length alone; ShapeError where
///   lengths increase.
/// - returns: An array for each position, (sequences that are longer, ...).
Variables transpose_sequence(std::span<const Variable> xs,
                             const std::source_location& at = std::source_location::current());

}  // namespace catena
