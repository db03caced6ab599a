#include "frontend/onnx/unsigned_types.h"

#include <cstring>
#include <map>
#include <set>

#include <onnx/onnx_pb.h>

#include "frontend/onnx/errors.h"
#include "runtime/graph/op/arithmetic.h"

namespace catena::onnx {
namespace {

using Graph = ::onnx::GraphProto;
using Node = ::onnx::NodeProto;
using Tensor = ::onnx::TensorProto;

/// Operators whose results have the type of their operands and are the same in a larger type.
const std::set<std::string_view> keeping = {"Identity",
                                            "Reshape",
                                            "Flatten",
                                            "Squeeze",
                                            "Unsqueeze",
                                            "Transpose",
                                            "Concat",
                                            "Split",
                                            "Slice",
                                            "Gather",
                                            "Where",
                                            "Expand",
                                            "GatherElements",
                                            "GatherND",
                                            "Tile",
                                            "Pad",
                                            "DepthToSpace",
                                            "SpaceToDepth",
                                            "Max",
                                            "Min",
                                            "Mod",
                                            "Div",
                                            "Clip",
                                            "ReverseSequence",
                                            "Trilu",
                                            "CenterCropPad",
                                            "Compress",
                                            "BitwiseAnd",
                                            "BitwiseOr",
                                            "BitwiseXor"};
/// Operators whose results are of another type.
const std::set<std::string_view> leaving = {
    "Shape",       "Size",    "Equal",          "Less",
    "LessOrEqual", "Greater", "GreaterOrEqual", "DequantizeLinear",
    "ArgMax",      "ArgMin",  "NonZero"};
/// Operators that are exact in int64 for up to 32 bits, but for the product, up to 16.
const std::set<std::string_view> wrapping = {"Add", "Sub", "Mul"};

template <class T, class List>
void copy(const Tensor& tensor, const List& list, int64_t* to, int64_t count) {
    const int64_t given =
        tensor.has_raw_data() ? int64_t(tensor.raw_data().size() / sizeof(T)) : list.size();
    if (given != count || (tensor.has_raw_data() && tensor.raw_data().size() % sizeof(T)))
        fail<FileError>("onnx: tensor '{}' holds {} elements, its sizes need {}", tensor.name(),
                        given, count);
    for (int64_t i = 0; i < count; ++i) {
        T element;
        if (tensor.has_raw_data())
            std::memcpy(&element, tensor.raw_data().data() + size_t(i) * sizeof(T), sizeof(T));
        else
            element = T(list[int(i)]);
        if (uint64_t(element) > uint64_t(INT64_MAX))
            fail<UnsupportedError>(
                "onnx: tensor '{}' has elements of type UINT64 beyond {}, which Catena does not "
                "hold",
                tensor.name(), INT64_MAX);
        to[i] = int64_t(element);
    }
}

/// The types of names, where they are unsigned.
struct Types {
    const Types* outer;
    std::map<std::string, int> own;

    int find(const std::string& name) const {
        for (const Types* types = this; types; types = types->outer)
            if (const auto found = types->own.find(name); found != types->own.end())
                return found->second;
        return 0;
    }
};

const ::onnx::AttributeProto* find_attribute(const Node& node, std::string_view name) {
    for (const auto& attribute : node.attribute())
        if (attribute.name() == name) return &attribute;
    return nullptr;
}

class Pass {
public:
    explicit Pass(const std::string& path) : path_(path) {}

    /// Returns the unsigned type of an output; 0 if there is none.
    int run(Graph& graph, const Types* outer) {
        Types types{outer, {}};
        const auto add = [&](const std::string& name, int type) {
            types.own[name] = held_as(type) ? type : 0;
        };
        for (const auto& input : graph.input())
            add(input.name(), input.type().tensor_type().elem_type());
        for (const Tensor& tensor : graph.initializer()) add(tensor.name(), tensor.data_type());
        google::protobuf::RepeatedPtrField<Node> nodes;
        nodes.Swap(graph.mutable_node());
        for (Node& node : nodes) {
            for (auto& attribute : *node.mutable_attribute())
                if (attribute.has_g())
                    if (const int type = run(*attribute.mutable_g(), &types)) refuse(node, type);
            add_node(graph, node, types);
        }
        for (const auto& output : graph.output())
            if (const int type = types.find(output.name())) return type;
        return 0;
    }

private:
    void add_node(Graph& graph, Node& node, Types& types) {
        const int type = type_of_inputs(node, types), made = type_made(node, type);
        const bool wraps = type != 0 && wrapping.contains(node.op_type());
        if (wraps) return add_wrapping(graph, node, types, type);
        const bool quantizes = type == Tensor::UINT16 && node.op_type() == "QuantizeLinear";
        const auto* direction = find_attribute(node, "direction");
        const bool shifts_down =
            node.op_type() == "BitShift" && direction && direction->s() == "RIGHT";
        const bool keeps = quantizes || shifts_down || keeping.contains(node.op_type());
        if (type != 0 && !keeps && !leaving.contains(node.op_type()) && node.op_type() != "Cast")
            refuse(node, type);
        for (const std::string& output : node.output())
            types.own[output] = made != 0 ? made : keeps ? type : 0;
        graph.add_node()->Swap(&node);
    }

    int type_of_inputs(const Node& node, const Types& types) const {
        int type = 0;
        for (const std::string& name : node.input()) {
            const int found = name.empty() ? 0 : types.find(name);
            if (found != 0 && type != 0 && found != type) refuse(node, found);
            if (found != 0) type = found;
        }
        return type;
    }

    /// The unsigned type that an attribute names.
    int type_made(const Node& node, int type) const {
        int made = 0;
        if (const auto* to = find_attribute(node, "to"); to && node.op_type() == "Cast")
            made = int(to->i());
        if (const auto* value = find_attribute(node, "value");
            value && node.op_type().starts_with("Constant"))
            made = value->t().data_type();
        if (!held_as(made)) return 0;
        // Of negative numbers it would be beyond what int64 holds.
        if (made == Tensor::UINT64 && node.op_type() == "Cast" && type == 0) refuse(node, made);
        return made;
    }

    static Node& add_cast(Graph& graph, const std::string& from, const std::string& to, int type) {
        Node& cast = *graph.add_node();
        cast.set_op_type("Cast");
        cast.add_input(from);
        cast.add_output(to);
        auto& attribute = *cast.add_attribute();
        attribute.set_name("to");
        attribute.set_type(::onnx::AttributeProto::INT);
        attribute.set_i(type);
        return cast;
    }

    void add_wrapping(Graph& graph, Node& node, Types& types, int type) const {
        if (type == Tensor::UINT64 || (type == Tensor::UINT32 && node.op_type() == "Mul"))
            refuse(node, type);
        const std::string result = node.output(0), exact = result + "/exact";
        for (int i = 0; i < node.input_size(); ++i) {
            const std::string wide = fmt::format("{}/operand_{}", result, i);
            add_cast(graph, node.input(i), wide, Tensor::INT64);
            node.set_input(i, wide);
        }
        node.set_output(0, exact);
        graph.add_node()->Swap(&node);
        add_cast(graph, exact, result, type);
        types.own[result] = type;
    }

    [[noreturn]] void refuse(const Node& node, int type) const {
        const std::string name =
            node.name().empty() && node.output_size() > 0 ? node.output(0) : node.name();
        fail<UnsupportedError>(
            "onnx: {}: {} node '{}' has elements of type {}, which Catena does not have", path_,
            node.op_type(), name, Tensor::DataType_Name(Tensor::DataType(type)));
    }

    const std::string& path_;
};

}  // namespace

std::optional<Dtype> held_as(int type) {
    if (type == Tensor::UINT16) return Dtype::int32;
    if (type == Tensor::UINT32 || type == Tensor::UINT64) return Dtype::int64;
    return std::nullopt;
}

Array read_unsigned(const Tensor& tensor, const Shape& shape) {
    if (tensor.data_location() == Tensor::EXTERNAL)
        fail<UnsupportedError>(
            "onnx: tensor '{}' in a file of its own has elements of type {}, which Catena does not "
            "have",
            tensor.name(), Tensor::DataType_Name(Tensor::DataType(tensor.data_type())));
    const int64_t count = element_count(shape);
    const int64_t most =
        int64_t(tensor.raw_data().size()) + tensor.int32_data_size() + tensor.uint64_data_size();
    if (count > most)
        fail<FileError>("onnx: tensor '{}' holds at most {} elements, its sizes need {}",
                        tensor.name(), most, count);
    const Array array = Array::empty({Dtype::int64, shape});
    int64_t* to = array.to_fill<int64_t>();
    if (tensor.data_type() == Tensor::UINT16)
        copy<uint16_t>(tensor, tensor.int32_data(), to, count);
    else if (tensor.data_type() == Tensor::UINT32)
        copy<uint32_t>(tensor, tensor.uint64_data(), to, count);
    else
        copy<uint64_t>(tensor, tensor.uint64_data(), to, count);
    return array.astype(*held_as(tensor.data_type()));
}

Variable wrapped(const Variable& x, int type) {
    const Variable exact = cast(x, Dtype::int64);
    if (type == Tensor::UINT64) return exact;
    const bool is_short = type == Tensor::UINT16;
    const Variable low = cast(cast(exact, is_short ? Dtype::int16 : Dtype::int32), *held_as(type));
    return where(low < 0, low + (int64_t(1) << (is_short ? 16 : 32)), low);
}

void prepare_unsigned(Graph& graph, const std::string& path) { Pass(path).run(graph, nullptr); }

}  // namespace catena::onnx
