#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "frontend/catena.h"
#include "frontend/compiler/compiler_loader.h"
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

/// The last of the windows begins at 11, one beyond the last element of x. ceil_mode would leave it
/// out.
TEST_F(Models, windows_in_the_padding_alone_are_exported) {
    const auto f = [](const Variable& x) {
        return max_pooling_nd(x, 2, {.stride = 3, .pad = 1, .cover_all = true});
    };
    const auto g = [](const Variable& x) {
        return max_pooling_2d(x, {2, 3}, {.stride = {3, 2}, .pad = {1, 0}});
    };
    const Variable lines(
        Array::from(std::vector<float>{-9, -8, -7, -6, -5, -4, -3, -2, -1, 0}, Shape{1, 1, 10}),
        false);
    const Variable images = numbers({2, 3, 4, 6}), five = numbers({5, 3, 4, 6});
    onnx::export_model(f, {lines}, path("lines"));
    write_case(folder_, "lines", {lines}, {f(lines)});
    onnx::export_model(g, {images}, path("images"), {.opset = 13, .open_sizes = {{0, 0, "batch"}}});
    write_case(folder_, "images", {five}, {g(five)});
    EXPECT_EQ(onnx::import_model(path("lines"))(lines).array().to_vector<float>(),
              (std::vector<float>{-9, -6, -3, 0, -INFINITY}));
    expect_equal(onnx::import_model(path("images"))(five).array(), g(five).array(), 0, "images");
    expect_agreement_in_onnx_runtime(folder_);
}

TEST_F(Models, parameters_keep_their_names_and_values) {
    Perceptron model;
    onnx::export_model(model, {numbers({4, 6})}, path("p"),
                       {.input_names = {"image"}, .output_names = {"probability"}});
    const onnx::Model again = onnx::import_model(path("p"));
    EXPECT_EQ(again.inputs()[0].name, "image");
    EXPECT_EQ(again.outputs()[0].name, "probability");
    const auto list = again.initializers();
    std::map<std::string, Variable> initializers(list.begin(), list.end());
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

TEST_F(Models, an_array_that_the_host_makes_from_an_open_size_is_refused) {
    const auto message_of = [&](const auto& f, const Variable& x,
                                std::vector<OpenSize> open) -> std::string {
        try {
            onnx::export_model(f, {x}, path("f"), {.open_sizes = std::move(open)});
        } catch (const ValueError& error) {
            return error.what();
        }
        return "nothing was thrown";
    };
    const auto expect = [](const std::string& message, const std::string& part) {
        EXPECT_NE(message.find(part), std::string::npos) << message;
    };
    const auto mean_of_rows = [](const Variable& x) {
        return sum(x, 0) / Array::scalar(float(x.shape()[0]));
    };
    const std::string message = message_of(mean_of_rows, numbers({4, 3}), {{0, 0, "n"}});
    expect(message, "onnx: divide (models_test.cpp:");
    expect(message, "float32[], element [] is 4 or 5");
    const auto last_row = [](const Variable& x) {
        return take(x, Array::from({x.shape()[0] - 1}), 0);
    };
    expect(message_of(last_row, numbers({4, 3}), {{0, 0, "n"}}), "int64[1], element [0] is 3 or 4");
    const auto leaf = [](const Variable& x) {
        return x * Variable(Array::scalar(float(x.shape()[0])));
    };
    expect(message_of(leaf, numbers({4, 3}), {{0, 0, "n"}}), "onnx: ");
    const auto fixed = [](const Variable& x) { return resize_images(x, {6, 6}, "bilinear"); };
    expect(message_of(fixed, numbers({2, 3, 8, 8}), {{0, 2, "h"}, {0, 3, "w"}}),
           "onnx: take (models_test.cpp:");
    const auto constant = [](const Variable& x) {
        return Variable(Array::scalar(x.shape()[0]), false);
    };
    expect(message_of(constant, numbers({4, 3}), {{0, 0, "n"}}),
           "the program returns an array from outside");
}

TEST_F(Models, a_number_that_changes_from_run_to_run_is_not_blamed_on_sizes) {
    int runs = 0;
    const auto f = [&](const Variable& x) { return x * double(++runs); };
    try {
        onnx::export_model(f, {numbers({4, 3})}, path("f"), {.open_sizes = {{0, 0, "n"}}});
        FAIL();
    } catch (const ValueError& error) {
        const std::string message = error.what();
        EXPECT_NE(message.find("onnx: a number in multiply_scalar (models_test.cpp:"),
                  std::string::npos)
            << message;
        EXPECT_NE(message.find("changes from run to run"), std::string::npos) << message;
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
    if (compiler_available()) {
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
    const auto list = again.initializers();
    std::map<std::string, Variable> initializers(list.begin(), list.end());
    expect_equal(initializers["l1/W"].grad(), model.l1.W.grad(), 1e-5, "gradient of l1/W");
}

TEST_F(Models, an_imported_model_is_a_link_that_an_optimizer_trains) {
    Perceptron model;
    const Variable x = numbers({4, 6});
    onnx::export_model(model, {x}, path("m"));
    onnx::Model again = onnx::import_model(path("m"), {.trainable = true});
    std::vector<std::string> names;
    for (auto& [name, parameter] : again.namedparams()) {
        names.push_back(name);
        EXPECT_EQ(parameter->name(), name);
    }
    std::sort(names.begin(), names.end());
    EXPECT_EQ(names, (std::vector<std::string>{"/l1/W", "/l1/b", "/l2/W", "/l2/b"}));

    onnx::Model untouched = again;
    MomentumSGD of_model, of_again;
    of_model.setup(model);
    of_again.setup(again);
    const auto train = [&](auto& link, Optimizer& optimizer) {
        Variable loss = sum(square(link(x)));
        link.cleargrads();
        loss.backward();
        optimizer.update();
    };
    auto compiled = static_graph([&](const Variable&) {
        train(again, of_again);
        return again(x);
    });
    const Array before = untouched(x).array();
    for (int i = 0; i < 3; ++i) {
        train(model, of_model);
        const Variable y = compiled(x);
        expect_equal(y.array(), model(x).array(), 1e-5, "output");
    }
    expect_equal(untouched(x).array(), before, 0, "a copy has parameters of its own");

    save_npz(folder_ + "/weights.npz", again);
    load_npz(folder_ + "/weights.npz", untouched);
    expect_equal(untouched(x).array(), again(x).array(), 0, "loaded");
    Perceptron written_by_us;
    load_npz(folder_ + "/weights.npz", written_by_us);
    expect_equal(written_by_us(x).array(), again(x).array(), 1e-6, "loaded into our own link");
}

TEST_F(Models, names_without_parts_and_names_that_meet_are_parameters_too) {
    const Variable x = numbers({4, 6});
    Parameter W(numbers({6}).array(), "W"), dotted(numbers({6}).array(), "a.b"),
        path_like(numbers({6}).array(), "/a/b");
    onnx::export_model([&](const Variable& v) { return v * W + dotted * path_like; }, {x},
                       path("m"));
    onnx::Model again = onnx::import_model(path("m"), {.trainable = true});
    std::set<std::string> names;
    for (auto& [name, parameter] : again.namedparams()) names.insert(name);
    EXPECT_EQ(names, (std::set<std::string>{"/W/value", "/a/b", "/a/b_"}));
    EXPECT_EQ(onnx::import_model(path("m")).params().size(), 0u);
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

/// Two layers, which forget at every call.
struct Tagger : Chain {
    LSTM l1{5, 4}, l2{4, 3};
    Tagger() { add_children({{"l1", l1}, {"l2", l2}}); }
    Variable operator()(const Variable& x) {
        l1.reset_state();
        l2.reset_state();
        Variable y;
        for (int64_t i = 0; i < x.shape()[1]; ++i) y = l2(l1(get_item(x, {slice(0), i})));
        return y;
    }
};

TEST_F(Models, states_that_only_change_are_outputs_alone) {
    Tagger model;
    const Variable x = numbers({3, 2, 5}), seven = numbers({7, 2, 5});
    model(x);
    onnx::export_model(model, {x}, path("open"), {.open_sizes = {{0, 0, "batch"}}});
    const onnx::Model again = onnx::import_model(path("open"));
    ASSERT_EQ(again.inputs().size(), 1u);
    std::set<std::string> outputs;
    for (const onnx::Port& port : again.outputs()) outputs.insert(port.name);
    EXPECT_EQ(outputs,
              (std::set<std::string>{"y", "l1/c.next", "l1/h.next", "l2/c.next", "l2/h.next"}));
    for (const Variable& input : {x, seven})
        expect_equal(again.run({&input, 1})[0].array(), model(input).array(), 1e-6, "y");
    write_case(folder_, "open", {seven}, again.run({&seven, 1}));
    expect_agreement_in_onnx_runtime(folder_);
}

TEST_F(Models, a_recurrent_link_before_its_first_call_takes_any_batch) {
    LSTM layer(5, 4);
    const Variable x = numbers({3, 5}), seven = numbers({7, 5});
    onnx::export_model(layer, {x}, path("open"), {.open_sizes = {{0, 0, "batch"}}});
    EXPECT_FALSE(layer.h().defined()) << "the export gave the link a state";
    const onnx::Model again = onnx::import_model(path("open"));
    ASSERT_EQ(again.inputs().size(), 1u);
    expect_equal(again.run({&seven, 1})[0].array(), layer(seven).array(), 1e-6, "y");
    EXPECT_TRUE(layer.h().defined());
}

/// Forward, backward and update, as a user writes them.
struct Step {
    Perceptron model;
    MomentumSGD optimizer;
    Step() { optimizer.setup(model); }
    Variable operator()(const Variable& x) {
        Variable loss = sum(square(model(x)));
        model.cleargrads();
        loss.backward();
        optimizer.update();
        return loss;
    }
};

TEST_F(Models, a_training_step_gives_every_changed_state) {
    Step step;
    const Variable x = numbers({4, 6});
    step(x);
    const Array W = step.model.l1.W.array();
    onnx::export_model(step, {x}, path("step"));
    EXPECT_EQ(to_string(step.model.l1.W.array()), to_string(W)) << "the export changed a parameter";
    const onnx::Model again = onnx::import_model(path("step"));
    std::map<std::string, Array> states;
    for (UpdateSlot& slot : step.optimizer.slots()) {
        states[slot.path.substr(1)] = slot.param.array();
        states[slot.path.substr(1) + "/v"] = slot.moments[0].array();
    }
    states["t"] = step.optimizer.step_count().array();
    std::set<std::string> changed;
    for (const onnx::Port& port : again.outputs()) changed.insert(port.name);
    std::vector<Variable> inputs{x};
    for (size_t i = 1; i < again.inputs().size(); ++i) {
        ASSERT_TRUE(states.contains(again.inputs()[i].name)) << again.inputs()[i].name;
        inputs.emplace_back(states[again.inputs()[i].name], false);
        EXPECT_TRUE(changed.contains(again.inputs()[i].name + ".next")) << again.inputs()[i].name;
    }
    ASSERT_EQ(inputs.size(), 1 + states.size());
    const Variables outputs = again.run(inputs);
    write_case(folder_, "step", inputs, outputs);
    const Variable loss = step(x);
    expect_equal(outputs[0].array(), loss.array(), 1e-5, "loss");
    for (size_t i = 1; i < outputs.size(); ++i)
        for (auto& [name, parameter] : step.model.namedparams())
            if (again.outputs()[i].name == name.substr(1) + ".next")
                expect_equal(outputs[i].array(), parameter->array(), 1e-5, name);
    expect_agreement_in_onnx_runtime(folder_);
}

TEST_F(Models, a_gradient_that_is_left_behind_is_refused_by_name) {
    Perceptron model;
    model.l1.W.set_name("l1/W");
    const auto message = [&](auto f, const Variable& x) -> std::string {
        try {
            onnx::export_model(f, {x}, path("m"));
        } catch (const ValueError& error) {
            return error.what();
        }
        return "no error";
    };
    const auto backward = [&](const Variable& x) {
        Variable loss = sum(model(x));
        loss.backward();
        return loss;
    };
    EXPECT_NE(message(backward, numbers({4, 6})).find("leaves a gradient in '"), std::string::npos)
        << message(backward, numbers({4, 6}));
    const auto of_input = [](const Variable& x) {
        Variable loss = sum(square(x));
        loss.backward();
        return loss;
    };
    const Variable wanting(numbers({4, 6}).array(), true);
    EXPECT_NE(message(of_input, wanting).find("leaves a gradient in input 0"), std::string::npos)
        << message(of_input, wanting);
}

TEST_F(Models, a_function_may_give_gradients) {
    Perceptron model;
    const auto slope = [&](const Variable& x) {
        const Variable y = sum(square(model(x)));
        return grad({{y}}, {{x}})[0];
    };
    const Variable x(numbers({4, 6}).array(), true);
    onnx::export_model(slope, {x}, path("slope"));
    const Array expected = slope(x).array();
    const onnx::Model again = onnx::import_model(path("slope"));
    ASSERT_EQ(again.inputs().size(), 1u);
    expect_equal(again(x).array(), expected, 1e-5, "gradient");
    const Variable wants_none = numbers({4, 6});
    try {
        onnx::export_model(slope, {wants_none}, path("none"));
        FAIL() << "nothing flows to an input that wants no gradient";
    } catch (const ValueError& error) {
        EXPECT_NE(std::string(error.what()).find("output 0 of the model is not defined"),
                  std::string::npos)
            << error.what();
    }
    write_case(folder_, "slope", {x}, {Variable(expected, false)});
    expect_agreement_in_onnx_runtime(folder_);
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
