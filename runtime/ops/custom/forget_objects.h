#pragma once

#include <functional>

#include "runtime/graph/node/owned_objects.h"
#include "runtime/ops/custom/forget.h"

namespace catena {

/// forget(f, xs) for a function of another language: `owned` tells that language's collector what
/// objects `f` owns (visit_owned_objects).
Variables forget_with_objects(const ForgettableFunction& f, std::span<const Variable> xs,
                              std::function<void(OwnedVisitor&)> owned,
                              const std::source_location& at);

}  // namespace catena
