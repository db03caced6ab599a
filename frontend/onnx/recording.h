#pragma once

#include <optional>

#include "frontend/onnx/export.h"
#include "runtime/graph/trace.h"
#include "runtime/ops/onnx/onnx.h"

namespace catena::onnx {

/// A recorded model with its sizes as functions of the open ones.
struct Recording {
    Trace trace;
    std::vector<std::string> open_names;
    std::vector<OpenSize> open_at;  ///< For each open size, one axis that has it.
    /// For open sizes beyond the named ones: the two sizes of which each is the product; none if
    /// computed otherwise.
    std::vector<std::optional<std::pair<size_t, size_t>>> products;
    std::vector<OnnxSizes> shapes;  ///< Of every value of the trace.
    /// For every step the attributes that hold open sizes.
    std::vector<std::map<std::string, OnnxSizes, std::less<>>> attributes;
};

/// Whether anything in the program depends on the value; a state may be only assigned.
bool is_read(const Trace& trace, int value);

Recording record(const std::function<Variables(std::span<const Variable>)>& body,
                 const std::vector<Variable>& inputs, const ExportOptions& options);

}  // namespace catena::onnx
