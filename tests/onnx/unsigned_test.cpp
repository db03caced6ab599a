// Unsigned integers of 16 to 64 bits, which are held in larger signed types.
#include <gtest/gtest.h>

#include <fstream>

#include <onnx/onnx_pb.h>

#include "frontend/catena.h"
#include "frontend/onnx/import.h"
#include "frontend/onnx/tensor.h"
#include "tests/onnx/exported.h"

namespace catena::testing {
namespace {

using Tensor = ::onnx::TensorProto;

class Unsigned : public ::testing::Test {
protected:
    Unsigned() {
        model_.set_ir_version(8);
        model_.add_opset_import()->set_version(19);
    }
    void input(const std::string& name, int type) {
        auto& port = *model_.mutable_graph()->add_input();
        port.set_name(name);
        port.mutable_type()->mutable_tensor_type()->set_elem_type(type);
    }
    ::onnx::NodeProto& add(const std::string& op, const std::vector<std::string>& inputs,
                           const std::string& output) {
        ::onnx::NodeProto& node = *model_.mutable_graph()->add_node();
        node.set_op_type(op);
        for (const std::string& name : inputs) node.add_input(name);
        node.add_output(output);
        return node;
    }
    std::vector<int64_t> run(const std::vector<Variable>& inputs) {
        model_.mutable_graph()->add_output()->set_name("y");
        std::ofstream(path_, std::ios::binary) << model_.SerializeAsString();
        return onnx::import_model(path_).run(inputs)[0].array().to_vector<int64_t>();
    }
    std::string refused() {
        try {
            run({});
        } catch (const Error& error) {
            return error.what();
        }
        return "no error";
    }
    static Variable shorts(const std::vector<int32_t>& values) {
        return Variable(Array::from(values, {int64_t(values.size())}), false);
    }
    static Variable longs(const std::vector<int64_t>& values) {
        return Variable(Array::from(values, {int64_t(values.size())}), false);
    }

    std::string path_ =
        fresh_folder(std::string("unsigned_") +
                     ::testing::UnitTest::GetInstance()->current_test_info()->name()) +
        "/model.onnx";
    ::onnx::ModelProto model_;
};

#define EXPECT_SAYS(message, part) EXPECT_NE((message).find(part), std::string::npos) << (message)

TEST_F(Unsigned, differences_and_products_wrap_around) {
    for (const char* name : {"a", "b"}) input(name, Tensor::UINT16);
    add("Sub", {"a", "b"}, "difference");
    add("Mul", {"difference", "a"}, "y");
    EXPECT_EQ(run({shorts({3, 7, 65535}), shorts({5, 7, 1})}),
              (std::vector<int64_t>{(65534 * 3) % 65536, 0, 65534 * 65535ll % 65536}));
}

TEST_F(Unsigned, sums_of_32_bits_wrap_around) {
    for (const char* name : {"a", "b"}) input(name, Tensor::UINT32);
    add("Add", {"a", "b"}, "y");
    EXPECT_EQ(run({longs({4294967295, 1}), longs({2, 1})}), (std::vector<int64_t>{1, 2}));
}

TEST_F(Unsigned, casts_keep_the_low_bits) {
    input("x", Tensor::INT64);
    auto& to = *add("Cast", {"x"}, "y").add_attribute();
    to.set_name("to");
    to.set_type(::onnx::AttributeProto::INT);
    to.set_i(Tensor::UINT32);
    EXPECT_EQ(run({longs({-1, (int64_t(1) << 60) + 5, 7})}),
              (std::vector<int64_t>{4294967295, 5, 7}));
}

TEST_F(Unsigned, quantizing_to_16_bits_clamps) {
    input("x", Tensor::FLOAT);
    auto& graph = *model_.mutable_graph();
    onnx::write_tensor(Array::scalar(0.5f), "scale", *graph.add_initializer());
    auto& zero = *graph.add_initializer();
    zero.set_name("zero");
    zero.set_data_type(Tensor::UINT16);
    zero.add_int32_data(1000);
    add("QuantizeLinear", {"x", "scale", "zero"}, "y");
    EXPECT_EQ(run({Variable(Array::from(std::vector<float>{0, -501, 1, 1e6}, {4}), false)}),
              (std::vector<int64_t>{1000, 0, 1002, 65535}));
}

TEST_F(Unsigned, operators_that_would_differ_are_refused) {
    input("a", Tensor::UINT16);
    add("BitwiseNot", {"a"}, "y");
    EXPECT_SAYS(refused(),
                "BitwiseNot node 'y' has elements of type UINT16, which Catena does not have");
}

TEST_F(Unsigned, sums_of_64_bits_are_refused) {
    input("a", Tensor::UINT64);
    add("Add", {"a", "a"}, "y");
    EXPECT_SAYS(refused(), "Add node 'y' has elements of type UINT64");
}

TEST_F(Unsigned, branches_do_not_hide_the_type) {
    input("a", Tensor::UINT16);
    input("choice", Tensor::BOOL);
    ::onnx::NodeProto& branch = add("If", {"choice"}, "y");
    for (const char* name : {"then_branch", "else_branch"}) {
        auto& attribute = *branch.add_attribute();
        attribute.set_name(name);
        attribute.set_type(::onnx::AttributeProto::GRAPH);
        auto& node = *attribute.mutable_g()->add_node();
        node.set_op_type("Identity");
        node.add_input("a");
        node.add_output("same");
        attribute.mutable_g()->add_output()->set_name("same");
    }
    EXPECT_SAYS(refused(), "If node 'y' has elements of type UINT16");
}

TEST_F(Unsigned, numbers_that_are_not_held_are_refused) {
    auto& large = *model_.mutable_graph()->add_initializer();
    large.set_name("x");
    large.set_data_type(Tensor::UINT64);
    large.add_uint64_data(uint64_t(1) << 63);
    add("Identity", {"x"}, "y");
    EXPECT_SAYS(refused(), "elements of type UINT64 beyond");
    large.clear_uint64_data();
    large.add_dims(int64_t(1) << 30);
    EXPECT_SAYS(refused(), "its sizes need 1073741824");
}

}  // namespace
}  // namespace catena::testing
