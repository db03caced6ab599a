#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "frontend/catena.h"
#include "frontend/onnx/export.h"
#include "frontend/onnx/import.h"
#include "tests/onnx/exported.h"

namespace catena::testing {
namespace {

struct Perceptron : Chain {
    Linear l1{6, 8}, l2{8, 3};
    Perceptron() { add_children({{"l1", l1}, {"l2", l2}}); }
    Variable operator()(const Variable& x) { return softmax(l2(relu(l1(x)))); }
};

struct LeNet : Chain {
    Convolution2D c1{1, 4, 5, {.pad = {2, 2}}}, c2{4, 8, 5};
    BatchNormalization bn{8};
    Linear l1{200, 16}, l2{16, 10};
    LeNet() { add_children({{"c1", c1}, {"c2", c2}, {"bn", bn}, {"l1", l1}, {"l2", l2}}); }
    Variable operator()(const Variable& x) {
        Variable h = max_pooling_2d(relu(c1(x)), {2});
        h = average_pooling_2d(relu(bn(c2(h))), {2});
        return l2(gelu(l1(h)));
    }
};

struct Cell : Chain {
    Linear upward{5, 16}, lateral{4, 16};
    LayerNormalization norm{4};
    Cell() { add_children({{"upward", upward}, {"lateral", lateral}, {"norm", norm}}); }
    std::vector<Variable> operator()(const Variable& x, const Variable& c, const Variable& h) {
        LstmResult next = lstm(c, upward(x) + lateral(h));
        return {next.c, norm(next.h)};
    }
};

Variable numbers(const Shape& shape) {
    std::vector<float> values;
    for (int64_t i = 0; i < element_count(shape); ++i)
        values.push_back(float(std::sin(0.7 * double(i) + 0.3)));
    return Variable(Array::from(values, shape), false);
}

class Models : public ::testing::Test {
protected:
    std::string path(const std::string& name) { return folder_ + "/" + name + ".onnx"; }
    std::string folder_ =
        fresh_folder(::testing::UnitTest::GetInstance()->current_test_info()->name());
    ConfigScope<bool> test_mode_ = using_config(&Config::train, false);
};

TEST_F(Models, networks_agree_with_the_importer_and_onnx_runtime) {
    Perceptron perceptron;
    LeNet lenet;
    Cell cell;
    const Variable x = numbers({4, 6}), images = numbers({2, 1, 28, 28});
    const std::vector<Variable> step{numbers({3, 5}), numbers({3, 4}), numbers({3, 4})};
    onnx::export_model(perceptron, {x}, path("perceptron"));
    onnx::export_model(lenet, {images}, path("lenet"), {.opset = onnx::newest_opset});
    onnx::export_model(cell, step, path("cell"), {.opset = 13});
    const Variables ys[] = {{perceptron(x)},
                            {lenet(images)},
                            Variables(std::span<const Variable>(cell(step[0], step[1], step[2])))};
    const std::vector<Variable> inputs[] = {{x}, {images}, step};
    const char* names[] = {"perceptron", "lenet", "cell"};
    for (int i = 0; i < 3; ++i) {
        write_case(folder_, names[i], inputs[i], ys[i]);
        const Variables again = onnx::import_model(path(names[i])).run(inputs[i]);
        ASSERT_EQ(again.size(), ys[i].size());
        for (size_t k = 0; k < again.size(); ++k)
            expect_equal(again[k].array(), ys[i][k].array(), 1e-5, names[i]);
    }
    expect_agreement_in_onnx_runtime(folder_);
}

TEST_F(Models, parameters_keep_their_names_and_values) {
    Perceptron model;
    onnx::export_model(model, {numbers({4, 6})}, path("p"),
                       {.input_names = {"image"}, .output_names = {"probability"}});
    const onnx::Model again = onnx::import_model(path("p"));
    EXPECT_EQ(again.inputs()[0].name, "image");
    EXPECT_EQ(again.outputs()[0].name, "probability");
    std::map<std::string, Variable> initializers(again.initializers().begin(),
                                                 again.initializers().end());
    for (const auto& [name, parameter] : model.namedparams()) {
        ASSERT_TRUE(initializers.contains(name.substr(1))) << name;
        expect_equal(initializers[name.substr(1)].array(), parameter->array(), 0, name);
    }
}

TEST_F(Models, an_open_batch_takes_any_batch) {
    LeNet model;
    const Variable ones = numbers({1, 1, 28, 28}), five = numbers({5, 1, 28, 28});
    onnx::export_model(model, {ones}, path("open"), {.open_sizes = {{0, 0, "batch"}}});
    write_case(folder_, "open", {five}, {model(five)});
    const onnx::Model again = onnx::import_model(path("open"));
    EXPECT_EQ(again.inputs()[0].shape->at(0), "batch");
    EXPECT_EQ(again.outputs()[0].shape->at(0), "batch");
    expect_equal(again(five).array(), model(five).array(), 1e-5, "five");
    expect_agreement_in_onnx_runtime(folder_);
}

TEST_F(Models, products_of_open_sizes_are_computed) {
    const auto f = [](const Variable& x) {
        const int64_t rows = x.shape()[0] * x.shape()[1];
        return broadcast_to(sum(reshape(x, {rows, x.shape()[2]}), 0, true), {rows, x.shape()[2]});
    };
    const Variable x = numbers({4, 5, 3});
    onnx::export_model(f, {numbers({2, 3, 3})}, path("f"),
                       {.open_sizes = {{0, 0, "n"}, {0, 1, "t"}}});
    write_case(folder_, "f", {x}, {f(x)});
    expect_equal(onnx::import_model(path("f"))(x).array(), f(x).array(), 1e-6, "f");
    expect_agreement_in_onnx_runtime(folder_);
}

TEST_F(Models, a_size_that_cannot_be_computed_is_refused) {
    const auto f = [](const Variable& x) { return slice_axis(x, 0, 0, x.shape()[0] / 2); };
    EXPECT_THROW(onnx::export_model(f, {numbers({4, 3})}, path("f"), {.open_sizes = {{0, 0, "n"}}}),
                 ValueError);
}

TEST_F(Models, a_number_that_depends_on_an_open_size_is_refused) {
    const auto f = [](const Variable& x) { return mean(x, 0); };
    try {
        onnx::export_model(f, {numbers({4, 3})}, path("f"), {.open_sizes = {{0, 0, "n"}}});
        FAIL();
    } catch (const ValueError& error) {
        EXPECT_NE(std::string(error.what()).find("depends on an open size"), std::string::npos)
            << error.what();
        EXPECT_NE(std::string(error.what()).find("models_test.cpp"), std::string::npos)
            << error.what();
    }
}

TEST_F(Models, large_weights_stand_beside_the_model) {
    Perceptron model;
    Linear wide(40, 50);
    const Variable x = numbers({2, 40});
    onnx::export_model(wide, {x}, path("wide"), {.most_bytes_inside = 1000});
    EXPECT_EQ(std::filesystem::file_size(path("wide") + ".data"), 40u * 50u * 4u);
    write_case(folder_, "wide", {x}, {wide(x)});
    expect_equal(onnx::import_model(path("wide"))(x).array(), wide(x).array(), 1e-6, "wide");
    expect_agreement_in_onnx_runtime(folder_);
}

TEST_F(Models, an_imported_model_compiles_like_any_region) {
    LeNet model;
    const Variable x = numbers({3, 1, 28, 28});
    onnx::export_model(model, {x}, path("m"), {.open_sizes = {{0, 0, "batch"}}});
    const onnx::Model again = onnx::import_model(path("m"));
    auto region = static_graph([&](const Variable& v) { return again(v); });
    for (int i = 0; i < 4; ++i) expect_equal(region(x).array(), model(x).array(), 1e-5, "region");
    if (CATENA_HAS_COMPILER) {
        EXPECT_GT(region.statistics().compiled_calls, 0) << region.explain();
    }
}

TEST_F(Models, an_imported_model_can_be_trained) {
    Perceptron model;
    const Variable x = numbers({4, 6});
    onnx::export_model(model, {x}, path("m"));
    const onnx::Model again = onnx::import_model(path("m"), {.trainable = true});
    sum(square(again(x))).backward();
    sum(square(model(x))).backward();
    std::map<std::string, Variable> initializers(again.initializers().begin(),
                                                 again.initializers().end());
    expect_equal(initializers["l1/W"].grad(), model.l1.W.grad(), 1e-5, "gradient of l1/W");
}

TEST_F(Models, a_static_region_is_exported_as_what_it_wraps) {
    Perceptron model;
    const Variable x = numbers({4, 6});
    auto region = static_graph([&](const Variable& v) { return model(v); });
    onnx::export_model(region, {x}, path("m"));
    expect_equal(onnx::import_model(path("m"))(x).array(), model(x).array(), 1e-6, "region");
}

TEST_F(Models, states_that_change_become_inputs_and_outputs) {
    LSTM layer(5, 4);
    const Variable x = numbers({3, 5});
    layer(x);
    const Array c = layer.c().array(), h = layer.h().array();
    onnx::export_model(layer, {x}, path("lstm"));
    const onnx::Model again = onnx::import_model(path("lstm"));
    ASSERT_EQ(again.inputs().size(), 3u);
    std::vector<Variable> inputs{x};
    for (int i = 1; i < 3; ++i)
        inputs.emplace_back(again.inputs()[size_t(i)].name == "c" ? c : h, false);
    const Variables ys = again.run(inputs);
    expect_equal(ys[0].array(), layer(x).array(), 1e-6, "h");
    for (size_t i = 1; i < ys.size(); ++i)
        expect_equal(ys[i].array(),
                     again.outputs()[i].name == "c.next" ? layer.c().array() : layer.h().array(),
                     1e-6, "state");
}

TEST_F(Models, inputs_that_do_not_fit_are_refused_by_name) {
    Perceptron model;
    onnx::export_model(model, {numbers({4, 6})}, path("m"),
                       {.input_names = {"image"}, .open_sizes = {{0, 0, "batch"}}});
    const onnx::Model again = onnx::import_model(path("m"));
    EXPECT_THROW(again.run({}), ValueError);
    EXPECT_THROW(again(cast(numbers({4, 6}), Dtype::float64)), DtypeError);
    try {
        again(numbers({4, 7}));
        FAIL();
    } catch (const ShapeError& error) {
        EXPECT_NE(std::string(error.what()).find("'image' is [batch,6], [4,7] is given"),
                  std::string::npos)
            << error.what();
    }
}

}  // namespace
}  // namespace catena::testing
