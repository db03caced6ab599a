// Models of one or a few nodes, written here, against what their operators should give.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <numbers>

#include <onnx/onnx_pb.h>

#include "frontend/catena.h"
#include "frontend/compiler/compiler_loader.h"
#include "frontend/onnx/import.h"
#include "tests/onnx/exported.h"

namespace catena::testing {
namespace {

using Proto = ::onnx::ModelProto;
using Names = std::vector<std::string>;

::onnx::NodeProto& add_node(google::protobuf::RepeatedPtrField<::onnx::NodeProto>* nodes,
                            const std::string& type, const Names& inputs, const Names& outputs) {
    ::onnx::NodeProto& node = *nodes->Add();
    node.set_op_type(type);
    for (const std::string& name : inputs) node.add_input(name);
    for (const std::string& name : outputs) node.add_output(name);
    return node;
}

::onnx::AttributeProto& add_number(::onnx::NodeProto& node, const std::string& name, double value) {
    ::onnx::AttributeProto& attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(::onnx::AttributeProto::FLOAT);
    attribute.set_f(float(value));
    return attribute;
}

/// A model of opset 18 whose ports have no sizes.
Proto model_of(const Names& inputs, const std::vector<::onnx::TensorProto::DataType>& types,
               const Names& outputs) {
    Proto model;
    model.set_ir_version(8);
    model.add_opset_import()->set_version(18);
    for (size_t i = 0; i < inputs.size(); ++i) {
        auto* port = model.mutable_graph()->add_input();
        port->set_name(inputs[i]);
        port->mutable_type()->mutable_tensor_type()->set_elem_type(types[i]);
    }
    for (const std::string& name : outputs) model.mutable_graph()->add_output()->set_name(name);
    return model;
}

constexpr auto number = ::onnx::TensorProto::FLOAT, integer = ::onnx::TensorProto::INT64;

class Operators : public ::testing::Test {
protected:
    onnx::Model import(const Proto& model) {
        std::ofstream(path_, std::ios::binary) << model.SerializeAsString();
        return onnx::import_model(path_);
    }
    std::string message_of(const Proto& model) {
        try {
            import(model);
        } catch (const Error& error) {
            return error.what();
        }
        return "no error";
    }
    Proto of_one(const std::string& type, const Names& inputs,
                 const std::vector<::onnx::TensorProto::DataType>& types) {
        Proto model = model_of(inputs, types, {"y"});
        add_node(model.mutable_graph()->mutable_node(), type, inputs, {"y"});
        return model;
    }

    std::string path_ =
        fresh_folder(std::string("operator_") +
                     ::testing::UnitTest::GetInstance()->current_test_info()->name()) +
        "/model.onnx";
};

Variable row(const std::vector<float>& values) {
    return Variable(Array::from(values, Shape{int64_t(values.size())}), false);
}

TEST_F(Operators, inverse_circular_functions_are_exact_in_float32) {
    std::vector<float> wide, narrow;
    for (int i = -200; i <= 200; ++i) {
        wide.push_back(std::sinh(float(i) / 20));
        narrow.push_back(float(i) / 200);
    }
    const struct {
        const char* name;
        const std::vector<float>& x;
        double (*truth)(double);
    } rows[] = {
        {"Atan", wide, std::atan}, {"Asin", narrow, std::asin}, {"Acos", narrow, std::acos}};
    for (const auto& [name, x, truth] : rows) {
        const std::vector<float> y =
            import(of_one(name, {"x"}, {number}))(row(x)).array().to_vector<float>();
        for (size_t i = 0; i < x.size(); ++i)
            EXPECT_NEAR(y[i], truth(double(x[i])), 4e-7 * (0.1 + std::abs(truth(double(x[i])))))
                << name << " of " << x[i];
    }
}

TEST_F(Operators, inverse_circular_functions_at_their_ends) {
    const float infinity = INFINITY;
    const auto value = [&](const char* name, float x) {
        return import(of_one(name, {"x"}, {number}))(row({x})).array().item<float>();
    };
    EXPECT_FLOAT_EQ(value("Atan", infinity), float(std::numbers::pi / 2));
    EXPECT_FLOAT_EQ(value("Atan", -infinity), float(-std::numbers::pi / 2));
    EXPECT_FLOAT_EQ(value("Asin", 1), float(std::numbers::pi / 2));
    EXPECT_FLOAT_EQ(value("Acos", -1), float(std::numbers::pi));
    EXPECT_EQ(value("Atan", 0), 0);
    EXPECT_TRUE(std::isnan(value("Asin", 2)));
}

/// y = exp(-|x|) - |x|, the first node last, and a branch that reads what stands behind it.
TEST_F(Operators, nodes_in_any_order_are_sorted) {
    Proto model = model_of({"x"}, {number}, {"y", "z"});
    auto* nodes = model.mutable_graph()->mutable_node();
    add_node(nodes, "Sub", {"e", "a"}, {"y"});
    ::onnx::NodeProto& choice = add_node(nodes, "If", {"always"}, {"z"});
    for (const char* name : {"then_branch", "else_branch"}) {
        auto& branch = *choice.add_attribute();
        branch.set_name(name);
        branch.set_type(::onnx::AttributeProto::GRAPH);
        add_node(branch.mutable_g()->mutable_node(), "Neg", {"e"}, {"negated"});
        branch.mutable_g()->add_output()->set_name("negated");
    }
    auto& constant = add_node(nodes, "Constant", {}, {"always"});
    auto& value = *constant.add_attribute();
    value.set_name("value");
    value.set_type(::onnx::AttributeProto::TENSOR);
    value.mutable_t()->set_data_type(::onnx::TensorProto::BOOL);
    value.mutable_t()->add_int32_data(1);
    add_node(nodes, "Exp", {"n"}, {"e"});
    add_node(nodes, "Neg", {"a"}, {"n"});
    add_node(nodes, "Abs", {"x"}, {"a"});
    const Variables ys = import(model).run(std::vector<Variable>{row({-2, 0, 0.5f})});
    const std::vector<float> y = ys[0].array().to_vector<float>(),
                             z = ys[1].array().to_vector<float>();
    const float x[] = {2, 0, 0.5f};
    for (size_t i = 0; i < 3; ++i) {
        EXPECT_FLOAT_EQ(y[i], std::exp(-x[i]) - x[i]);
        EXPECT_FLOAT_EQ(z[i], -std::exp(-x[i]));
    }
}

/// Rows 2 and 0 of x are replaced.
TEST_F(Operators, a_scatter_is_compiled_and_differentiated) {
    const onnx::Model model =
        import(of_one("ScatterND", {"x", "at", "u"}, {number, integer, number}));
    const Variable at(Array::from(std::vector<int64_t>{2, 0}, Shape{2, 1}), false);
    const Variable x(Array::zeros({Dtype::float32, {3, 2}})),
        u(Array::full({Dtype::float32, {2, 2}}, 5));
    auto region = static_graph([&](const std::vector<Variable>& v) { return model(v)[0]; });
    const std::vector<Variable> inputs{x, at, u};
    for (int i = 0; i < 4; ++i)
        EXPECT_EQ(region(inputs).array().to_vector<float>(),
                  (std::vector<float>{5, 5, 0, 0, 5, 5}));
    if (compiler_available()) {
        EXPECT_GT(region.statistics().compiled_calls, 0) << region.explain();
    }
    sum(model(inputs)[0]).backward();
    EXPECT_EQ(x.grad().to_vector<float>(), (std::vector<float>{0, 0, 1, 1, 0, 0}));
    EXPECT_EQ(u.grad().to_vector<float>(), (std::vector<float>{1, 1, 1, 1}));
}

/// The indices of a scatter, as an input of the model or as numbers of the model itself.
Proto scatter_of(Proto model, const Array& indices, bool is_known) {
    if (!is_known) return model;
    auto* graph = model.mutable_graph();
    graph->mutable_input()->DeleteSubrange(1, 1);
    auto& tensor = *graph->add_initializer();
    tensor.set_name("at");
    tensor.set_data_type(integer);
    for (int64_t size : indices.shape()) tensor.add_dims(size);
    for (int64_t index : indices.to_vector<int64_t>()) tensor.add_int64_data(index);
    return model;
}

TEST_F(Operators, the_last_update_of_a_row_stays) {
    const Array at = Array::from(std::vector<int64_t>{2, 0, -1, 2}, Shape{4, 1});
    const Variable x(Array::full({Dtype::float32, {3, 2}}, 9)),
        u(Array::from(std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8}, Shape{4, 2}));
    for (bool is_known : {false, true}) {
        const onnx::Model model = import(scatter_of(
            of_one("ScatterND", {"x", "at", "u"}, {number, integer, number}), at, is_known));
        std::vector<Variable> inputs{x, u};
        if (!is_known) inputs.insert(inputs.begin() + 1, Variable(at, false));
        auto region =
            static_graph([&](const std::vector<Variable>& v) { return model(v)[0] * 1.0; });
        for (int i = 0; i < 4; ++i) {
            const Variable y = region(inputs);
            EXPECT_EQ(y.array().to_vector<float>(), (std::vector<float>{3, 4, 9, 9, 7, 8}))
                << is_known;
            const Variables g = grad({sum(y * y)}, {x, u});
            EXPECT_EQ(g[0].array().to_vector<float>(), (std::vector<float>{0, 0, 18, 18, 0, 0}));
            EXPECT_EQ(g[1].array().to_vector<float>(),
                      (std::vector<float>{0, 0, 6, 8, 0, 0, 14, 16}));
        }
        if (compiler_available()) {
            EXPECT_GT(region.statistics().compiled_calls, 0) << region.explain();
        }
        EXPECT_EQ(model(inputs)[0].array().to_vector<float>(),
                  (std::vector<float>{3, 4, 9, 9, 7, 8}));
    }
}

/// What PyTorch's multi-hot vectors of labels are.
TEST_F(Operators, the_last_update_of_an_element_stays) {
    const Array at = Array::from(std::vector<int64_t>{1, 1, -2, 0, 2, 0}, Shape{2, 3});
    const Variable x(Array::zeros({Dtype::float32, {2, 4}}), false),
        u(Array::from(std::vector<float>{1, 2, 3, 4, 5, 6}, Shape{2, 3}), false);
    for (const char* name : {"Scatter", "ScatterElements"})
        for (bool is_known : {false, true}) {
            Proto proto =
                scatter_of(of_one(name, {"x", "at", "u"}, {number, integer, number}), at, is_known);
            auto& axis = *proto.mutable_graph()->mutable_node(0)->add_attribute();
            axis.set_name("axis");
            axis.set_type(::onnx::AttributeProto::INT);
            axis.set_i(1);
            std::vector<Variable> inputs{x, u};
            if (!is_known) inputs.insert(inputs.begin() + 1, Variable(at, false));
            const Array y = import(proto)(inputs)[0].array();
            EXPECT_EQ(y.to_vector<float>(), (std::vector<float>{0, 2, 3, 0, 6, 0, 5, 0}))
                << name << is_known;
        }
}

TEST_F(Operators, the_last_update_of_a_bool_stays_and_no_update_is_none) {
    constexpr auto truth = ::onnx::TensorProto::BOOL;
    const onnx::Model model =
        import(of_one("ScatterND", {"x", "at", "u"}, {truth, integer, truth}));
    const Variable x(Array::from<bool>({true, false, true}), false);
    const std::vector<Variable> both{
        x, Variable(Array::from(std::vector<int64_t>{1, 0, 1, 0}, Shape{4, 1}), false),
        Variable(Array::from<bool>({true, true, true, false}), false)};
    EXPECT_EQ(model(both)[0].array().to_vector<int64_t>(), (std::vector<int64_t>{0, 1, 1}));
    const std::vector<Variable> none{x, Variable(Array::zeros({Dtype::int64, {0, 1}}), false),
                                     Variable(Array::zeros({Dtype::bool_, {0}}), false)};
    EXPECT_EQ(model(none)[0].array().to_vector<int64_t>(), (std::vector<int64_t>{1, 0, 1}));
}

TEST_F(Operators, coins_fall_as_often_as_they_should) {
    const onnx::Model model = import(of_one("Bernoulli", {"x"}, {number}));
    const Variable p(Array::full({Dtype::float32, {10000}}, 0.3), false);
    const std::vector<float> y = model(p).array().to_vector<float>();
    double heads = 0;
    for (float v : y) {
        EXPECT_TRUE(v == 0 || v == 1) << v;
        heads += double(v);
    }
    EXPECT_NEAR(heads / 10000, 0.3, 5 * std::sqrt(0.3 * 0.7 / 10000));
}

TEST_F(Operators, classes_are_drawn_by_their_probabilities) {
    Proto proto = of_one("Multinomial", {"x"}, {number});
    auto* size = proto.mutable_graph()->mutable_node(0)->add_attribute();
    size->set_name("sample_size");
    size->set_type(::onnx::AttributeProto::INT);
    size->set_i(10000);
    const Variable x = reshape(log(row({0.2f, 0.5f, 0.3f})), {1, 3});
    const Variable y = import(proto)(x);
    EXPECT_EQ(to_string(y.array().type()), "int32[1,10000]");
    std::vector<int> counts(3);
    for (int k : y.array().to_vector<int>()) ++counts.at(size_t(k));
    EXPECT_NEAR(counts[0], 2000, 5 * 40);
    EXPECT_NEAR(counts[1], 5000, 5 * 50);
}

TEST_F(Operators, dropout_in_training_keeps_the_mean) {
    Proto proto = model_of({"x"}, {number}, {"y", "kept"});
    for (const char* name : {"ratio", "training"}) {
        auto* tensor = proto.mutable_graph()->add_initializer();
        tensor->set_name(name);
        if (name[0] == 'r') {
            tensor->set_data_type(::onnx::TensorProto::FLOAT);
            tensor->add_float_data(0.25f);
        } else {
            tensor->set_data_type(::onnx::TensorProto::BOOL);
            tensor->add_int32_data(1);
        }
    }
    add_node(proto.mutable_graph()->mutable_node(), "Dropout", {"x", "ratio", "training"},
             {"y", "kept"});
    const std::vector<Variable> ys =
        import(proto)(std::vector{Variable(Array::full({Dtype::float32, {10000}}, 3), false)});
    const std::vector<float> y = ys[0].array().to_vector<float>();
    const std::vector<int> kept = ys[1].array().to_vector<int>();
    for (size_t i = 0; i < y.size(); ++i) EXPECT_EQ(y[i], kept[i] ? 4.0f : 0.0f);
    EXPECT_NEAR(mean(ys[0]).array().item<float>(), 3, 5 * 4 * std::sqrt(0.25 * 0.75 / 10000));
}

/// y = Elu(x, alpha=slope) + x, with 0.5 as the slope's default where the schema has defaults.
void add_function(Proto& model) {
    model.add_opset_import()->set_domain("own");
    model.mutable_opset_import(1)->set_version(1);
    ::onnx::FunctionProto& f = *model.add_functions();
    f.set_name("elu_and_self");
    f.set_domain("own");
    f.add_opset_import()->set_version(18);
    f.add_input("a");
    f.add_output("b");
    f.add_attribute("slope");
    ::onnx::NodeProto& elu = add_node(f.mutable_node(), "Elu", {"a"}, {"h"});
    ::onnx::AttributeProto& alpha = add_number(elu, "alpha", 0);
    alpha.clear_f();
    alpha.set_ref_attr_name("slope");
    add_node(f.mutable_node(), "Add", {"h", "a"}, {"b"});
}

TEST_F(Operators, functions_of_the_model_are_inlined) {
    Proto model = model_of({"x"}, {number}, {"y"});
    add_function(model);
    auto* nodes = model.mutable_graph()->mutable_node();
    ::onnx::NodeProto& first = add_node(nodes, "elu_and_self", {"x"}, {"t"});
    first.set_domain("own");
    add_number(first, "slope", 2);
    add_node(nodes, "elu_and_self", {"t"}, {"y"}).set_domain("own");
    const double x = -1, t = 2 * std::expm1(x) + x, y = std::expm1(t) + t;
    EXPECT_NEAR(import(model)(row({-1})).array().item<float>(), y, 1e-6);
}

TEST_F(Operators, a_function_that_calls_itself_is_refused) {
    Proto model = model_of({"x"}, {number}, {"y"});
    add_function(model);
    model.mutable_functions(0)->mutable_node(0)->set_op_type("elu_and_self");
    model.mutable_functions(0)->mutable_node(0)->set_domain("own");
    add_node(model.mutable_graph()->mutable_node(), "elu_and_self", {"x"}, {"y"}).set_domain("own");
    EXPECT_NE(message_of(model).find("nested deeper than"), std::string::npos) << message_of(model);
}

/// Each of 40 functions calls the next one twice: 2^40 nodes.
TEST_F(Operators, functions_that_multiply_are_refused) {
    Proto model = model_of({"x"}, {number}, {"y"});
    add_function(model);
    for (int i = 0; i < 40; ++i) {
        ::onnx::FunctionProto& f = *model.add_functions();
        f.set_name("f" + std::to_string(i));
        f.set_domain("own");
        f.add_input("a");
        f.add_output("b");
        const std::string next = i == 39 ? "elu_and_self" : "f" + std::to_string(i + 1);
        add_node(f.mutable_node(), next, {"a"}, {"h"}).set_domain("own");
        add_node(f.mutable_node(), next, {"h"}, {"b"}).set_domain("own");
    }
    add_node(model.mutable_graph()->mutable_node(), "f0", {"x"}, {"y"}).set_domain("own");
    EXPECT_NE(message_of(model).find("expand to more than"), std::string::npos)
        << message_of(model);
}

/// Of y = TYPE(x) with axis 1, [2,2,2] to [2,2,2].
std::vector<float> along_one(const std::function<onnx::Model(const Proto&)>& import, Proto model,
                             int opset) {
    model.mutable_opset_import(0)->set_version(opset);
    auto& attribute = *model.mutable_graph()->mutable_node(0)->add_attribute();
    attribute.set_name("axis");
    attribute.set_type(::onnx::AttributeProto::INT);
    attribute.set_i(1);
    const Variable x(Array::from<float>({1, 5, 3, 2, 8, 7, 6, 9}, {2, 2, 2}), false);
    const Variable y = import(model)(x);
    EXPECT_EQ(y.shape(), x.shape());
    return y.array().to_vector<float>();
}

TEST_F(Operators, hardmax_before_opset_13_takes_all_axes_from_its_own_on_for_one) {
    const auto importing = [&](const Proto& model) { return import(model); };
    const Proto model = of_one("Hardmax", {"x"}, {number});
    EXPECT_EQ(along_one(importing, model, 12), (std::vector<float>{0, 1, 0, 0, 0, 0, 0, 1}));
    EXPECT_EQ(along_one(importing, model, 13), (std::vector<float>{0, 1, 1, 0, 1, 0, 0, 1}));
}

TEST_F(Operators, a_slice_backwards_begins_at_an_element) {
    const auto sliced = [&](int64_t start, int64_t end, int64_t step, const std::vector<float>& x) {
        const auto list = [](int64_t value) {
            return Variable(Array::from<int64_t>({value}), false);
        };
        const Proto model = of_one("Slice", {"x", "starts", "ends", "axes", "steps"},
                                   {number, integer, integer, integer, integer});
        return import(model)({row(x), list(start), list(end), list(0), list(step)})[0]
            .array()
            .to_vector<float>();
    };
    const std::vector<float> x = {0, 1, 2, 3};
    EXPECT_EQ(sliced(-9, -10, -1, x), (std::vector<float>{0}));
    EXPECT_EQ(sliced(9, -10, -1, x), (std::vector<float>{3, 2, 1, 0}));
    EXPECT_EQ(sliced(9, INT64_MIN, -2, x), (std::vector<float>{3, 1}));
    EXPECT_EQ(sliced(3, 0, -2, x), (std::vector<float>{3, 1}));
    EXPECT_EQ(sliced(0, INT64_MAX, INT64_MAX, x), (std::vector<float>{0}));
    EXPECT_EQ(sliced(3, -9, INT64_MIN, x), (std::vector<float>{3}));
    EXPECT_EQ(sliced(-9, -10, -1, {}), (std::vector<float>{}));
}

}  // namespace
}  // namespace catena::testing
