#include "runtime/ops/onnx/onnx_expression.h"

#include <optional>

#include "runtime/core/system/ascii.h"
#include "runtime/core/system/error.h"
#include "runtime/core/system/read_number.h"
#include "runtime/scalar/formula.h"

namespace catena {
namespace {

/// Reads "Clip(a, 0, z)" from left to right, adding nodes as it goes.
class Reader {
public:
    Reader(std::string_view text, const OnnxNames& names, OnnxGraph& graph)
        : text_(text), names_(names), graph_(graph) {}

    int whole() {
        int value = expression({});
        check(at_ == text_.size());
        return value;
    }

private:
    void check(bool good) const {
        CATENA_ASSERT(good, "the ONNX expression \"" + std::string(text_) + "\" is badly written");
    }
    void skip_spaces() {
        while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    }
    bool take(char c) {
        skip_spaces();
        if (at_ >= text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }
    std::string_view word() {
        skip_spaces();
        size_t begin = at_;
        while (at_ < text_.size() &&
               (ascii::is_letter_or_digit(text_[at_]) ||
                std::string_view("_.-").find(text_[at_]) != std::string_view::npos))
            ++at_;
        check(at_ > begin);
        return text_.substr(begin, at_ - begin);
    }
    int expression(std::optional<Dtype> as) {
        std::string_view name = word();
        if (take('(')) return call(name);
        if (auto value = read_number<double>(name)) return graph_.number(*value, names_.dtype);
        if (auto value = names_.scalar ? names_.scalar(name) : std::nullopt)
            return graph_.number(*value, names_.dtype);
        check(name.size() == 1);
        return names_.argument(name[0] - 'a', as);
    }

    int call(std::string_view name) {
        if (name == "bool" || name == "number") {
            int value = expression(Dtype::bool_);
            check(take(')'));
            return name == "bool" ? value : graph_.cast(value, Dtype::bool_, names_.dtype);
        }
        std::vector<int> values;
        OnnxAttributes attributes;
        do {
            size_t begin = at_;
            std::string attribute(word());
            if (take('=')) {
                attributes.emplace_back(attribute, attribute_value());
            } else {
                at_ = begin;
                values.push_back(expression({}));
            }
        } while (take(','));
        check(take(')'));
        return graph_.node(std::string(name), std::move(values), std::move(attributes));
    }

    OnnxAttribute attribute_value() {
        if (take('\'')) {
            std::string text(word());
            check(take('\''));
            return text;
        }
        std::string_view value = word();
        if (auto scalar = names_.scalar ? names_.scalar(value) : std::nullopt) return *scalar;
        const std::optional<double> number = read_number<double>(value);
        check(bool(number));
        if (value.find('.') == value.npos) return int64_t(*number);
        return *number;
    }

    std::string_view text_;
    const OnnxNames& names_;
    OnnxGraph& graph_;
    size_t at_ = 0;
};

Dtype promoted(const OnnxCall& call) {
    if (call.inputs.empty()) return call.result();
    Dtype dtype = call.inputs[0].dtype;
    for (const OnnxCall::Value& x : call.inputs) dtype = promote(dtype, x.dtype);
    return dtype;
}

std::optional<double> scalar_named(const OnnxCall& call, std::string_view name) {
    for (size_t i = 0; i < call.op.scalar_names.size(); ++i)
        if (call.op.scalar_names[i] == name) return call.scalars.at(i);
    return std::nullopt;
}

std::vector<int> write_expression(OnnxCall& call) {
    const std::string& text = call.op.onnx.expression;
    if (text.find('(') == text.npos) {
        std::vector<int> inputs;
        for (int i = 0; i < int(call.inputs.size()); ++i)
            inputs.push_back(call.op.kind == Kind::map ? call.input(i, promoted(call))
                                                       : call.input(i));
        return call.graph.node(text, inputs, {}, int(call.outputs.size()));
    }
    OnnxNames names{
        promoted(call),
        [&](int i, std::optional<Dtype> as) { return call.input(i, as.value_or(promoted(call))); },
        [&](std::string_view name) { return scalar_named(call, name); }};
    return {write_onnx_expression(text, names, call.graph)};
}

/// The type a formula is worked out in, as its kernel does.
Dtype working_type(Dtype dtype) {
    if (dtype == Dtype::int32 || dtype == Dtype::float64) return dtype;
    return is_float(dtype) ? Dtype::float32 : Dtype::int64;
}

int write_formula_node(const Formula::Node& node, const std::vector<int>& values, OnnxCall& call,
                       Dtype working) {
    switch (node.leaf) {
        case Formula::Leaf::input:
            return call.input(node.args[0], node.is_bool ? Dtype::bool_ : working);
        case Formula::Leaf::scalar:
            return call.graph.number(call.scalars.at(size_t(node.args[0])), working);
        case Formula::Leaf::literal:
            return call.graph.number(node.literal, node.is_bool ? Dtype::bool_ : working);
        default:
            break;
    }
    OnnxNames names{
        working,
        [&](int i, std::optional<Dtype>) { return values[size_t(node.args[size_t(i)])]; },
        {}};
    return write_onnx_expression(info_of(node.op).onnx, names, call.graph);
}

std::vector<int> write_formula(OnnxCall& call) {
    const Formula& formula = call.op.formula;
    const Dtype working = working_type(promoted(call));
    std::vector<int> values, results;
    for (const Formula::Node& node : formula.nodes)
        values.push_back(write_formula_node(node, values, call, working));
    for (size_t i = 0; i < formula.outputs.size(); ++i) {
        const int32_t output = formula.outputs[i];
        Dtype from = formula.nodes[size_t(output)].is_bool ? Dtype::bool_ : working;
        results.push_back(call.graph.cast(values[size_t(output)], from, call.outputs[i].dtype));
    }
    return results;
}

bool expression_holds(const OnnxCall& call) {
    const OnnxMapping& onnx = call.op.onnx;
    if (onnx.expression.empty() || call.opset() < onnx.since) return false;
    bool on_truth = call.op.kind == Kind::map && promoted(call) == Dtype::bool_;
    return !on_truth || onnx.expression.find("bool(") != std::string::npos;
}

}  // namespace

int write_onnx_expression(std::string_view expression, const OnnxNames& names, OnnxGraph& graph) {
    return Reader(expression, names, graph).whole();
}

std::vector<int> write_onnx(OnnxCall& call) {
    std::vector<int> results;
    if (call.op.onnx.write && call.opset() >= call.op.onnx.since)
        results = call.op.onnx.write(call);
    else if (expression_holds(call))
        results = write_expression(call);
    if (results.empty() && call.op.kind == Kind::map && !call.op.formula.nodes.empty())
        results = write_formula(call);
    return results;
}

}  // namespace catena
