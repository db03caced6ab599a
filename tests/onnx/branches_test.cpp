// Models whose operators read elements on the host: eager, in a static region, which is cut there,
// and by `catena run`.
#include <gtest/gtest.h>

#include <fstream>

#include <onnx/onnx_pb.h>

#include "frontend/catena.h"
#include "frontend/compiler/compiler_loader.h"
#include "frontend/onnx/import.h"
#include "runtime/file/npy.h"
#include "tests/onnx/exported.h"
#include "tests/support/command.h"

namespace catena::testing {
namespace {

using Proto = ::onnx::ModelProto;
using Graph = ::onnx::GraphProto;
using Names = std::vector<std::string>;
constexpr auto number = ::onnx::TensorProto::FLOAT, integer = ::onnx::TensorProto::INT64;

::onnx::NodeProto& add_node(Graph& graph, const std::string& type, const Names& inputs,
                            const Names& outputs) {
    ::onnx::NodeProto& node = *graph.add_node();
    node.set_op_type(type);
    for (const std::string& name : inputs) node.add_input(name);
    for (const std::string& name : outputs) node.add_output(name);
    return node;
}

Graph& add_graph(::onnx::NodeProto& node, const std::string& name) {
    auto& attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(::onnx::AttributeProto::GRAPH);
    return *attribute.mutable_g();
}

void add_integer(::onnx::NodeProto& node, const std::string& name, int64_t value) {
    auto& attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(::onnx::AttributeProto::INT);
    attribute.set_i(value);
}

/// A constant of opset 13, where axes and scalars are inputs.
void add_constant(Graph& graph, const std::string& name, const std::vector<float>& values,
                  bool scalar = false) {
    auto& tensor = *graph.add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(number);
    if (!scalar) tensor.add_dims(int64_t(values.size()));
    for (float value : values) tensor.add_float_data(value);
}

Proto model_of(const std::vector<std::pair<std::string, ::onnx::TensorProto::DataType>>& inputs,
               const Names& outputs) {
    Proto model;
    model.set_ir_version(8);
    model.add_opset_import()->set_version(13);
    for (const auto& [name, type] : inputs) {
        auto* port = model.mutable_graph()->add_input();
        port->set_name(name);
        port->mutable_type()->mutable_tensor_type()->set_elem_type(type);
    }
    for (const std::string& name : outputs) {
        auto* port = model.mutable_graph()->add_output();
        port->set_name(name);
    }
    return model;
}

Variable row(const std::vector<float>& values) {
    return Variable(Array::from(values, Shape{int64_t(values.size())}), false);
}

class Branches : public ::testing::Test {
protected:
    /// All three ways must give the same for every list of inputs, whatever came before.
    void expect_same(const Proto& proto, const std::vector<std::vector<Variable>>& calls) {
        const std::string path = folder_ + "/m.onnx";
        std::ofstream(path, std::ios::binary) << proto.SerializeAsString();
        const onnx::Model model = onnx::import_model(path);
        auto region = static_graph([&](const std::vector<Variable>& xs) { return model(xs); },
                                   {.name = "branches"});
        for (int round = 0; round < 3; ++round)
            for (const std::vector<Variable>& inputs : calls) {
                const std::vector<Variable> expected = model(inputs), actual = region(inputs);
                ASSERT_EQ(actual.size(), expected.size());
                for (size_t i = 0; i < actual.size(); ++i)
                    expect_equal(actual[i].array(), expected[i].array(), 1e-6,
                                 fmt::format("output {}", i));
            }
        if (compiler_available()) {
            EXPECT_NE(region.explain().find("the host reads a computed value"), std::string::npos)
                << region.explain();
        }
        for (const std::vector<Variable>& inputs : calls)
            expect_same_from_the_command_line(path, model, inputs);
    }

    void expect_same_from_the_command_line(const std::string& path, const onnx::Model& model,
                                           const std::vector<Variable>& inputs) {
        std::string files;
        for (size_t i = 0; i < inputs.size(); ++i) {
            files += fmt::format(" {}/x{}.npy", folder_, i);
            save_npy(fmt::format("{}/x{}.npy", folder_, i), inputs[i].array());
        }
        const std::string out = folder_ + "/y.npz";
        const CommandResult result = run(program("catena") + " run " + path + files + " -o " + out);
        ASSERT_EQ(result.status, 0) << result.output;
        const NpzFile file(out);
        const std::vector<Variable> expected = model(inputs);
        for (size_t i = 0; i < expected.size(); ++i)
            expect_equal(file.read(model.outputs()[i].name), expected[i].array(), 1e-6,
                         "catena run");
    }

    std::string folder_ = fresh_folder(
        std::string("branches_") + ::testing::UnitTest::GetInstance()->current_test_info()->name());
};

/// y = 2 relu(x) where the sum of relu(x) is above 1, else -x + relu(x).
TEST_F(Branches, if_on_a_computed_value) {
    Proto model = model_of({{"x", number}}, {"y"});
    Graph& graph = *model.mutable_graph();
    add_constant(graph, "one", {1}, true);
    add_node(graph, "Relu", {"x"}, {"r"});
    add_integer(add_node(graph, "ReduceSum", {"r"}, {"s"}), "keepdims", 0);
    add_node(graph, "Greater", {"s", "one"}, {"large"});
    ::onnx::NodeProto& choice = add_node(graph, "If", {"large"}, {"b"});
    Graph &then = add_graph(choice, "then_branch"), &otherwise = add_graph(choice, "else_branch");
    add_node(then, "Add", {"r", "r"}, {"twice"});
    then.add_output()->set_name("twice");
    add_node(otherwise, "Sub", {"r", "x"}, {"less"});
    otherwise.add_output()->set_name("less");
    add_node(graph, "Neg", {"b"}, {"y"});
    expect_same(model,
                {{row({1, 2, -3})}, {row({-1, -2, 0.5f})}, {row({-1, -2, -3})}, {row({4, 4, 4})}});
}

/// A graph inside a branch reads a value of each graph around it: y = (r - 2 r) + 2 r where the sum
/// of r = relu(x) is above 1.
TEST_F(Branches, values_of_the_graphs_around_are_read) {
    Proto model = model_of({{"x", number}}, {"y"});
    Graph& graph = *model.mutable_graph();
    add_constant(graph, "one", {1}, true);
    add_node(graph, "Relu", {"x"}, {"r"});
    add_integer(add_node(graph, "ReduceSum", {"r"}, {"s"}), "keepdims", 0);
    add_node(graph, "Greater", {"s", "one"}, {"large"});
    ::onnx::NodeProto& choice = add_node(graph, "If", {"large"}, {"y"});
    Graph &then = add_graph(choice, "then_branch"), &otherwise = add_graph(choice, "else_branch");
    add_node(then, "Add", {"r", "r"}, {"twice"});
    ::onnx::NodeProto& inner = add_node(then, "If", {"large"}, {"difference"});
    for (const char* branch : {"then_branch", "else_branch"}) {
        Graph& innermost = add_graph(inner, branch);
        add_node(innermost, "Neg", {"twice"}, {"negated"});
        add_node(innermost, "Add", {"r", "negated"}, {"less"});
        innermost.add_output()->set_name("less");
    }
    add_node(then, "Add", {"difference", "twice"}, {"all"});
    then.add_output()->set_name("all");
    add_node(otherwise, "Neg", {"r"}, {"negative"});
    otherwise.add_output()->set_name("negative");
    const std::string path = folder_ + "/values.onnx";
    std::ofstream(path, std::ios::binary) << model.SerializeAsString();
    EXPECT_EQ(onnx::import_model(path)(row({1, 2, -3})).array().to_vector<float>(),
              (std::vector<float>{1, 2, 0}));
    EXPECT_EQ(onnx::import_model(path)(row({0.5f, 0, -3})).array().to_vector<float>(),
              (std::vector<float>{-0.5f, -0.f, -0.f}));
    expect_same(model, {{row({1, 2, -3})}, {row({0.5f, 0, -3})}});
}

/// Twice the positive elements, of which there are as many as there are.
TEST_F(Branches, elements_that_a_mask_chooses) {
    Proto model = model_of({{"x", number}}, {"y", "where"});
    Graph& graph = *model.mutable_graph();
    add_constant(graph, "zero", {0}, true);
    add_node(graph, "Add", {"x", "x"}, {"d"});
    add_node(graph, "Greater", {"d", "zero"}, {"mask"});
    add_node(graph, "NonZero", {"mask"}, {"where"});
    add_integer(add_node(graph, "Compress", {"d", "mask"}, {"chosen"}), "axis", 0);
    add_node(graph, "Exp", {"chosen"}, {"y"});
    expect_same(model, {{row({1, -2, 0.5f, 3})}, {row({-1, 2, -0.5f, -3})}, {row({1, 2, 3, 4})}});
}

TEST_F(Branches, a_shape_that_is_an_input) {
    Proto model = model_of({{"x", number}, {"shape", integer}}, {"y"});
    Graph& graph = *model.mutable_graph();
    add_node(graph, "Neg", {"x"}, {"n"});
    add_node(graph, "Add", {"shape", "shape"}, {"double"});
    add_node(graph, "Expand", {"n", "double"}, {"e"});
    add_node(graph, "Exp", {"e"}, {"y"});
    const auto shape = [](const std::vector<int64_t>& sizes) {
        return Variable(Array::from(sizes, Shape{int64_t(sizes.size())}), false);
    };
    expect_same(
        model,
        {{row({0.5f}), shape({2, 3})}, {row({0.25f}), shape({1, 1})}, {row({1}), shape({4})}});
}

/// Halved until the largest element is below 1.
TEST_F(Branches, a_loop_until_a_computed_value) {
    Proto model = model_of({{"x", number}}, {"y"});
    Graph& graph = *model.mutable_graph();
    add_constant(graph, "half", {0.5f}, true);
    add_constant(graph, "one", {1}, true);
    add_node(graph, "Abs", {"x"}, {"a"});
    add_integer(add_node(graph, "ReduceMax", {"a"}, {"m"}), "keepdims", 0);
    add_node(graph, "Greater", {"m", "one"}, {"go"});
    Graph& body = add_graph(add_node(graph, "Loop", {"", "go", "a"}, {"y"}), "body");
    for (const char* name : {"i", "before", "v"}) body.add_input()->set_name(name);
    add_node(body, "Mul", {"v", "half"}, {"w"});
    add_integer(add_node(body, "ReduceMax", {"w"}, {"largest"}), "keepdims", 0);
    add_node(body, "Greater", {"largest", "one"}, {"again"});
    for (const char* name : {"again", "w"}) body.add_output()->set_name(name);
    expect_same(model, {{row({1, -9, 3})}, {row({0.5f, 0.25f, 0})}, {row({2, 2, 100})}});
}

}  // namespace
}  // namespace catena::testing
