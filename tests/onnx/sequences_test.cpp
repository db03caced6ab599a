// Models with sequences of arrays, and optional values.
#include <gtest/gtest.h>

#include <fstream>

#include <onnx/onnx_pb.h>

#include "frontend/catena.h"
#include "frontend/onnx/import.h"
#include "frontend/onnx/tensor.h"
#include "tests/onnx/exported.h"

namespace catena::testing {
namespace {

using Names = std::vector<std::string>;
using Tensor = ::onnx::TensorProto;

/// A model under construction with the input x (float) and the outputs given at the end.
class Sequences : public ::testing::Test {
protected:
    Sequences() {
        model_.set_ir_version(8);
        model_.add_opset_import()->set_version(18);
        port(*model_.mutable_graph()->add_input(), "x", Tensor::FLOAT);
    }
    static void port(::onnx::ValueInfoProto& info, const std::string& name, int type) {
        info.set_name(name);
        info.mutable_type()->mutable_tensor_type()->set_elem_type(type);
    }
    static ::onnx::NodeProto& add(::onnx::GraphProto& graph, const std::string& type,
                                  const Names& inputs, const Names& outputs) {
        ::onnx::NodeProto& node = *graph.add_node();
        node.set_op_type(type);
        for (const std::string& name : inputs) node.add_input(name);
        for (const std::string& name : outputs) node.add_output(name);
        return node;
    }
    ::onnx::NodeProto& add(const std::string& type, const Names& inputs, const Names& outputs) {
        return add(*model_.mutable_graph(), type, inputs, outputs);
    }
    static void set(::onnx::NodeProto& node, const std::string& name, int64_t value) {
        auto& attribute = *node.add_attribute();
        attribute.set_name(name);
        attribute.set_type(::onnx::AttributeProto::INT);
        attribute.set_i(value);
    }
    static ::onnx::GraphProto& body(::onnx::NodeProto& node, const std::string& name) {
        auto& attribute = *node.add_attribute();
        attribute.set_name(name);
        attribute.set_type(::onnx::AttributeProto::GRAPH);
        return *attribute.mutable_g();
    }
    void constant(const std::string& name, const Array& array) {
        onnx::write_tensor(array, name, *model_.mutable_graph()->add_initializer());
    }
    void integers(const std::string& name, const std::vector<int64_t>& values) {
        constant(name, Array::from(values, {int64_t(values.size())}));
    }
    void integer(const std::string& name, int64_t value) { constant(name, Array::scalar(value)); }

    onnx::Model load(const Names& outputs) {
        for (const std::string& name : outputs)
            model_.mutable_graph()->add_output()->set_name(name);
        std::ofstream(path_, std::ios::binary) << model_.SerializeAsString();
        return onnx::import_model(path_);
    }
    std::vector<Array> run(const Names& outputs) {
        std::vector<Array> arrays;
        for (const Variable& y : load(outputs).run(std::span(&x_, 1))) arrays.push_back(y.array());
        return arrays;
    }
    std::string message_of(const Names& outputs) {
        try {
            run(outputs);
        } catch (const Error& error) {
            return error.what();
        }
        return "no error";
    }
    static std::vector<float> elements(const Array& array) { return array.to_vector<float>(); }

    std::string path_ =
        fresh_folder(std::string("sequences_") +
                     ::testing::UnitTest::GetInstance()->current_test_info()->name()) +
        "/model.onnx";
    Variable x_ = Variable(Array::from(std::vector<float>{1, 2, 3, 4, 5, 6}, {3, 2}), false);
    ::onnx::ModelProto model_;
};

TEST_F(Sequences, are_made_changed_and_read) {
    integer("first", 0);
    integer("last", -1);
    add("Neg", {"x"}, {"minus"});
    add("SequenceConstruct", {"x", "minus"}, {"two"});
    add("Exp", {"x"}, {"e"});
    add("SequenceInsert", {"two", "e", "first"}, {"three"});
    add("SequenceErase", {"three"}, {"without"});
    add("SequenceErase", {"three", "first"}, {"again"});
    add("SequenceAt", {"without", "last"}, {"a"});
    add("SequenceAt", {"again", "last"}, {"b"});
    add("SequenceLength", {"three"}, {"n"});
    const auto y = run({"a", "b", "n"});
    EXPECT_EQ(elements(y[0]), elements(x_.array()));
    EXPECT_EQ(elements(y[1]), (std::vector<float>{-1, -2, -3, -4, -5, -6}));
    EXPECT_EQ(y[2].item<int64_t>(), 3);
}

TEST_F(Sequences, arrays_are_split_and_joined) {
    integers("sizes", {1, 2});
    integer("two", 2);
    integer("one", 1);
    add("SplitToSequence", {"x", "sizes"}, {"by_sizes"});
    add("SequenceAt", {"by_sizes", "one"}, {"rest"});
    add("SplitToSequence", {"x", "two"}, {"pairs"});
    add("SequenceAt", {"pairs", "one"}, {"short"});
    set(add("ConcatFromSequence", {"pairs"}, {"joined"}), "axis", 0);
    auto& rows = add("SplitToSequence", {"x"}, {"rows"});
    set(rows, "keepdims", 0);
    auto& stacked = add("ConcatFromSequence", {"rows"}, {"stacked"});
    set(stacked, "axis", 1);
    set(stacked, "new_axis", 1);
    const auto y = run({"rest", "short", "joined", "stacked"});
    EXPECT_EQ(elements(y[0]), (std::vector<float>{3, 4, 5, 6}));
    EXPECT_EQ(elements(y[1]), (std::vector<float>{5, 6}));
    EXPECT_EQ(elements(y[2]), elements(x_.array()));
    EXPECT_EQ(y[3].shape(), (Shape{2, 3}));
    EXPECT_EQ(elements(y[3]), (std::vector<float>{1, 3, 5, 2, 4, 6}));
}

TEST_F(Sequences, pass_through_loops_and_branches) {
    integer("steps", 3);
    constant("yes", Array::full({Dtype::bool_, {}}, 1));
    add("SequenceEmpty", {}, {"none"});
    ::onnx::GraphProto& loop = body(add("Loop", {"steps", "yes", "none"}, {"list"}), "body");
    port(*loop.add_input(), "i", Tensor::INT64);
    port(*loop.add_input(), "go", Tensor::BOOL);
    loop.add_input()->set_name("before");
    set(add(loop, "Cast", {"i"}, {"f"}), "to", Tensor::FLOAT);
    add(loop, "Mul", {"x", "f"}, {"scaled"});
    add(loop, "SequenceInsert", {"before", "scaled"}, {"after"});
    add(loop, "Identity", {"go"}, {"on"});
    for (const char* name : {"on", "after"}) loop.add_output()->set_name(name);
    ::onnx::NodeProto& branch = add("If", {"yes"}, {"chosen"});
    for (const char* name : {"then_branch", "else_branch"}) {
        ::onnx::GraphProto& graph = body(branch, name);
        add(graph, "Identity", {"list"}, {"same"});
        graph.add_output()->set_name("same");
    }
    set(add("ConcatFromSequence", {"chosen"}, {"y"}), "axis", 0);
    const auto y = run({"y"});
    ASSERT_EQ(y[0].shape(), (Shape{9, 2}));
    for (size_t i = 0; i < 18; ++i) EXPECT_EQ(elements(y[0])[i], float(i / 6) * float(i % 6 + 1));
}

TEST_F(Sequences, are_mapped) {
    auto& rows = add("SplitToSequence", {"x"}, {"rows"});
    set(rows, "keepdims", 1);
    ::onnx::GraphProto& graph = body(add("SequenceMap", {"rows", "x"}, {"products"}), "body");
    for (const char* name : {"row", "all"}) graph.add_input()->set_name(name);
    add(graph, "Mul", {"row", "all"}, {"product"});
    graph.add_output()->set_name("product");
    set(add("ConcatFromSequence", {"products"}, {"y"}), "axis", 0);
    const auto y = run({"y"});
    ASSERT_EQ(y[0].shape(), (Shape{9, 2}));
    EXPECT_EQ(elements(y[0])[17], 36);
    EXPECT_EQ(elements(y[0])[1], 4);
}

TEST_F(Sequences, are_differentiated_and_compiled) {
    integer("one", 1);
    add("SplitToSequence", {"x"}, {"rows"});
    add("SequenceAt", {"rows", "one"}, {"row"});
    add("Mul", {"row", "row"}, {"y"});
    const onnx::Model model = load({"y"});
    Variable x(x_.array(), true);
    sum(model(x)).backward();
    EXPECT_EQ(elements(x.grad()), (std::vector<float>{0, 0, 6, 8, 0, 0}));
    auto region = static_graph([&](const Variable& v) { return model(v); });
    region(x_);
    EXPECT_EQ(elements(region(x_).array()), (std::vector<float>{9, 16}));
}

TEST_F(Sequences, optional_values_are_there_or_not) {
    add("Optional", {"x"}, {"maybe"});
    add("OptionalHasElement", {"maybe"}, {"has"});
    add("OptionalHasElement", {}, {"has_not"});
    add("OptionalGetElement", {"maybe"}, {"y"});
    const auto y = run({"has", "has_not", "y"});
    EXPECT_TRUE(y[0].item<bool>());
    EXPECT_FALSE(y[1].item<bool>());
    EXPECT_EQ(elements(y[2]), elements(x_.array()));
}

TEST_F(Sequences, a_place_outside_is_named) {
    integer("far", 2);
    add("SequenceConstruct", {"x", "x"}, {"two"});
    add("SequenceAt", {"two", "far"}, {"y"});
    EXPECT_NE(message_of({"y"}).find("place 2 of a sequence of 2"), std::string::npos);
}

TEST_F(Sequences, parts_that_do_not_fit_are_named) {
    integers("sizes", {1, 1});
    add("SplitToSequence", {"x", "sizes"}, {"parts"});
    set(add("ConcatFromSequence", {"parts"}, {"y"}), "axis", 0);
    EXPECT_NE(message_of({"y"}).find("parts of 2 of the 3 elements"), std::string::npos);
}

TEST_F(Sequences, an_array_is_no_sequence_and_a_sequence_no_output) {
    add("SequenceLength", {"x"}, {"n"});
    EXPECT_NE(message_of({"n"}).find("input 0 is no sequence"), std::string::npos);
    model_.mutable_graph()->clear_output();
    model_.mutable_graph()->clear_node();
    add("SequenceConstruct", {"x"}, {"list"});
    EXPECT_NE(message_of({"list"}).find("output 'list' is a sequence"), std::string::npos);
}

}  // namespace
}  // namespace catena::testing
