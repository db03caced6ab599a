#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "runtime/graph/op/op.h"

namespace catena {

/// ValueError naming `op` unless `reduce` is one of `allowed`.
void check_reduce(const char* op, std::string_view reduce,
                  std::initializer_list<std::string_view> allowed);

/// The losses reduced as `reduce` says, in `dtype`: "no" leaves the single losses, "sum" adds them
/// up, "mean" divides the sum by `count` (-1: the number of losses); the mean of no losses is 0.
/// 16-bit losses should come widened, and stay so in an autocast scope.
Variable reduced(const Variable& each, std::string_view reduce, Dtype dtype, int64_t count = -1);

}  // namespace catena
