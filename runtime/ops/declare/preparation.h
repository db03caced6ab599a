#pragma once

#include <functional>
#include <memory>

#include "runtime/graph/op/prepared_call.h"

namespace catena {

/// Makes a prepared call of one whose arrays may have no elements yet, or none where that would not
/// help.
using Preparation = std::function<std::unique_ptr<PreparedCall>(const KernelCall&)>;

Declaration preparation(Preparation how);
/// The prepared call; null where the op declares nothing, or nothing for such a call: then the op's
/// kernel runs.
std::unique_ptr<PreparedCall> prepare(const KernelCall& call);

}  // namespace catena
