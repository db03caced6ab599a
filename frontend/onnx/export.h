#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "frontend/static_graph/flatten.h"
#include "frontend/static_graph/open_size.h"
#include "frontend/static_graph/static_graph.h"
#include "runtime/core/error.h"
#include "runtime/graph/op.h"

namespace catena::onnx {

/// The range of operator sets for export.
inline constexpr int oldest_opset = 13, newest_opset = 26;

using catena::OpenSize;

struct ExportOptions {
    int opset = 18;
    std::string graph_name = "catena";
    std::vector<std::string> input_names = {}; ///< Default "x", or "x0", "x1", ...
    std::vector<std::string> output_names = {}; ///< Default "y", or "y0", "y1", ...
    std::vector<OpenSize> open_sizes = {}; ///< {{0, 0, "batch"}}: the first axis of the first input.
    bool train = false;                ///< The mode (Config::train) in which the model is recorded.
    /// Parameters are written to PATH.data, beside the model, if they exceed this total size.
    int64_t most_bytes_inside = int64_t(1) << 30;
};

/// Writes the computation of `body` on arrays like `inputs` as an ONNX model. It is run on shapes
/// only, once, and twice more for open sizes. Parameters become initializers under their names,
/// "l1/W"; states that the model changes become further inputs and, under NAME.next, further
/// outputs. ValueError naming the op and its line when ONNX cannot express it.
void export_function(const std::function<Variables(std::span<const Variable>)>& body,
                     const std::vector<Variable>& inputs, const std::string& path,
                     const ExportOptions& options = {});

namespace detail {

/// The arguments of a region are those of its callable.
template <class F>
struct Callee {
    using type = F;
};
template <class F>
struct Callee<StaticGraph<F>> {
    using type = F;
};

template <size_t>
struct One {
    using type = const Variable&;
};
template <class F, size_t... I>
constexpr bool takes(std::index_sequence<I...>) {
    return std::is_invocable_v<typename Callee<F>::type&, typename One<I>::type...>;
}

template <class T>
Variables listed(const T& result) {
    Variables outputs;
    visit_values(
        result, [&](const Variable& y) { outputs.push_back(y); }, [](uint64_t) {});
    return outputs;
}

template <class F, size_t... I>
Variables call_on(F& f, std::span<const Variable> inputs, std::index_sequence<I...>) {
    return listed(f(inputs[I]...));
}

/// Calls f with the inputs as separate arguments, or as one list.
template <size_t N, class F>
Variables call_with(F& f, std::span<const Variable> inputs) {
    if constexpr (std::is_invocable_v<typename Callee<F>::type&, const std::vector<Variable>&>) {
        return listed(f(std::vector<Variable>(inputs.begin(), inputs.end())));
    } else {
        if constexpr (takes<F>(std::make_index_sequence<N>()))
            if (inputs.size() == N) return call_on(f, inputs, std::make_index_sequence<N>());
        if constexpr (N > 0)
            return call_with<N - 1>(f, inputs);
        else
            fail<ValueError>("onnx: the model does not take {} arrays", inputs.size());
    }
}

}  // namespace detail

/// The same for a link, a static region or any callable of up to eight Variables (or a list of
/// them), returning a Variable, or lists and structs of them.
template <class F>
void export_model(F&& model, const std::vector<Variable>& inputs, const std::string& path,
                  const ExportOptions& options = {}) {
    export_function([&](std::span<const Variable> xs) { return detail::call_with<8>(model, xs); },
                    inputs, path, options);
}

}  // namespace catena::onnx
