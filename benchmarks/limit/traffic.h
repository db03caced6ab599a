#pragma once

#include <functional>
#include <string>
#include <vector>

#include "runtime/graph/op/op.h"

namespace catena::tool {

/// A product or convolution without its elements, and how often it is called.
struct ProductCall {
    const OpDef* op = nullptr;
    std::vector<Type> inputs, outputs;
    /// For each input, undefined unless it is of integers, such as the lengths of sequences: its
    /// values decide what is computed.
    std::vector<Array> integers;
    Attributes attributes;
    double operations = 0;  ///< Multiplications and additions of one call.
    int times = 0;
    /// Bytes that all these calls read of what was there before the iteration, such as weights, and
    /// no other call has read yet.
    double first_read = 0;

    double bytes() const;  ///< Of its operands and results.
    std::string key() const;
};

/// What an iteration computes, however it is run.
struct Traffic {
    std::vector<ProductCall> products;  ///< Each form once.
    /// Bytes that all other operations move if they were fused completely: each array that they
    /// read from a product, a convolution or from outside of the iteration once, and each that they
    /// give to one of these once. What they pass to each other is free, and so is what a product
    /// reads or writes itself. Of an array that is read in parts (an embedding) the parts count.
    double bytes = 0;

    double first_read() const;  ///< ProductCall::first_read of all.
};

/// Runs `iteration` and records what it computes. `results` are the arrays that are left when it
/// has run. All arrays of the iteration are kept until it ends.
Traffic traffic_of(const std::function<void()>& iteration,
                   const std::function<std::vector<Array>()>& results);

}  // namespace catena::tool
