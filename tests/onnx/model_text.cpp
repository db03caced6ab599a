#include "tests/onnx/model_text.h"

#include <cctype>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <stdexcept>

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

namespace catena::testing {
namespace {

using Attribute = ::onnx::AttributeProto;
using Tensor = ::onnx::TensorProto;

class Parser {
public:
    explicit Parser(const std::string& text) : text_(text) {}

    ::onnx::ModelProto model() {
        ::onnx::ModelProto model;
        model.set_ir_version(8);
        auto* opset = model.add_opset_import();
        opset->set_version(takes('@') ? integer() : 20);
        auto* contributed = model.add_opset_import();
        contributed->set_domain("com.microsoft");
        contributed->set_version(1);
        read_graph(*model.mutable_graph());
        if (at_ < text_.size()) wrong("an end");
        return model;
    }

private:
    [[noreturn]] void wrong(const char* expected) const {
        throw std::runtime_error(fmt::format("{} is expected at {} of '{}'", expected, at_, text_));
    }
    char next() {
        while (at_ < text_.size() && text_[at_] == ' ') ++at_;
        return at_ < text_.size() ? text_[at_] : '\0';
    }
    bool takes(char c) {
        if (next() != c) return false;
        ++at_;
        return true;
    }
    void take(char c) {
        const char text[] = {c, '\0'};
        if (!takes(c)) wrong(text);
    }
    std::string name() {
        next();
        const size_t begin = at_;
        while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 ||
                                      text_[at_] == '_' || text_[at_] == '.'))
            ++at_;
        return text_.substr(begin, at_ - begin);
    }
    std::string number_text() {
        next();
        const size_t begin = at_;
        while (at_ < text_.size() && std::strchr("+-.0123456789einfa", text_[at_])) ++at_;
        if (begin == at_) wrong("a number");
        return text_.substr(begin, at_ - begin);
    }
    template <class T>
    static T number_of(const std::string& text) {
        T value = 0;
        if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc())
            throw std::runtime_error(text + " is no number");
        return value;
    }
    int64_t integer() { return number_of<int64_t>(number_text()); }

    /// Calls f for each element of a list between `open` and `close`, if there is one.
    template <class F>
    bool list(char open, char close, F&& f) {
        if (!takes(open)) return false;
        while (!takes(close)) {
            f();
            if (!takes(',') && next() != close) wrong("a comma");
        }
        return true;
    }

    /// TYPE[sizes]{numbers} without its name.
    void read_tensor(Tensor& tensor) {
        constexpr std::string_view letters = "fdhijsub";
        constexpr Tensor::DataType types[] = {Tensor::FLOAT, Tensor::DOUBLE, Tensor::FLOAT16,
                                              Tensor::INT64, Tensor::INT32,  Tensor::INT8,
                                              Tensor::UINT8, Tensor::BOOL};
        const size_t type = letters.find(next());
        if (type == letters.npos) wrong("a type");
        ++at_;
        tensor.set_data_type(types[type]);
        int64_t count = 1;
        list('[', ']', [&] {
            tensor.add_dims(integer());
            count *= tensor.dims(tensor.dims_size() - 1);
        });
        const bool is_float = type < 3;
        const auto add = [&](const std::string& text) {
            if (is_float)
                add_float(tensor, number_of<double>(text));
            else
                add_integer(tensor, number_of<int64_t>(text));
        };
        if (list('{', '}', [&] { add(number_text()); })) return;
        for (int64_t i = 0; i < count; ++i)
            if (is_float)
                add_float(tensor, double(i * 37 % 64) / 32 - 1);
            else
                add_integer(tensor, i % 2);
    }
    static void add_float(Tensor& tensor, double value) {
        if (tensor.data_type() == Tensor::FLOAT) return tensor.add_float_data(float(value));
        if (tensor.data_type() == Tensor::DOUBLE) return tensor.add_double_data(value);
        // Powers of two and 0 alone.
        tensor.add_int32_data(
            value == 0 ? 0 : (value < 0 ? 0x8000 : 0) | (15 + std::ilogb(value)) << 10);
    }
    static void add_integer(Tensor& tensor, int64_t value) {
        if (tensor.data_type() == Tensor::INT64) return tensor.add_int64_data(value);
        tensor.add_int32_data(int32_t(value));
    }

    void read_value(::onnx::GraphProto& graph) {
        const std::string called = name();
        Tensor tensor;
        tensor.set_name(called);
        const bool is_input = takes(':');
        if (!is_input) take('=');
        read_tensor(tensor);
        if (!is_input) {
            *graph.add_initializer() = tensor;
            return;
        }
        auto& input = *graph.add_input();
        input.set_name(called);
        auto& type = *input.mutable_type()->mutable_tensor_type();
        type.set_elem_type(tensor.data_type());
        type.mutable_shape();
        for (const int64_t size : tensor.dims())
            type.mutable_shape()->add_dim()->set_dim_value(size);
    }

    void read_attribute(::onnx::NodeProto& node) {
        Attribute& attribute = *node.add_attribute();
        attribute.set_name(name());
        take('=');
        const char first = next();
        if (takes('<')) {
            attribute.set_type(Attribute::GRAPH);
            read_graph(*attribute.mutable_g());
            take('>');
        } else if (first == '[') {
            attribute.set_type(Attribute::INTS);
            list('[', ']', [&] { read_element(attribute); });
        } else if (at_ + 1 < text_.size() && std::isalpha(static_cast<unsigned char>(first)) != 0) {
            attribute.set_type(Attribute::TENSOR);
            read_tensor(*attribute.mutable_t());
        } else if (first == '\'') {
            attribute.set_type(Attribute::STRING);
            attribute.set_s(quoted());
        } else if (const std::string text = number_text(); text.find('.') == text.npos) {
            attribute.set_type(Attribute::INT);
            attribute.set_i(number_of<int64_t>(text));
        } else {
            attribute.set_type(Attribute::FLOAT);
            attribute.set_f(number_of<float>(text));
        }
    }
    std::string quoted() {
        take('\'');
        const size_t begin = at_, end = text_.find('\'', at_);
        if (end == text_.npos) wrong("a quote");
        at_ = end + 1;
        return text_.substr(begin, end - begin);
    }
    void read_element(Attribute& attribute) {
        if (next() == '\'') {
            attribute.set_type(Attribute::STRINGS);
            attribute.add_strings(quoted());
        } else if (const std::string text = number_text(); text.find('.') == text.npos) {
            attribute.add_ints(number_of<int64_t>(text));
        } else {
            attribute.set_type(Attribute::FLOATS);
            attribute.add_floats(number_of<float>(text));
        }
    }

    void read_node(::onnx::GraphProto& graph) {
        ::onnx::NodeProto& node = *graph.add_node();
        const std::string op = name();
        const size_t dot = op.rfind('.');
        node.set_op_type(dot == op.npos ? op : op.substr(dot + 1));
        if (dot != op.npos) node.set_domain(op.substr(0, dot));
        take('(');
        const bool has_inputs = next() != ')';
        while (has_inputs) {
            node.add_input(name());
            if (!takes(',')) break;
        }
        take(')');
        list('{', '}', [&] { read_attribute(node); });
        take('-');
        take('>');
        do node.add_output(name());
        while (takes(','));
    }

    void read_graph(::onnx::GraphProto& graph) {
        graph.set_name("graph");
        while (next() != ';') read_value(graph);
        while (takes(';')) read_node(graph);
        std::vector<std::string> outputs;
        if (takes('=')) {
            take('>');
            do outputs.push_back(name());
            while (takes(','));
        } else {
            const auto& last = graph.node(graph.node_size() - 1).output();
            outputs.assign(last.begin(), last.end());
        }
        for (const std::string& output : outputs)
            if (!output.empty()) graph.add_output()->set_name(output);
    }

    const std::string text_;
    size_t at_ = 0;
};

}  // namespace

::onnx::ModelProto model_from_text(const std::string& text) { return Parser(text).model(); }

std::vector<std::string> small_models() {
    std::ifstream file(CATENA_SOURCE_DIR "/tests/onnx/data/small_models.txt");
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);)
        if (!line.empty() && line[0] != '#') lines.push_back(line);
    return lines;
}

}  // namespace catena::testing
