#include "frontend/onnx/functions.h"

#include <map>

#include <onnx/onnx_pb.h>

#include "frontend/onnx/errors.h"
#include "runtime/file/limits.h"

namespace catena::onnx {
namespace {

using Function = ::onnx::FunctionProto;
using Graph = ::onnx::GraphProto;
using Node = ::onnx::NodeProto;
using Nodes = google::protobuf::RepeatedPtrField<Node>;
using Attributes = google::protobuf::RepeatedPtrField<::onnx::AttributeProto>;
using Names = std::map<std::string, std::string>;

constexpr int64_t most_nodes = int64_t(1) << 20;
constexpr int most_depth = 100;

class Inliner {
public:
    Inliner(::onnx::ModelProto& model, const std::string& path)
        : model_(model), path_(path), budget_("onnx: " + path, model.ByteSizeLong()) {
        for (const Function& f : model.functions())
            functions_.emplace(std::pair(domain_of(f.domain()), f.name()), &f);
    }

    void run() {
        rewrite(*model_.mutable_graph(), 0);
        model_.clear_functions();
    }

private:
    static std::string domain_of(const std::string& domain) {
        return domain == "ai.onnx" ? "" : domain;
    }

    const Function* function_of(const Node& node) const {
        auto found = functions_.find({domain_of(node.domain()), node.op_type()});
        return found == functions_.end() ? nullptr : found->second;
    }

    void rewrite(Graph& graph, int depth) {
        Nodes nodes;
        for (Node& node : *graph.mutable_node()) append(std::move(node), nodes, depth);
        graph.mutable_node()->Swap(&nodes);
    }

    void append(Node node, Nodes& nodes, int depth) {
        if (depth > most_depth)
            fail<FileError>("onnx: {}: function calls are nested deeper than {}: '{}'", path_,
                            most_depth, node.op_type());
        for (auto& attribute : *node.mutable_attribute())
            if (attribute.has_g()) rewrite(*attribute.mutable_g(), depth + 1);
        if (const Function* function = function_of(node)) {
            expand(*function, node, nodes, depth);
            return;
        }
        count();
        *nodes.Add() = std::move(node);
    }

    void check_opset(const Function& function) const {
        for (const auto& own : function.opset_import())
            for (const auto& all : model_.opset_import())
                if (domain_of(own.domain()) == domain_of(all.domain()) &&
                    own.version() != all.version())
                    fail<UnsupportedError>(
                        "onnx: {}: the function {} is of opset {}, the model of {}", path_,
                        function.name(), own.version(), all.version());
    }

    void expand(const Function& function, const Node& call, Nodes& nodes, int depth) {
        check_opset(function);
        if (call.input_size() > function.input_size() ||
            call.output_size() > function.output_size())
            fail<FileError>(
                "onnx: {}: the function {} has {} inputs and {} outputs, node '{}' {} and {}",
                path_, function.name(), function.input_size(), function.output_size(), call.name(),
                call.input_size(), call.output_size());
        count();
        const std::string prefix = fmt::format("{}#{}/", function.name(), next_++);
        Names names{{"", ""}};
        for (int i = 0; i < function.input_size(); ++i)
            names[function.input(i)] = i < call.input_size() ? call.input(i) : "";
        Nodes copies;
        for (int i = 0; i < call.output_size(); ++i) {
            if (call.output(i).empty()) continue;
            if (names.try_emplace(function.output(i), call.output(i)).second) continue;
            Node& same = *copies.Add();  // An output that is an input, or an output twice.
            same.set_op_type("Identity");
            same.add_input(names[function.output(i)]);
            same.add_output(call.output(i));
        }
        const Attributes given = given_to(function, call);
        for (const Node& original : function.node()) {
            // A large node in a function that is called often becomes many large ones.
            budget_.ask(original.ByteSizeLong(),
                        fmt::format("a call of the function {}", function.name()));
            Node node = original;
            rename(node, names, prefix);
            set_attributes(node, given);
            if (node.doc_string().empty()) node.set_doc_string(call.doc_string());
            append(std::move(node), nodes, depth + 1);
        }
        for (Node& copy : copies) *nodes.Add() = std::move(copy);
    }

    void count() {
        if (++count_ > most_nodes)
            fail<FileError>("onnx: {}: its functions expand to more than {} nodes", path_,
                            most_nodes);
    }

    /// The call's attributes, and the function's defaults, which schemas older than 1.13 do not
    /// know.
    static Attributes given_to(const Function& function, const Node& call) {
        constexpr int attribute_proto = 11;
        Attributes given(call.attribute());
        const auto* reflection = Function::GetReflection();
        if (const auto* field = Function::descriptor()->FindFieldByNumber(attribute_proto)) {
            for (int i = 0; i < reflection->FieldSize(function, field); ++i)
                *given.Add() = static_cast<const ::onnx::AttributeProto&>(
                    reflection->GetRepeatedMessage(function, field, i));
            return given;
        }
        const auto& unknown = reflection->GetUnknownFields(function);
        for (int i = 0; i < unknown.field_count(); ++i)
            if (unknown.field(i).number() == attribute_proto &&
                unknown.field(i).type() == google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED &&
                !given.Add()->ParseFromString(unknown.field(i).length_delimited()))
                fail<FileError>("onnx: the defaults of the function {} are damaged",
                                function.name());
        return given;
    }

    static std::string renamed(const std::string& name, Names& names, const std::string& prefix) {
        return names.try_emplace(name, prefix + name).first->second;
    }

    static void rename(Node& node, Names& names, const std::string& prefix) {
        for (std::string& name : *node.mutable_input()) name = renamed(name, names, prefix);
        for (std::string& name : *node.mutable_output()) name = renamed(name, names, prefix);
        for (auto& attribute : *node.mutable_attribute())
            if (attribute.has_g()) rename(*attribute.mutable_g(), names, prefix);
    }

    static void rename(Graph& graph, Names& names, const std::string& prefix) {
        for (auto& input : *graph.mutable_input())
            input.set_name(renamed(input.name(), names, prefix));
        for (auto& tensor : *graph.mutable_initializer())
            tensor.set_name(renamed(tensor.name(), names, prefix));
        for (Node& node : *graph.mutable_node()) rename(node, names, prefix);
        for (auto& output : *graph.mutable_output())
            output.set_name(renamed(output.name(), names, prefix));
    }

    /// Attributes that refer to one of the function's get its value, or are omitted.
    static void set_attributes(Node& node, const Attributes& given) {
        Attributes attributes;
        for (auto& attribute : *node.mutable_attribute()) {
            if (attribute.has_g())
                for (Node& below : *attribute.mutable_g()->mutable_node())
                    set_attributes(below, given);
            if (!attribute.has_ref_attr_name()) {
                *attributes.Add() = attribute;
                continue;
            }
            for (const auto& own : given)
                if (own.name() == attribute.ref_attr_name()) {
                    *attributes.Add() = own;
                    attributes.rbegin()->set_name(attribute.name());
                    break;
                }
        }
        node.mutable_attribute()->Swap(&attributes);
    }

    ::onnx::ModelProto& model_;
    const std::string& path_;
    FileBudget budget_;
    std::map<std::pair<std::string, std::string>, const Function*> functions_;
    int64_t count_ = 0;
    int next_ = 0;
};

}  // namespace

void inline_functions(::onnx::ModelProto& model, const std::string& path) {
    if (model.functions_size() > 0) Inliner(model, path).run();
}

}  // namespace catena::onnx
