#pragma once

#include <optional>

#include "frontend/onnx/export.h"
#include "runtime/graph/trace.h"
#include "runtime/ops/onnx.h"

namespace catena::onnx {

/// A model as it was recorded, with its open sizes found.
struct Recording {
    Trace trace;
    std::vector<std::string> open_names;
    std::vector<OpenSize> open_at;  ///< One axis that has each open size.
    /// What open sizes beyond the names are products of; none when they are computed in another
    /// way.
    std::vector<std::optional<std::pair<size_t, size_t>>> products;
    std::vector<OnnxSizes> shapes;  ///< Of every value of the trace.
    /// For every step the attributes that hold open sizes.
    std::vector<std::map<std::string, OnnxSizes, std::less<>>> attributes;
};

/// Whether anything in the program depends on the value: states may only be given content.
bool is_read(const Trace& trace, int value);

Recording record(const std::function<Variables(std::span<const Variable>)>& body,
                 const std::vector<Variable>& inputs, const ExportOptions& options);

}  // namespace catena::onnx
