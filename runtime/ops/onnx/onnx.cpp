#include "runtime/ops/onnx/onnx.h"

#include <algorithm>

#include "runtime/core/system/error.h"

namespace catena {
namespace {

bool all_constant(const OnnxSizes& sizes) {
    return std::all_of(sizes.begin(), sizes.end(),
                       [](const OnnxSize& s) { return s.is_constant(); });
}

std::vector<int64_t> constants_of(const OnnxSizes& sizes) {
    std::vector<int64_t> values;
    for (const OnnxSize& size : sizes) values.push_back(size.constant);
    return values;
}

}  // namespace

bool OnnxSize::is_constant() const {
    return std::all_of(factors.begin(), factors.end(), [](int64_t f) { return f == 0; });
}

OnnxSize operator+(const OnnxSize& a, const OnnxSize& b) {
    OnnxSize sum(a.constant + b.constant);
    sum.factors.resize(std::max(a.factors.size(), b.factors.size()));
    for (size_t i = 0; i < sum.factors.size(); ++i)
        sum.factors[i] =
            (i < a.factors.size() ? a.factors[i] : 0) + (i < b.factors.size() ? b.factors[i] : 0);
    return sum;
}

OnnxSize operator*(const OnnxSize& a, int64_t factor) {
    OnnxSize product = a;
    product.constant *= factor;
    for (int64_t& f : product.factors) f *= factor;
    return product;
}

OnnxSizes to_sizes(std::span<const int64_t> dims) { return OnnxSizes(dims.begin(), dims.end()); }

std::vector<int> OnnxGraph::node(std::string type, std::vector<int> inputs,
                                 OnnxAttributes attributes, int outputs) {
    OnnxNode node{std::move(type), std::move(inputs), {}, std::move(attributes)};
    for (int i = 0; i < outputs; ++i) node.outputs.push_back(add_value());
    nodes_.push_back(std::move(node));
    return nodes_.back().outputs;
}

int OnnxGraph::node(std::string type, std::vector<int> inputs, OnnxAttributes attributes) {
    return node(std::move(type), std::move(inputs), std::move(attributes), 1)[0];
}

int OnnxGraph::constant(const Array& array) {
    int value = add_value();
    constants_[value] = array;
    return value;
}

int OnnxGraph::number(double value, Dtype dtype) {
    return constant(Array::full({dtype, Shape{}}, value));
}

int OnnxGraph::integers(std::span<const int64_t> values) {
    return constant(Array::from(values, Shape{int64_t(values.size())}));
}

int OnnxGraph::integers(const OnnxSizes& sizes) {
    if (all_constant(sizes)) return integers(constants_of(sizes));
    std::vector<int> parts;
    for (const OnnxSize& size : sizes) parts.push_back(size_value(size));
    return parts.size() == 1 ? parts[0] : node("Concat", parts, {{"axis", 0}});
}

int OnnxGraph::size_value(const OnnxSize& size) {
    const auto one = [&](int64_t v) { return integers(std::span(&v, 1)); };
    int sum = -1;
    for (size_t i = 0; i < size.factors.size(); ++i) {
        if (size.factors[i] == 0) continue;
        int term = open_sizes_.at(i);
        if (size.factors[i] != 1) term = node("Mul", {term, one(size.factors[i])});
        sum = sum < 0 ? term : node("Add", {sum, term});
    }
    if (sum < 0) return one(size.constant);
    return size.constant == 0 ? sum : node("Add", {sum, one(size.constant)});
}

int OnnxGraph::reshape(int value, const OnnxSizes& from, const OnnxSizes& to) {
    if (from == to) return value;
    if (auto found = reshaped_.find(value); found != reshaped_.end() && found->second.shape == to)
        return found->second.source;
    // One open size can be inferred from the others (-1).
    OnnxSizes shape = to;
    const auto open = [](const OnnxSize& s) { return !s.is_constant(); };
    if (std::count_if(shape.begin(), shape.end(), open) == 1)
        *std::find_if(shape.begin(), shape.end(), open) = OnnxSize(-1);
    // A size of 0 copies the input's, unless the node says otherwise.
    const bool empty = std::count(shape.begin(), shape.end(), OnnxSize(0)) > 0;
    int result =
        node("Reshape", {value, integers(empty ? to : shape)},
             empty && opset_ >= 14 ? OnnxAttributes{{"allowzero", int64_t(1)}} : OnnxAttributes{});
    reshaped_[result] = {value, from};
    return result;
}

OnnxSizes OnnxCall::sizes(std::string_view attribute) const {
    if (auto found = open.find(attribute); found != open.end()) return found->second;
    return to_sizes(attributes.dims(attribute));
}

std::vector<int64_t> OnnxCall::dims(std::string_view attribute) const {
    std::vector<int64_t> values;
    for (const OnnxSize& size : sizes(attribute))
        values.push_back(constant(size, std::string(attribute).c_str()));
    return values;
}

int64_t OnnxCall::constant(const OnnxSize& size, const char* what) const {
    if (!size.is_constant())
        fail<ValueError>(
            "onnx: {} depends on an open size through {}, which ONNX cannot express; give "
            "that size",
            op.name, what);
    return size.constant;
}

OnnxMapping onnx_reduction(const char* name, int since) {
    return [name, since](OnnxCall& c) {
        const std::vector<int64_t> axes = c.dims("axes");
        // Not every operator takes bool, and none does before opset 20.
        const Dtype dtype = c.result() == Dtype::bool_ ? Dtype::int32 : c.result();
        const int x = c.input(0, dtype);
        OnnxAttributes attributes{{"keepdims", int64_t(c.attributes.flag("keepdims"))}};
        std::vector<int> operands{x};
        if (c.opset() >= since)
            operands.push_back(c.graph.integers(axes));
        else
            attributes.emplace_back("axes", axes);
        const std::vector<int> made =
            axes.empty() ? c.node("Identity", {x}) : c.node(name, operands, attributes);
        return std::vector<int>{c.graph.cast(made.at(0), dtype, c.result())};
    };
}

}  // namespace catena
