#pragma once

#include <functional>
#include <optional>
#include <span>

#include "frontend/dataset/example.h"

namespace catena {

class Device;

/// Options of concat_examples.
struct ConcatOptions {
    Device* device = nullptr;  ///< Device of the batch; null: that of the examples.
    /// Numbers with which examples of different shapes are padded to the largest: one for all
    /// values, or one for each. Empty: no padding.
    std::vector<double> padding = {};
};

/// Stacks examples along a new first axis: arrays to an array, tuples to a tuple, dicts to a dict.
/// ValueError when there are none or they are of different kinds; ShapeError for different shapes
/// without padding.
Batch concat_examples(std::span<const Example> examples, const ConcatOptions& options = {});

/// Makes a batch of examples, as concat_examples does.
using Converter = std::function<Batch(std::span<const Example>)>;

}  // namespace catena
