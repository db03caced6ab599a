#pragma once

#include <span>
#include <vector>

#include "frontend/dataset/dataset.h"

namespace catena {

/// Several examples in this order, as Chainer's dataset[[0, 5, 2]]. Negative indices count from the
/// end; ValueError outside.
std::vector<Example> get_examples(const Dataset& dataset, std::span<const int64_t> indices);
std::vector<Example> get_examples(const Dataset& dataset, std::initializer_list<int64_t> indices);
/// The examples of a range, as Chainer's dataset[begin:end:step]: bounds beyond the dataset are
/// moved to its ends. ValueError for a step of 0.
std::vector<Example> get_range_of_examples(const Dataset& dataset, int64_t begin, int64_t end,
                                           int64_t step = 1);

}  // namespace catena
