#include "tests/fuzz_files/onnx_fields.h"

#include <string>
#include <vector>

#include <onnx/onnx_pb.h>

#include "tests/fuzz_files/odd_numbers.h"

namespace catena::fuzz {
namespace {

using Attribute = ::onnx::AttributeProto;
using Graph = ::onnx::GraphProto;
using Node = ::onnx::NodeProto;
using Tensor = ::onnx::TensorProto;
using testing::Random;

/// A graph, and those in the attributes of its nodes.
void collect(Graph& graph, std::vector<Graph*>& all) {
    all.push_back(&graph);
    for (Node& node : *graph.mutable_node())
        for (Attribute& attribute : *node.mutable_attribute())
            if (attribute.has_g()) collect(*attribute.mutable_g(), all);
}

class FieldChange {
public:
    FieldChange(::onnx::ModelProto& model, Random& random) : model_(model), random_(random) {
        collect(*model.mutable_graph(), graphs_);
    }

    void change() {
        Graph& graph = *graphs_[below(graphs_.size())];
        const uint64_t what = below(16);
        if (what < 7 && graph.node_size() > 0) return change_attributes(any(*graph.mutable_node()));
        if (what < 10 && graph.initializer_size() > 0)
            return change_tensor(any(*graph.mutable_initializer()));
        if (what < 12 && graph.input_size() > 0) return change_input(any(*graph.mutable_input()));
        if (what < 15 && graph.node_size() > 0) return change_node(graph);
        change_graph(graph);
    }

private:
    uint64_t below(uint64_t end) { return random_() % end; }
    bool once_in(uint64_t times) { return below(times) == 0; }
    template <class List>
    typename List::value_type& any(List& list) {
        return list[int(below(uint64_t(list.size())))];
    }

    int64_t some_integer(int64_t near) { return odd_integer(near, random_); }
    double some_float() { return odd_float(random_); }
    std::string some_text() {
        const char* const odd[] = {"",        "none",          "max",   "min",      "mul",
                                   "add",     "SAME_UPPER",    "VALID", "linear",   "nearest",
                                   "cubic",   "reflect",       "wrap",  "edge",     "Relu",
                                   "reverse", "bidirectional", "gated", "circular", "x"};
        return odd[below(std::size(odd))];
    }
    std::string some_name(const Graph& graph) {
        if (graph.node_size() > 0 && once_in(2)) {
            const Node& node = graph.node(int(below(uint64_t(graph.node_size()))));
            if (node.output_size() > 0)
                return node.output(int(below(uint64_t(node.output_size()))));
        }
        if (graph.initializer_size() > 0 && once_in(2))
            return graph.initializer(int(below(uint64_t(graph.initializer_size())))).name();
        if (graph.input_size() > 0)
            return graph.input(int(below(uint64_t(graph.input_size())))).name();
        return "";
    }

    /// Another element, one more or one less, or none.
    template <class List, class Make>
    void change_list(List& list, Make&& make) {
        switch (below(6)) {
            case 0:
                return list.Clear();
            case 1:
                if (!list.empty()) list.RemoveLast();
                return;
            case 2:
                return list.Add(make());
            case 3:
                for (uint64_t k = below(20); k > 0; --k) list.Add(make());
                return;
            default:
                if (!list.empty()) list.Set(int(below(uint64_t(list.size()))), make());
        }
    }

    void change_attributes(Node& node) {
        auto& all = *node.mutable_attribute();
        if (all.empty() || once_in(8)) return add_attribute(node);
        if (once_in(10)) return all.DeleteSubrange(int(below(uint64_t(all.size()))), 1);
        change_attribute(any(all));
    }
    void change_attribute(Attribute& attribute) {
        if (once_in(20)) return attribute.set_type(Attribute::AttributeType(below(14)));
        if (attribute.has_t()) return change_tensor(*attribute.mutable_t());
        switch (attribute.type()) {
            case Attribute::INT:
                return attribute.set_i(some_integer(attribute.i()));
            case Attribute::FLOAT:
                return attribute.set_f(float(some_float()));
            case Attribute::STRING:
                return attribute.set_s(some_text());
            case Attribute::INTS:
                return change_list(*attribute.mutable_ints(), [&] {
                    return some_integer(attribute.ints_size() ? attribute.ints(0) : 0);
                });
            case Attribute::FLOATS:
                return change_list(*attribute.mutable_floats(),
                                   [&] { return float(some_float()); });
            case Attribute::STRINGS:
                if (attribute.strings_size() > 0 && once_in(2))
                    return attribute.mutable_strings()->RemoveLast();
                return attribute.add_strings(some_text());
            default:
                return;
        }
    }
    /// One that an importer may ask for.
    void add_attribute(Node& node) {
        const char* const names[] = {"axis",
                                     "axes",
                                     "pads",
                                     "strides",
                                     "dilations",
                                     "group",
                                     "output_shape",
                                     "output_padding",
                                     "kernel_shape",
                                     "auto_pad",
                                     "ceil_mode",
                                     "mode",
                                     "batch_dims",
                                     "keepdims",
                                     "direction",
                                     "hidden_size",
                                     "layout",
                                     "perm",
                                     "to",
                                     "dtype",
                                     "split",
                                     "scan_input_axes",
                                     "scan_output_axes",
                                     "block_size",
                                     "p"};
        Attribute& attribute = *node.add_attribute();
        attribute.set_name(names[below(std::size(names))]);
        switch (below(3)) {
            case 0:
                attribute.set_type(Attribute::INT);
                return attribute.set_i(some_integer(0));
            case 1:
                attribute.set_type(Attribute::STRING);
                return attribute.set_s(some_text());
            default:
                attribute.set_type(Attribute::INTS);
                for (uint64_t k = below(6); k > 0; --k) attribute.add_ints(some_integer(1));
        }
    }

    void change_tensor(Tensor& tensor) {
        switch (below(8)) {
            case 0:  // Other sizes, whatever elements there are.
                return change_list(*tensor.mutable_dims(), [&] { return some_integer(1); });
            case 1:  // A vector, or an axis more.
                if (once_in(2)) return tensor.add_dims(1);
                return as_vector(tensor);
            case 2:  // No elements.
                tensor.clear_float_data();
                tensor.clear_int64_data();
                tensor.clear_int32_data();
                tensor.clear_double_data();
                tensor.clear_dims();
                return tensor.add_dims(0);
            case 3:
                return tensor.set_data_type(int32_t(below(24)));
            default:
                return change_element(tensor);
        }
    }
    /// As many elements as sizes say, none of them or one more.
    void as_vector(Tensor& tensor) {
        const int64_t size = tensor.float_data_size() + tensor.int64_data_size() +
                             tensor.int32_data_size() + tensor.double_data_size();
        tensor.clear_dims();
        tensor.add_dims(size);
    }
    void change_element(Tensor& tensor) {
        if (tensor.int64_data_size() > 0) {
            int64_t& value = any(*tensor.mutable_int64_data());
            value = some_integer(value);
        } else if (tensor.float_data_size() > 0) {
            any(*tensor.mutable_float_data()) = float(some_float());
        } else if (tensor.double_data_size() > 0) {
            any(*tensor.mutable_double_data()) = some_float();
        } else if (tensor.int32_data_size() > 0) {
            any(*tensor.mutable_int32_data()) = int32_t(some_integer(0));
        }
    }

    void change_input(::onnx::ValueInfoProto& input) {
        auto& type = *input.mutable_type()->mutable_tensor_type();
        if (once_in(8)) return type.set_elem_type(int32_t(below(24)));
        auto& sizes = *type.mutable_shape()->mutable_dim();
        switch (below(5)) {
            case 0:
                if (!sizes.empty()) sizes.RemoveLast();
                return;
            case 1:
                return sizes.Add()->set_dim_value(int64_t(below(4)));
            case 2:
                return sizes.Clear();
            default:
                if (!sizes.empty()) any(sizes).set_dim_value(int64_t(below(10)));
        }
    }

    void change_node(Graph& graph) {
        Node& node = any(*graph.mutable_node());
        auto& inputs = *node.mutable_input();
        switch (below(9)) {
            case 0:
                if (!inputs.empty()) inputs.RemoveLast();
                return;
            case 1:
                if (!inputs.empty()) any(inputs).clear();
                return;
            case 2:
                if (!inputs.empty()) any(inputs) = some_name(graph);
                return;
            case 3:
                return node.add_input(some_name(graph));
            case 4:
                if (node.output_size() > 0) node.mutable_output()->RemoveLast();
                return;
            case 5:
                return node.add_output("more" + std::to_string(node.output_size()));
            case 6:
                if (node.output_size() > 0) any(*node.mutable_output()).clear();
                return;
            case 7:
                if (inputs.size() > 1) inputs.SwapElements(0, int(below(uint64_t(inputs.size()))));
                return;
            default:
                return make_known(graph);
        }
    }
    /// An input of the graph becomes a tensor of the model.
    void make_known(Graph& graph) {
        if (graph.input_size() == 0) return;
        const auto& input = graph.input(int(below(uint64_t(graph.input_size()))));
        Tensor& tensor = *graph.add_initializer();
        tensor.set_name(input.name());
        tensor.set_data_type(input.type().tensor_type().elem_type());
        int64_t count = 1;
        for (const auto& size : input.type().tensor_type().shape().dim()) {
            tensor.add_dims(size.dim_value());
            count *= size.dim_value();
        }
        for (int64_t i = 0; i < count && i < 1000; ++i) {
            if (tensor.data_type() == Tensor::FLOAT) tensor.add_float_data(float(i % 3));
            if (tensor.data_type() == Tensor::INT64) tensor.add_int64_data(i % 2);
            if (tensor.data_type() == Tensor::INT32 || tensor.data_type() == Tensor::UINT8 ||
                tensor.data_type() == Tensor::BOOL)
                tensor.add_int32_data(int32_t(i % 2));
        }
    }

    void change_graph(Graph& graph) {
        switch (below(5)) {
            case 0:
                return model_.mutable_opset_import(0)->set_version(7 + int64_t(below(20)));
            case 1:
                if (graph.output_size() > 0) graph.mutable_output()->RemoveLast();
                return;
            case 2:
                return graph.add_output()->set_name(some_name(graph));
            case 3:
                if (graph.input_size() > 0) graph.mutable_input()->RemoveLast();
                return;
            default: {
                if (graph.node_size() == 0) return;
                // Another operator on the same values.
                const char* const others[] = {"Concat", "Add",     "MatMul", "Split", "Identity",
                                              "Loop",   "Squeeze", "Conv",   "LSTM",  "Tile"};
                any(*graph.mutable_node()).set_op_type(others[below(std::size(others))]);
            }
        }
    }

    ::onnx::ModelProto& model_;
    Random& random_;
    std::vector<Graph*> graphs_;
};

}  // namespace

void change_fields(::onnx::ModelProto& model, Random& random) {
    for (uint64_t changes = 1 + random() % 3; changes > 0; --changes)
        FieldChange(model, random).change();
}

}  // namespace catena::fuzz
