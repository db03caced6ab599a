// Gradients through imported operators that once were computed on the host, or had none at zero.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include <onnx/onnx_pb.h>

#include "frontend/catena.h"
#include "frontend/compiler/compiler_loader.h"
#include "frontend/onnx/export.h"
#include "frontend/onnx/import.h"
#include "tests/onnx/exported.h"
#include "tests/onnx/model_text.h"

namespace catena::testing {
namespace {

using Numbers = std::vector<float>;

onnx::Model model_of(const std::string& text) {
    const std::string path = fresh_folder("gradients") + "/model.onnx";
    std::ofstream(path, std::ios::binary) << model_from_text(text).SerializeAsString();
    return onnx::import_model(path);
}

Variable floats(const Numbers& values, const Shape& shape) {
    return Variable(Array::from(values, shape));
}

/// The gradients of a sum of y times 1, 2, 3, ..., eagerly and, if it does the same, in a region.
std::vector<Numbers> gradients_of(const onnx::Model& model, const std::vector<Variable>& inputs) {
    const auto loss = [&](const std::vector<Variable>& xs) {
        const Variable y = model.run(xs)[0];
        const Array factors = arange(1, Scalar(y.size() + 1), 1, Dtype::float32);
        return sum(y * reshape(factors, y.shape()));
    };
    const auto read = [&] {
        std::vector<Numbers> all;
        for (const Variable& x : inputs) {
            all.push_back(is_float(x.dtype()) ? x.grad().to_vector<float>() : Numbers());
            x.cleargrad();
        }
        return all;
    };
    loss(inputs).backward();
    const std::vector<Numbers> eager = read();
    auto region = static_graph(loss);
    for (int i = 0; i < 3; ++i) {
        region(inputs).backward();
        EXPECT_EQ(read(), eager) << "compiled";
    }
    return eager;
}

TEST(OnnxGradients, pass_through_scatters_with_reductions) {
    const Variable x = floats({1, 5, 2, 2}, {4}), u = floats({3, 4, 2}, {3});
    const std::string scatter = "x:f[4] i=i[3]{0,1,3} u:f[3] ; ScatterElements(x,i,u)";
    EXPECT_EQ(gradients_of(model_of(scatter + "{reduction='max'}->y"), {x, u}),
              (std::vector<Numbers>{{0, 2, 3, 2}, {1, 0, 2}}));
    EXPECT_EQ(gradients_of(model_of(scatter + "{reduction='min'}->y"), {x, u}),
              (std::vector<Numbers>{{1, 0, 3, 2}, {0, 2, 2}}));
    EXPECT_EQ(gradients_of(model_of(scatter + "{reduction='mul'}->y"), {x, u}),
              (std::vector<Numbers>{{3, 8, 3, 8}, {1, 10, 8}}));
    const std::string rows = "x:f[4] i=i[3,1]{0,1,3} u:f[3] ; ScatterND(x,i,u)";
    EXPECT_EQ(gradients_of(model_of(rows + "{reduction='max'}->y"), {x, u}),
              (std::vector<Numbers>{{0, 2, 3, 2}, {1, 0, 2}}));
}

TEST(OnnxGradients, pass_through_an_unpooling) {
    const std::string values = "x:f[1,1,2,2] i=i[1,1,2,2]{5,7,13,15} ";
    const Variable x = floats({1, 2, 3, 4}, {1, 1, 2, 2});
    EXPECT_EQ(gradients_of(
                  model_of(values + "; MaxUnpool(x,i){kernel_shape=[2,2],strides=[2,2]}->y"), {x}),
              (std::vector<Numbers>{{6, 8, 14, 16}}));
    EXPECT_EQ(
        gradients_of(model_of(values + "o=i[4]{1,1,5,5} ; "
                                       "MaxUnpool(x,i,o){kernel_shape=[2,2],strides=[2,2]}->y"),
                     {x}),
        (std::vector<Numbers>{{7, 9, 17, 19}}));
}

TEST(OnnxGradients, are_zeros_where_a_norm_is_zero) {
    for (const char* text :
         {"x:f[2,2] ; LpNormalization(x){axis=1,p=2}->y", "x:f[2,2] a=i[1]{1} ; ReduceL2(x,a)->y",
          "x:f[2,2] ; Unsqueeze(x,a)->z ; GlobalLpPool(z){p=2}->y",
          "x:f[2,2] ; Unsqueeze(x,a)->z ; GlobalLpPool(z){p=3}->y"}) {
        std::string whole = text;
        if (whole.find("Unsqueeze") != whole.npos) whole.insert(whole.find(';'), "a=i[1]{0} ");
        const Variable x = floats({0, 0, 4, 3}, {2, 2});
        const Numbers gx = gradients_of(model_of(whole), {x})[0];
        EXPECT_EQ(gx[0], 0) << whole;
        EXPECT_EQ(gx[1], 0) << whole;
        EXPECT_TRUE(std::isfinite(gx[2]) && std::isfinite(gx[3])) << whole;
        EXPECT_NE(gx[3], 0) << whole;
    }
}

TEST(OnnxGradients, of_models_with_scatters_can_be_saved_again) {
    const onnx::Model model =
        model_of("x:f[4] i=i[3]{0,1,3} u:f[3] ; ScatterElements(x,i,u){reduction='max'}->y");
    const std::string path = fresh_folder("gradients_again") + "/model.onnx";
    const Variable x = floats({1, 5, 2, 2}, {4}), u = floats({3, 4, 2}, {3});
    onnx::export_model(
        [&](const Variable& a, const Variable& b) { return model.run(std::vector{a, b})[0]; },
        {x, u}, path);
    EXPECT_EQ(onnx::import_model(path).run(std::vector{x, u})[0].array().to_vector<float>(),
              (Numbers{3, 5, 2, 2}));
}

/// The sum that defines it.
std::pair<double, double> frequency(const Numbers& real, size_t k) {
    double re = 0, im = 0;
    for (size_t j = 0; j < real.size(); ++j) {
        const double angle = -2 * M_PI * double(j * k) / double(real.size());
        re += real[j] * std::cos(angle);
        im += real[j] * std::sin(angle);
    }
    return {re, im};
}

TEST(OnnxTransforms, of_many_elements_take_little_memory) {
    constexpr int64_t count = 20'000;  // Waves for it would be 3 GB.
    const onnx::Model model = model_of("@17 x:f[1,20000,1] ; DFT(x){axis=1,onesided=1}->y");
    Numbers x(count);
    for (size_t i = 0; i < x.size(); ++i) x[i] = float(int64_t(i * 7919 % 1000) - 500) / 1000;
    const Numbers y = model(floats(x, {1, count, 1})).array().to_vector<float>();
    ASSERT_EQ(int64_t(y.size()), (count / 2 + 1) * 2);
    for (const size_t k : {size_t(0), size_t(1), size_t(777), size_t(10'000)}) {
        const auto [re, im] = frequency(x, k);
        EXPECT_NEAR(y[2 * k], re, 0.05) << k;
        EXPECT_NEAR(y[2 * k + 1], im, 0.05) << k;
    }
}

TEST(OnnxTransforms, come_back_from_half_of_their_frequencies) {
    for (const int length : {6, 7}) {
        const onnx::Model
            there =
                model_of(fmt::format("@17 x:f[2,{},1] ; DFT(x){{axis=1,onesided=1}}->y", length)),
            back = model_of(fmt::format(
                "x:f[2,{},2] n=i{{{}}} a=i{{1}} ; DFT(x,n,a){{inverse=1,onesided=1}}->y",
                length / 2 + 1, length));
        Numbers x(size_t(2 * length));
        for (size_t i = 0; i < x.size(); ++i) x[i] = float(i * i % 11) - 5;
        const Array y = back(there(floats(x, {2, length, 1}))).array();
        EXPECT_EQ(y.shape(), (Shape{2, length, 1}));
        const Numbers again = y.to_vector<float>();
        for (size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(again[i], x[i], 1e-5) << length;
    }
}

TEST(OnnxEdges, zeros_have_the_scale_one) {
    const onnx::Model model = model_of("x:f[3] ; DynamicQuantizeLinear(x)->y,s,z");
    const Variables ys = model.run(std::vector{floats({0, 0, 0}, {3})});
    EXPECT_EQ(ys[0].array().to_vector<int64_t>(), (std::vector<int64_t>{0, 0, 0}));
    EXPECT_EQ(ys[1].item<float>(), 1);
    EXPECT_EQ(ys[2].item<int64_t>(), 0);
}

TEST(OnnxEdges, a_loop_without_a_turn_gives_no_values_of_the_declared_type) {
    ::onnx::ModelProto proto = model_from_text(
        "n=i{0} c=b{1} x:f[2] ; Loop(n,c,x){body=<i:i c:b s:f[2] ; Identity(c)->d ; "
        "Add(s,s)->t ; Neg(s)->u => d,t,u>}->y,z");
    auto* type = proto.mutable_graph()
                     ->mutable_node(0)
                     ->mutable_attribute(0)
                     ->mutable_g()
                     ->mutable_output(2)
                     ->mutable_type()
                     ->mutable_tensor_type();
    type->set_elem_type(::onnx::TensorProto::FLOAT);
    type->mutable_shape()->add_dim()->set_dim_value(2);
    const std::string path = fresh_folder("no_turn") + "/model.onnx";
    std::ofstream(path, std::ios::binary) << proto.SerializeAsString();
    const Variables ys = onnx::import_model(path).run(std::vector{floats({1, 2}, {2})});
    EXPECT_EQ(ys[0].array().to_vector<float>(), (Numbers{1, 2}));
    EXPECT_EQ(ys[1].array().type(), (Type{Dtype::float32, {0, 2}}));
}

TEST(OnnxEdges, an_error_inside_of_a_node_names_it_and_its_file) {
    const onnx::Model model = model_of("x:f[2,3] w=f[4,5] ; MatMul(x,w)->y");
    try {
        model(floats({1, 2, 3, 4, 5, 6}, {2, 3}));
        FAIL() << "it was computed";
    } catch (const ShapeError& error) {
        EXPECT_STREQ(error.what(),
                     "matmul: a has 3 columns, b has 4 rows (a [2,3], b [4,5]) "
                     "(at model.onnx, MatMul node 'y')");
    }
}

TEST(OnnxEdges, a_read_on_the_host_is_named_with_its_node) {
    if (!compiler_available()) GTEST_SKIP() << "nothing is saved without a compiler";
    const onnx::Model model = model_of(
        "x:f[2] ; ReduceSum(x){keepdims=0}->s ; Cast(s){to=9}->c ; "
        "If(c){then_branch=< ; Neg(x)->a>,else_branch=< ; Exp(x)->b>}->y");
    auto region = static_graph([&](const Variable& x) { return model(x); }, "chosen");
    const Variable x(Array::from<float>({1, 2}), false);
    for (int i = 0; i < 2; ++i) region(x);
    try {
        region.save(fresh_folder("host_read") + "/x.catena");
        FAIL() << "it was saved";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("on the host (model.onnx, If node 'y')"),
                  std::string::npos)
            << error.what();
    }
}

}  // namespace
}  // namespace catena::testing
