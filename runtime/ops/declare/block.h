#pragma once

#include <array>
#include <functional>
#include <span>

#include "runtime/ops/declare/other_op.h"

namespace catena {

/// Calls of tailed operations (runtime/ops/declare/tail.h) that one op computes as a block: each
/// one's input 0 is output 0 of the one before, which nobody else reads, and all but the first know
/// nothing of its range. The block's inputs are those of all, without what is between them; its
/// attributes are those of all, each with the number of its call behind its name; its outputs are
/// those of the last.
constexpr int block_calls = 3;

Attributes block_attributes(std::span<const Attributes, block_calls> calls);
struct BlockPart {
    Attributes attributes;
    /// The inputs of the block that belong to the call; without the call's input 0, unless it is
    /// the first call.
    int first_input, input_count;
};
/// `own_inputs`: of a call without its tail.
std::array<BlockPart, block_calls> block_parts(const Attributes& attributes, int own_inputs);

/// Whether it pays that one op computes such calls.
using BlockRule = std::function<bool(std::span<const TypeCall, block_calls>)>;

/// The declaration of a tailed op: `block` computes such calls of it where that pays.
Declaration in_blocks_by(OtherOp block, BlockRule pays);
/// The declaration of an op that computes blocks of calls of a tailed op.
Declaration computes_block();
/// The block of such calls. Null where it does not pay, where the ops are different ones, and
/// without a declaration.
const OpDef* block_form(std::span<const TypeCall, block_calls> calls);
/// Whether an op is a block: passes alone call it.
bool is_block_form(const OpDef& op);

}  // namespace catena
