#pragma once

#include "runtime/ops/declare/block.h"

namespace catena {

/// Defines the op for blocks (runtime/ops/declare/block.h) of three `tailed` convolutions: any, a
/// depthwise and a 1x1 one.
const OpDef& define_convolution_block(const OpDef& tailed);
/// Whether one is worth making of these calls of tailed convolutions, by types.
bool block_pays(std::span<const TypeCall, block_calls> calls);

}  // namespace catena
