// ONNX's recurrent layers as one operation, against the same layers step by step: what is given
// lengths is computed so.
#include <cmath>
#include <fstream>

#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include "frontend/catena.h"
#include "frontend/onnx/import.h"
#include "frontend/onnx/tensor.h"
#include "tests/onnx/exported.h"

namespace catena::testing {
namespace {

constexpr int64_t steps = 5, batch = 2, features = 3, units = 4;

struct Layer {
    const char *type, *direction;
    int64_t gates;
    bool is_reset_last = false;  ///< GRU's linear_before_reset.
};

Array numbers(const Shape& shape, int64_t seed) {
    std::vector<float> values(size_t(element_count(shape)));
    for (size_t i = 0; i < values.size(); ++i)
        values[i] = float((int64_t(i) * 29 + seed * 7) % 19) / 16 - 0.5f;
    return Array::from(values, shape);
}

::onnx::AttributeProto& attribute(::onnx::NodeProto& node, const std::string& name,
                                  ::onnx::AttributeProto::AttributeType type) {
    auto& added = *node.add_attribute();
    added.set_name(name);
    added.set_type(type);
    return added;
}

::onnx::ModelProto model_of(const Layer& layer, bool has_lengths) {
    ::onnx::ModelProto model;
    model.set_ir_version(8);
    model.add_opset_import()->set_version(14);
    ::onnx::GraphProto& graph = *model.mutable_graph();
    auto& x = *graph.add_input();
    x.set_name("x");
    x.mutable_type()->mutable_tensor_type()->set_elem_type(::onnx::TensorProto::FLOAT);
    const int64_t directions = std::string(layer.direction) == "bidirectional" ? 2 : 1,
                  rows = layer.gates * units;
    const auto constant = [&](const std::string& name, const Array& array) {
        onnx::write_tensor(array, name, *graph.add_initializer());
    };
    constant("W", numbers({directions, rows, features}, 1));
    constant("R", numbers({directions, rows, units}, 2));
    constant("B", numbers({directions, 2 * rows}, 3));
    constant("lengths", Array::from(std::vector<int32_t>(size_t(batch), int32_t(steps)), {batch}));
    constant("h", numbers({directions, batch, units}, 4));
    constant("c", numbers({directions, batch, units}, 5));
    ::onnx::NodeProto& node = *graph.add_node();
    node.set_op_type(layer.type);
    const bool is_lstm = layer.gates == 4;
    for (const char* name : {"x", "W", "R", "B", has_lengths ? "lengths" : "", "h"})
        node.add_input(name);
    if (is_lstm) node.add_input("c");
    for (const char* name : {"y", "last_h", "last_c"}) {
        if (!is_lstm && std::string(name) == "last_c") break;
        node.add_output(name);
        graph.add_output()->set_name(name);
    }
    attribute(node, "hidden_size", ::onnx::AttributeProto::INT).set_i(units);
    attribute(node, "direction", ::onnx::AttributeProto::STRING).set_s(layer.direction);
    if (layer.is_reset_last)
        attribute(node, "linear_before_reset", ::onnx::AttributeProto::INT).set_i(1);
    return model;
}

class RecurrentModels : public ::testing::Test {
protected:
    onnx::Model loaded(const Layer& layer, bool has_lengths) const {
        const std::string path = folder_ + "/model.onnx";
        std::ofstream(path, std::ios::binary) << model_of(layer, has_lengths).SerializeAsString();
        return onnx::import_model(path);
    }
    std::string folder_ = fresh_folder("recurrent_models");
    Variable x_ = Variable(numbers({steps, batch, features}, 6), false);
};

TEST_F(RecurrentModels, as_one_operation_give_what_their_steps_give) {
    for (const char* direction : {"forward", "reverse", "bidirectional"})
        for (const Layer& layer : {Layer{"LSTM", direction, 4}, Layer{"GRU", direction, 3, true},
                                   Layer{"GRU", direction, 3, false}, Layer{"RNN", direction, 1}}) {
            const Variables whole = loaded(layer, false).run(std::span(&x_, 1)),
                            stepped = loaded(layer, true).run(std::span(&x_, 1));
            ASSERT_EQ(whole.size(), stepped.size());
            for (size_t i = 0; i < whole.size(); ++i) {
                ASSERT_EQ(to_string(whole[i].shape()), to_string(stepped[i].shape()));
                const auto a = whole[i].array().to_vector<float>(),
                           e = stepped[i].array().to_vector<float>();
                for (size_t j = 0; j < e.size(); ++j)
                    ASSERT_NEAR(a[j], e[j], 2e-6)
                        << layer.type << " " << direction << ", output " << i << "[" << j << "]";
            }
        }
}

}  // namespace
}  // namespace catena::testing
