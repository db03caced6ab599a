#pragma once

#include "llvm/ADT/StringRef.h"

namespace catena::passes {

// What catena-plan-memory writes on a program.

/// On an operation that makes buffers: for each result its byte offset in the arena, or -1 where the result outlives
/// the call and gets memory of its own.
inline constexpr llvm::StringLiteral offsets_attribute = "catena.offsets";
/// On a group: for each result the operand whose memory it is written over, or -1. Where that operand is
/// an argument (a state that the result is assigned to), the caller must also have donated it.
inline constexpr llvm::StringLiteral in_place_attribute = "catena.in_place";
/// On the function: bytes of the arena.
inline constexpr llvm::StringLiteral arena_attribute = "catena.arena_bytes";

}  // namespace catena::passes
