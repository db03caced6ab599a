#pragma once

#include <span>

#include "runtime/graph/gradient.h"

namespace catena {

/// Runs the gradients of everything below `outputs`, each started with its grad_output, and accumulates into
/// the leaves. No recursion: graphs of any depth.
void run_backward(std::span<const Variable> outputs, std::span<const Variable> grad_outputs,
                  const BackwardOptions& options);

}  // namespace catena
