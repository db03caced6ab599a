#pragma once

#include <type_traits>
#include <utility>

#include "runtime/graph/op/op.h"
#include "runtime/ops/define/symbolic.h"

namespace catena {

/// Builder of an elementwise op with N inputs and S scalars:
///
///     static const OpDef& op_relu = elementwise<1>("relu")
///         .forward([](auto x) { return select(x > 0, x, 0); })
///         .gradient([](auto x, auto y, auto gy) { return select(y > 0, gy, 0); })
///         .define();
///
/// Inputs broadcast as in NumPy; the type computed in is promote(inputs). `forward` takes the
/// inputs, then the scalars. Gradients take the inputs, the scalars, y and gy, in that order;
/// gradient<I> is with respect to input I. Each lambda is instantiated twice: on Symbols (the
/// kernel, eager and compiled) and on Variables (what double backprop differentiates). An input
/// without a gradient lambda is not differentiable.
template <int N, int S = 0>
class Elementwise {
public:
    explicit Elementwise(std::string name) {
        op_.name = std::move(name);
        op_.kind = Kind::map;
        op_.input_count = N;
        gradients_.resize(N);
    }
    Elementwise& scalars(std::vector<std::string> names) {
        op_.scalar_names = std::move(names);
        return *this;
    }
    /// Makes integer inputs an error.
    Elementwise& floats() {
        op_.floats_only = true;
        return *this;
    }
    Elementwise& gives_bool() {
        op_.gives_bool = true;
        return *this;
    }
    Elementwise& onnx(OnnxMapping mapping) {
        op_.onnx = std::move(mapping);
        return *this;
    }
    /// Adds a declaration to OpDef::declared.
    Elementwise& declare(Declaration declaration) {
        op_.declared.add(std::move(declaration));
        return *this;
    }
    template <class F>
    Elementwise& forward(F f) {
        op_.formula = make_formula<N, S>(f);
        return *this;
    }
    template <int I = 0, class F>
    Elementwise& gradient(F f) {
        gradients_[I].formula = make_formula<N + 2, S, N>(f);
        gradients_[I].on_variables = [f](std::span<const Variable> v) {
            return call_on_variables(f, v, std::make_index_sequence<N + S + 2>());
        };
        return *this;
    }
    const OpDef& define() { return define_elementwise(std::move(op_), std::move(gradients_)); }

private:
    OpDef op_;
    std::vector<MapGradient> gradients_;
};

template <int N, int S = 0>
Elementwise<N, S> elementwise(std::string name) {
    return Elementwise<N, S>(std::move(name));
}

}  // namespace catena
