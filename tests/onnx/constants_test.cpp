// Nodes that only give names to a model's own numbers run when it is read
// (frontend/onnx/fold_constants.cpp): what comes out is the same.
#include <fstream>

#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include "frontend/catena.h"
#include "frontend/onnx/import.h"
#include "tests/onnx/exported.h"

namespace catena::testing {
namespace {

using Names = std::vector<std::string>;

struct Written {
    std::string folder = fresh_folder("constants");
    ::onnx::ModelProto proto;

    Written() {
        proto.set_ir_version(8);
        proto.add_opset_import()->set_version(13);
        auto* input = proto.mutable_graph()->add_input();
        input->set_name("x");
        input->mutable_type()->mutable_tensor_type()->set_elem_type(::onnx::TensorProto::FLOAT);
        proto.mutable_graph()->add_output()->set_name("y");
    }
    ::onnx::NodeProto& add(const std::string& type, const Names& inputs,
                           const std::string& output) {
        ::onnx::NodeProto& node = *proto.mutable_graph()->add_node();
        node.set_op_type(type);
        for (const std::string& name : inputs) node.add_input(name);
        node.add_output(output);
        return node;
    }
    void add_constant(const std::string& attribute_name, const std::string& output, float value) {
        auto& attribute = *add("Constant", {}, output).add_attribute();
        attribute.set_name(attribute_name);
        attribute.set_type(::onnx::AttributeProto::FLOAT);
        attribute.set_f(value);
    }
    void add_weight(const std::string& name, float value) {
        auto& tensor = *proto.mutable_graph()->add_initializer();
        tensor.set_name(name);
        tensor.set_data_type(::onnx::TensorProto::FLOAT);
        tensor.add_dims(1);
        tensor.add_float_data(value);
    }
    onnx::Model read(const onnx::ImportOptions& options = {}) const {
        const std::string path = folder + "/m.onnx";
        std::ofstream(path, std::ios::binary) << proto.SerializeAsString();
        return onnx::import_model(path, options);
    }
};

Variable numbers() { return Variable(Array::from(std::vector<float>{-3, 1, 9}, Shape{3})); }
std::vector<float> read(const Array& y) { return y.to_vector<float>(); }
std::vector<float> read(const Variable& y) { return read(y.array()); }

TEST(ConstantsOfOnnx, are_bounds_of_a_clip) {
    Written model;
    model.add_constant("value_float", "low", -1);
    model.add_constant("value_float", "six", 6);
    model.add("Identity", {"six"}, "high");
    model.add("Clip", {"x", "low", "high"}, "y");
    const onnx::Model net = model.read();
    auto region = static_graph([&](const Variable& x) { return net(x); });
    for (int i = 0; i < 4; ++i) {
        EXPECT_EQ(read(net(numbers())), (std::vector<float>{-1, 1, 6}));
        EXPECT_EQ(read(region(numbers())), (std::vector<float>{-1, 1, 6}));
    }
}

TEST(ConstantsOfOnnx, may_be_what_a_model_gives) {
    Written model;
    model.add_constant("value_float", "y", 2.5f);
    EXPECT_EQ(read(model.read()(numbers())), std::vector<float>{2.5f});
}

TEST(ConstantsOfOnnx, that_cannot_be_made_are_errors_of_the_call) {
    Written model;
    model.add_constant("value_of_no_kind", "c", 1);
    model.add("Add", {"x", "c"}, "y");
    const onnx::Model net = model.read();
    EXPECT_THROW(net(numbers()), onnx::UnsupportedError);
}

TEST(ConstantsOfOnnx, are_not_names_of_weights_that_learn) {
    Written model;
    model.add_weight("w", 2);
    model.add("Identity", {"w"}, "v");
    model.add("Mul", {"x", "v"}, "y");
    EXPECT_EQ(read(model.read()(numbers())), (std::vector<float>{-6, 2, 18}));
    onnx::Model learns = model.read({.trainable = true});
    const Variable loss = sum(learns(numbers()));
    learns.cleargrads();
    loss.backward();
    ASSERT_EQ(learns.initializers().size(), 1u);
    EXPECT_EQ(read(learns.initializers()[0].second.grad()), std::vector<float>{7});
    learns.initializers()[0].second.set_array(Array::full({Dtype::float32, Shape{1}}, 3));
    EXPECT_EQ(read(learns(numbers())), (std::vector<float>{-9, 3, 27}));
}

}  // namespace
}  // namespace catena::testing
