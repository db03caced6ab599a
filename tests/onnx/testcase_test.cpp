// export_testcase, and converters of users.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "frontend/catena.h"
#include "frontend/onnx/import.h"
#include "frontend/onnx/testcase.h"
#include "runtime/ops/onnx/onnx.h"
#include "tests/onnx/exported.h"
#include "tests/onnx/python.h"
#include "tests/support/command.h"

namespace catena::testing {
namespace {

struct Net : Chain {
    Linear l1{3, 4}, unused{2, 2};
    Net() { add_children({{"l1", l1}, {"unused", unused}}); }
    Variable operator()(const Variable& x) { return relu(l1(x)); }
};

const Variable x(Array::from(std::vector<float>{1, -2, 3, 4, 5, -6}, {2, 3}), false);

TEST(Testcase, has_the_model_its_inputs_outputs_and_gradients) {
    const std::string folder = fresh_folder("testcase"), data = folder + "/test_data_set_0/";
    Net net;
    onnx::export_testcase(net, {x}, folder,
                          {.model = {.input_names = {"image"}}, .output_grad = true});
    expect_equal(onnx::load_tensor(data + "input_0.pb"), x.array(), 0, "the input");
    const Array y = onnx::load_tensor(data + "output_0.pb");
    expect_equal(y, net(x).array(), 0, "the output");
    expect_equal(onnx::import_model(folder + "/model.onnx")(x).array(), y, 1e-6, "the model");
    // Where relu is active, the gradient of the bias is the number of rows that are.
    std::vector<double> active(4, 0);
    const std::vector<double> elements = y.to_vector<double>();
    for (size_t i = 0; i < 8; ++i) active[i % 4] += elements[i] > 0;
    EXPECT_EQ(onnx::load_tensor(data + "gradient_1.pb").to_vector<double>(), active);
    EXPECT_FALSE(std::filesystem::exists(data + "gradient_2.pb"))
        << "nothing reads the other layer";
}

TEST(Testcase, without_gradients_there_are_none) {
    const std::string folder = fresh_folder("testcase_plain");
    onnx::export_testcase([](const Variable& v) { return exp(v); }, {x}, folder);
    EXPECT_TRUE(std::filesystem::exists(folder + "/test_data_set_0/output_0.pb"));
    EXPECT_FALSE(std::filesystem::exists(folder + "/test_data_set_0/gradient_0.pb"));
}

TEST(Converters, replace_the_form_of_an_op) {
    const std::string path = fresh_folder("converters") + "/model.onnx";
    const auto model = [](const Variable& v) { return relu(v) + softmax(v); };
    onnx::export_model(model, {x}, path, {.converters = {{"relu", "Max(a, 0)"}}});
    expect_equal(onnx::import_model(path)(x).array(), model(x).array(), 1e-6, "by an expression");
    const OnnxMapping twice = [](OnnxCall& c) { return c.node("Identity", {c.input(0)}); };
    onnx::export_model(model, {x}, path, {.converters = {{"softmax", twice}}});
    expect_equal(onnx::import_model(path)(x).array(), (relu(x) + x).array(), 1e-6, "by a function");
}

TEST(Converters, may_write_operators_of_other_domains) {
    const std::string path = fresh_folder("converters_domain") + "/model.onnx";
    const auto model = [](const Variable& v) { return gelu(v); };
    onnx::ExportOptions options{.converters = {{"gelu", "com.microsoft.Gelu"}},
                                .opset_imports = {{"com.microsoft", 1}}};
    onnx::export_model(model, {x}, path, options);
    expect_equal(onnx::import_model(path)(x).array(), model(x).array(), 1e-6, "the model");
    std::ifstream file(path, std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(file), {});
    EXPECT_NE(bytes.find("com.microsoft"), bytes.npos);
    options.opset_imports.clear();
    try {
        onnx::export_model(model, {x}, path, options);
        ADD_FAILURE() << "no version of the domain was given";
    } catch (const ValueError& error) {
        EXPECT_NE(std::string(error.what()).find("give the version of the domain 'com.microsoft'"),
                  std::string::npos)
            << error.what();
    }
}

}  // namespace
}  // namespace catena::testing
