#pragma once

#include <memory>

#include "runtime/graph/op/prepared_call.h"

namespace catena {

/// Prepares op(a) op(b) or, with a third input, op(a) op(b) plus that row. Null unless all arrays
/// are float32 and can be read without a copy.
std::unique_ptr<PreparedCall> prepare_product(bool transa, bool transb, const KernelCall& call);

}  // namespace catena
