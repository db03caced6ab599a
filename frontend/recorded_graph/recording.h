#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontend/static_graph/sizes/open_size.h"
#include "runtime/graph/trace/trace.h"
#include "runtime/ops/onnx/onnx.h"

namespace catena {

struct RecordingOptions {
    std::string who;  ///< The format that the model is recorded for; errors begin with it.
    int opset;  ///< The ONNX operator set; composites with a form in it are recorded as one call.
    /// Names of the inputs; by default "x", or "x0", "x1", ...
    std::vector<std::string> input_names = {};
    /// Names of the outputs; by default "y", or "y0", "y1", ...
    std::vector<std::string> output_names = {};
    std::vector<OpenSize> open_sizes = {};
    bool train = false;
    /// ONNX forms by the names of ops, which replace those that the ops have.
    std::map<std::string, OnnxMapping> converters = {};
    /// Whether values that follow from parameters alone are computed instead of recorded in the
    /// graph.
    bool fold_constants = false;
};

/// A recorded model with its sizes as functions of the open ones.
struct Recording {
    Trace trace;
    std::vector<std::string> open_names;
    std::vector<OpenSize> open_at;  ///< For each open size, one axis that has it.
    /// For open sizes beyond the named ones: the two sizes whose product each of them is; none if
    /// computed otherwise.
    std::vector<std::optional<std::pair<size_t, size_t>>> products;
    std::vector<OnnxSizes> shapes;  ///< The sizes of every value of the trace.
    /// For every step, the attributes that hold open sizes.
    std::vector<std::map<std::string, OnnxSizes, std::less<>>> attributes;
};

/// Whether anything in the program depends on the value; a state may be only assigned.
bool is_read(const Trace& trace, int value);

/// Records `body` by running it on shapes only, once, and twice more for open sizes.
Recording record(const std::function<Variables(std::span<const Variable>)>& body,
                 const std::vector<Variable>& inputs, const RecordingOptions& options);

}  // namespace catena
