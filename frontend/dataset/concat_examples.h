#pragma once

#include <functional>
#include <optional>
#include <span>

#include "frontend/dataset/example.h"

namespace catena {

class Device;

struct ConcatOptions {
    Device* device = nullptr;  ///< Where the batch is to be; null: where the examples are.
    /// Examples of different shapes are filled up to the largest: one number for all values, or one for each.
    std::vector<double> padding = {};
};

/// Examples along a new first axis: of arrays one array, of tuples a tuple, of dicts a dict. ValueError when there are
/// none or they are of different kinds; ShapeError for different shapes without padding.
Batch concat_examples(std::span<const Example> examples, const ConcatOptions& options = {});

/// Makes a batch of examples, as concat_examples does.
using Converter = std::function<Batch(std::span<const Example>)>;

}  // namespace catena
