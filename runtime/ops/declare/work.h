#pragma once

#include <functional>

#include "runtime/graph/op/op.h"

namespace catena {

/// The multiplications and additions of a product or convolution, told from its role in a library
/// (LibraryRole); 0 for other ops, whose time is that of their memory traffic.
double product_operations(const TypeCall& call, std::span<const Type> outputs);

using OperationsRule = std::function<double(const TypeCall&)>;
/// The declaration of an op that no library has.
Declaration counts_operations(OperationsRule rule);

}  // namespace catena
