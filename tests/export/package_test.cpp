// Programs that a region saves, and that run without the compiler.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "runtime/graph/call/recorder.h"
#include "runtime/graph/variable/variable_body.h"
#include "runtime/program/file/program.h"
#include "runtime/program/run/code_library.h"
#include "tests/export/package_fixture.h"

namespace catena::testing {

std::string temporary(const std::string& name) {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    return ::testing::TempDir() + "catena_" + test->test_suite_name() + "_" + test->name() + "_" +
           name;
}

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST_F(Package, a_model_gives_what_it_gave) {
    Net net;
    const auto test_mode = using_config(&Config::train, false);
    auto model =
        static_graph([&](const Variable& x) { return softmax(net(x)); }, {.name = "model"});
    const Variable x = batch(0, 8);
    model(x);
    const Array y = model(x).array();
    model.save(temporary("x.catena"), {.input_names = {"image"}, .output_names = {"probability"}});

    Program program = Program::load(temporary("x.catena"));
    EXPECT_EQ(program.name(), "model");
    ASSERT_EQ(program.inputs().size(), 1u);
    EXPECT_EQ(program.inputs()[0].name, "image");
    EXPECT_THAT(program.inputs()[0].sizes, ElementsAre("8", "6"));
    EXPECT_EQ(program.outputs()[0].name, "probability");
    expect_near(program.run({x.array()})[0].to_vector<double>(), y.to_vector<double>(), 1e-6, "y");
}

/// Trains in process and by the package from the same states; both must come to the same ones.
void expect_same_training(Program& program, StaticGraph<std::reference_wrapper<Training>>& step,
                          Training& training, const std::vector<int64_t>& rows, double tolerance) {
    for (size_t i = 0; i < rows.size(); ++i) {
        const Variable x = batch(int(i), rows[i]), t = labels(int(i), rows[i]);
        const double loss = step(x, t).item<double>();
        const std::vector<Array> y = program.run({x.array(), t.array()});
        ASSERT_NEAR(y[0].item<double>(), loss, tolerance) << "step " << i;
    }
    for (auto& [path, parameter] : training.net.namedparams())
        expect_near(program.state(path).to_vector<double>(), parameter->array().to_vector<double>(),
                    tolerance, path);
    expect_near(program.state("/bn/avg_mean").to_vector<double>(),
                training.net.bn.avg_mean.array().to_vector<double>(), tolerance, "avg_mean");
    expect_near(program.state("/bn/avg_var").to_vector<double>(),
                training.net.bn.avg_var.array().to_vector<double>(), tolerance, "avg_var");
}

TEST_F(Package, a_training_step_goes_on_where_the_process_was) {
    Training training;
    auto step = static_graph(std::ref(training), {.name = "step"});
    for (int i = 0; i < 4; ++i) step(batch(i, 8), labels(i, 8));
    step.save(temporary("x.catena"));
    Program program = Program::load(temporary("x.catena"));
    EXPECT_THAT(program.state_names(), ::testing::Contains("random_state"));
    EXPECT_THAT(program.state_names(), ::testing::Contains("/l1/W"));
    expect_same_training(program, step, training, {8, 8, 8, 8, 8}, 1e-6);
}

TEST_F(Package, open_sizes_take_a_ragged_last_batch) {
    Training training;
    auto step = static_graph(std::ref(training), {.name = "step"});
    for (int i = 0; i < 4; ++i) step(batch(i, 16), labels(i, 16));
    step.save(temporary("x.catena"), {.open_sizes = {{0, 0, "batch"}, {1, 0, "batch"}}});
    Program program = Program::load(temporary("x.catena"));
    EXPECT_THAT(program.inputs()[0].sizes, ElementsAre("batch", "6"));
    EXPECT_THAT(program.inputs()[1].sizes, ElementsAre("batch"));
    expect_same_training(program, step, training, {16, 5, 16, 2, 300, 16}, 2e-5);
    EXPECT_THAT(message_of([&] { program.run({batch(0, 4).array(), labels(0, 5).array()}); }),
                HasSubstr("input 'x1' is int32[5]"));
}

TEST_F(Package, a_batch_of_one_leaves_sound_statistics) {
    Training training(false);
    auto step = static_graph(std::ref(training), {.name = "step"});
    for (int i = 0; i < 4; ++i) step(batch(i, 16), labels(i, 16));
    step.save(temporary("x.catena"),
              {.open_sizes = {{0, 0, "batch"}, {1, 0, "batch"}}, .code_levels = {"avx2"}});
    Program program = Program::load(temporary("x.catena"));
    expect_same_training(program, step, training, {1, 16, 1, 2}, 2e-5);
}

/// Statistics over rows, height and width, so that their count is a multiple or a product of open
/// sizes.
struct NormalizedConvNet : Chain {
    Convolution2D c1{1, 4, 3, {.pad = {1, 1}}};
    BatchNormalization bn{4};
    Linear l1{4, 3};
    NormalizedConvNet() { add_children({{"c1", c1}, {"bn", bn}, {"l1", l1}}); }
    Variable operator()(const Variable& x) { return l1(mean(relu(bn(c1(x))), {2, 3})); }
};

TEST_F(Package, a_normalized_convolutional_step_takes_any_batch) {
    NormalizedConvNet net;
    MomentumSGD optimizer;
    optimizer.setup(net);
    auto step = static_graph(
        [&](const Variable& x, const Variable& t) {
            Variable loss = softmax_cross_entropy(net(x), t);
            net.cleargrads();
            loss.backward();
            optimizer.update();
            return loss;
        },
        {.name = "conv"});
    for (int i = 0; i < 3; ++i) step(pictures(i, 6), labels(i, 6));
    step.save(temporary("x.catena"),
              {.open_sizes = {{0, 0, "batch"}, {1, 0, "batch"}}, .code_levels = {"avx2"}});
    Program program = Program::load(temporary("x.catena"));
    for (int i = 3; const int64_t rows : {1, 6, 31, 2, 6}) {
        const double loss = step(pictures(i, rows), labels(i, rows)).item<double>();
        EXPECT_NEAR(
            program.run({pictures(i, rows).array(), labels(i, rows).array()})[0].item<double>(),
            loss, 1e-5);
        ++i;
    }
    for (const auto& [name, state] :
         {std::pair("/c1/W", net.c1.W.array()), {"/bn/avg_var", net.bn.avg_var.array()}})
        expect_near(program.state(name).to_vector<double>(), state.to_vector<double>(), 1e-5, name);
}

TEST_F(Package, sizes_that_multiply_may_be_open) {
    NormalizedConvNet net;
    auto step =
        static_graph([&](const Variable& x) { return sum(relu(net(x) * 2)); }, {.name = "sizes"});
    for (int i = 0; i < 2; ++i) step(pictures(i, 4));
    step.save(temporary("x.catena"),
              {.open_sizes = {{0, 0, "batch"}, {0, 2, "height"}, {0, 3, "width"}},
               .code_levels = {"avx2"}});
    Program program = Program::load(temporary("x.catena"));
    EXPECT_THAT(program.inputs()[0].sizes, ElementsAre("batch", "1", "height", "width"));
    for (const auto& [rows, height, width] :
         {std::tuple(4, 8, 8), {1, 1, 1}, {3, 17, 2}, {1, 40, 9}, {2, 1, 1}}) {
        const Variable x = pictures(rows, rows, height, width);
        EXPECT_NEAR(program.run({x.array()})[0].item<double>(), step(x).item<double>(), 1e-4)
            << rows << height << width;
        expect_near(program.state("/bn/avg_var").to_vector<double>(),
                    net.bn.avg_var.array().to_vector<double>(), 1e-5, "var");
    }
}

Variable sequence(int64_t rows, int64_t time, int64_t width) {
    std::vector<float> values(size_t(rows * time * width));
    for (size_t i = 0; i < values.size(); ++i)
        values[i] = float((i * 37 + size_t(time) * 11) % 64) / 32 - 1;
    return Variable(Array::from(values, {rows, time, width}), false);
}

TEST_F(Package, attention_takes_any_batch_and_time) {
    Linear query(8, 8), key(8, 8), value(8, 8);
    auto attention = static_graph(
        [&](const Variable& x) {
            const Shape shape = x.shape();
            auto by = [&](Linear& l) { return reshape(l(reshape(x, {-1, 8})), shape); };
            return matmul(
                softmax(matmul(by(query), by(key), false, true) * (1 / std::sqrt(8.0)), 2),
                by(value));
        },
        {.name = "attention"});
    attention(sequence(2, 5, 8));
    attention.save(temporary("x.catena"),
                   {.open_sizes = {{0, 0, "batch"}, {0, 1, "time"}}, .code_levels = {"avx2"}});
    Program program = Program::load(temporary("x.catena"));
    EXPECT_THAT(program.outputs()[0].sizes, ElementsAre("batch", "time", "8"));
    for (const auto& [rows, time] : {std::pair(2, 5), {1, 1}, {7, 3}, {1, 33}, {4, 1}}) {
        const Variable x = sequence(rows, time, 8);
        expect_near(program.run({x.array()})[0].to_vector<double>(),
                    attention(x).array().to_vector<double>(), 1e-5,
                    fmt::format("{} {}", rows, time));
    }
}

TEST_F(Package, a_recurrent_link_that_begins_empty_takes_any_batch) {
    LSTM lstm(4, 5);
    Linear last(5, 3);
    auto model = static_graph(
        [&](const Variable& x) {
            lstm.reset_state();
            Variable h;
            for (int64_t i = 0; i < x.shape()[1]; ++i) h = lstm(get_item(x, {slice(0), i}));
            return last(h);
        },
        {.name = "recurrent"});
    for (int i = 0; i < 2; ++i) model(sequence(6, 3, 4));
    model.save(temporary("x.catena"), {.open_sizes = {{0, 0, "batch"}}, .code_levels = {"avx2"}});
    Program program = Program::load(temporary("x.catena"));
    for (int64_t rows : {6, 1, 9, 2}) {
        const Variable x = sequence(rows, 3, 4);
        expect_near(program.run({x.array()})[0].to_vector<double>(),
                    model(x).array().to_vector<double>(), 1e-5, "y");
    }
    model.save(temporary("fixed.catena"), {.code_levels = {"avx2"}});
    EXPECT_THAT(Program::load(temporary("fixed.catena")).state_names(),
                ::testing::Contains(HasSubstr("h")));
}

TEST_F(Package, numbers_at_small_sizes_are_those_of_the_code) {
    auto f = static_graph(
        [](const Variable& x) {
            const double n = double(x.shape()[0]), m = double(x.shape()[1]);
            return Variables{x * (1 / (n * m)),
                             x * (n / std::max(n - 1, 1.0)),
                             x * (n * m / std::max(n * m - 1, 1.0)),
                             x * (1 / (n - 2)),
                             x * (m * n),
                             x * (1 / std::max(m - 3, 1.0))};
        },
        {.name = "numbers"});
    f(sequence(4, 5, 1));
    f.save(temporary("x.catena"),
           {.open_sizes = {{0, 0, "n"}, {0, 1, "m"}}, .code_levels = {"scalar"}});
    Program program = Program::load(temporary("x.catena"));
    for (int64_t n : {1, 2, 3, 11})
        for (int64_t m : {1, 2, 3, 4, 13}) {
            const Variable x = sequence(n, m, 1);
            const Variables expected = f(x);
            const std::vector<Array> y = program.run({x.array()});
            for (size_t i = 0; i < y.size(); ++i)
                EXPECT_EQ(to_string(y[i]), to_string(expected[i].array()))
                    << i << " at " << n << ' ' << m;
        }
}

struct ConvNet : Chain {
    Convolution2D c1{1, 4, 3, {.pad = {1, 1}}};
    Linear l1{4 * 4 * 4, 3};
    ConvNet() { add_children({{"c1", c1}, {"l1", l1}}); }
    Variable operator()(const Variable& x) { return l1(max_pooling_2d(relu(c1(x)), {2})); }
};

TEST_F(Package, a_convolutional_step_takes_a_ragged_last_batch) {
    ConvNet net;
    MomentumSGD optimizer;
    optimizer.setup(net);
    auto step = static_graph(
        [&](const Variable& x, const Variable& t) {
            Variable loss = softmax_cross_entropy(net(x), t);
            net.cleargrads();
            loss.backward();
            optimizer.update();
            return loss;
        },
        {.name = "conv"});
    const auto images = [](int number, int64_t rows) {
        std::vector<float> values(size_t(rows * 64));
        for (size_t i = 0; i < values.size(); ++i)
            values[i] = float((i * 29 + size_t(number) * 53) % 32) / 16 - 1;
        return Variable(Array::from(values, {rows, 1, 8, 8}), false);
    };
    for (int i = 0; i < 3; ++i) step(images(i, 16), labels(i, 16));
    step.save(temporary("x.catena"), {.open_sizes = {{0, 0, "batch"}, {1, 0, "batch"}}});
    Program program = Program::load(temporary("x.catena"));
    for (int i = 3; i < 8; ++i) {
        const int64_t rows = i == 5 ? 7 : 16;
        const double loss = step(images(i, rows), labels(i, rows)).item<double>();
        EXPECT_NEAR(
            program.run({images(i, rows).array(), labels(i, rows).array()})[0].item<double>(), loss,
            1e-5);
    }
    expect_near(program.state("/c1/W").to_vector<double>(), net.c1.W.array().to_vector<double>(),
                1e-5, "/c1/W");
}

TEST_F(Package, code_of_every_level_computes_the_same) {
    Training training;
    auto step = static_graph(std::ref(training), {.name = "step"});
    for (int i = 0; i < 3; ++i) step(batch(i, 8), labels(i, 8));
    step.save(temporary("x.catena"));
    std::vector<double> first;
    for (const std::string& level : program::code_levels()) {
        setenv("CATENA_CPU", level.c_str(), 1);
        Program program = Program::load(temporary("x.catena"));
        unsetenv("CATENA_CPU");
        EXPECT_EQ(program.code_level(), level);
        std::vector<double> losses;
        for (int i = 0; i < 5; ++i)
            losses.push_back(
                program.run({batch(i, 8).array(), labels(i, 8).array()})[0].item<double>());
        if (first.empty()) first = losses;
        expect_near(losses, first, 1e-5, level);
    }
}

TEST_F(Package, a_package_saved_back_repeats_the_uninterrupted_run) {
    Training training;
    auto step = static_graph(std::ref(training), {.name = "step"});
    step(batch(0, 8), labels(0, 8));
    step.save(temporary("x.catena"));
    Program whole = Program::load(temporary("x.catena"));
    Program first = Program::load(temporary("x.catena"));
    const auto run = [](Program& program, int i) {
        return program.run({batch(i, 8).array(), labels(i, 8).array()})[0].item<double>();
    };
    for (int i = 0; i < 3; ++i) EXPECT_EQ(run(whole, i), run(first, i));
    first.save(temporary("y.catena"));
    Program second = Program::load(temporary("y.catena"));
    for (int i = 3; i < 6; ++i) EXPECT_EQ(run(whole, i), run(second, i)) << "step " << i;
    for (const std::string& name : whole.state_names())
        EXPECT_EQ(whole.state(name).to_vector<double>(), second.state(name).to_vector<double>())
            << name;
}

TEST_F(Package, a_hyperparameter_can_be_set) {
    Training training;
    auto step = static_graph(std::ref(training), {.name = "step"});
    step(batch(0, 8), labels(0, 8));
    step.save(temporary("x.catena"));
    Program program = Program::load(temporary("x.catena"));
    program.set_number("alpha", 0);
    const std::vector<double> before = program.state("/l1/W").to_vector<double>();
    program.run({batch(0, 8).array(), labels(0, 8).array()});
    EXPECT_EQ(program.state("/l1/W").to_vector<double>(), before);
    EXPECT_THAT(message_of([&] { program.set_number("none", 0); }), HasSubstr("alpha"));
}

TEST_F(Package, what_is_returned_before_a_step_is_not_written_over) {
    Variable state(Array::full({Dtype::float32, {64}}, 1), false);
    state.body()->is_state = true;
    auto step = static_graph(
        [&](const Variable& x) {
            Variable old = state + 0;
            assign(state, state + x);
            return std::vector<Variable>{old, state};
        },
        {.name = "count"});
    const Variable x(Array::full({Dtype::float32, {64}}, 1), false);
    step(x);
    step(x);
    step.save(temporary("x.catena"));
    Program program = Program::load(temporary("x.catena"));
    const std::vector<Array> first = program.run({x.array()}), second = program.run({x.array()});
    EXPECT_EQ(first[0].to_vector<float>()[63], 3);
    EXPECT_EQ(first[1].to_vector<float>()[63], 4);
    EXPECT_EQ(second[0].to_vector<float>()[63], 4);
    EXPECT_EQ(second[1].to_vector<float>()[63], 5);
}

TEST_F(Package, inputs_that_do_not_fit_are_named) {
    auto f = static_graph([](const Variable& x) { return relu(x); }, {.name = "f"});
    f(batch(0, 8));
    EXPECT_THAT(message_of([&] { f.save(temporary("x.catena"), {.input_names = {"a", "b"}}); }),
                HasSubstr("2 input names"));
    f.save(temporary("x.catena"));
    Program program = Program::load(temporary("x.catena"));
    EXPECT_THAT(message_of([&] { program.run({}); }),
                HasSubstr("0 arrays are given, it takes 1: "));
    EXPECT_THAT(message_of([&] { program.run({batch(0, 9).array()}); }),
                HasSubstr("'x' is float32[9,6], it takes float32[8,6]"));
    EXPECT_THAT(message_of([&] { program.run({labels(0, 8).array()}); }),
                HasSubstr("it takes float32[8,6]"));
    EXPECT_THAT(message_of([&] { program.state("W"); }),
                HasSubstr("has no state 'W' (it has none)"));
}

TEST_F(Package, what_a_file_cannot_hold_is_refused) {
    auto f = static_graph([](const Variable& x) { return relu(x); }, {.name = "f"});
    EXPECT_THAT(message_of([&] { f.save(temporary("x.catena")); }),
                HasSubstr("region f has no program yet"));
    Net net;
    auto gradients = static_graph(
        [&](const Variable& x, const Variable& t) {
            Variable loss = softmax_cross_entropy(net(x), t);
            net.cleargrads();
            loss.backward();
            return loss;
        },
        {.name = "gradients"});
    gradients(batch(0, 8), labels(0, 8));
    EXPECT_THAT(message_of([&] { gradients.save(temporary("x.catena")); }),
                HasSubstr("leaves a gradient in '/"));
    auto of_input =
        static_graph([](const Variable& x) { sum(x * x).backward(); }, {.name = "of_input"});
    const Variable wants(batch(0, 8).array(), true);
    of_input(wants);
    wants.cleargrad();
    of_input(wants);
    EXPECT_THAT(message_of([&] { of_input.save(temporary("x.catena")); }),
                HasSubstr("leaves a gradient in argument 0, which cannot be saved; pass it as one "
                          "that wants none"));
    auto fourth = static_graph(
        [](const Variable& x) {
            const Variable gram = reshape(matmul(x, transpose(x)), {-1, 1});
            return matmul(gram, gram, false, true);
        },
        {.name = "fourth"});
    fourth(batch(0, 4));
    EXPECT_THAT(
        message_of([&] { fourth.save(temporary("x.catena"), {.open_sizes = {{0, 0, "n"}}}); }),
        HasSubstr("which is not a sum of products of up to three of them"));
}

TEST_F(Package, numbers_may_be_infinite) {
    auto f = static_graph([](const Variable& x) { return x - INFINITY; }, {.name = "f"});
    f(batch(0, 8));
    f.save(temporary("x.catena"), {.open_sizes = {{0, 0, "n"}}});
    Program program = Program::load(temporary("x.catena"));
    program.save(temporary("y.catena"));
    Program again = Program::load(temporary("y.catena"));
    EXPECT_EQ(again.run({batch(0, 3).array()})[0].to_vector<float>(),
              std::vector<float>(18, -INFINITY));
}

TEST_F(Package, arrays_may_be_empty) {
    auto f = static_graph(
        [](const Variable& x) {
            const Variable none = slice_axis(x, 0, 0, 0);
            return std::vector<Variable>{none + 1, matmul(x, transpose(none)),
                                         reshape(none, {6, 0})};
        },
        {.name = "f"});
    f(batch(0, 8));
    f.save(temporary("x.catena"), {.code_levels = {"scalar"}});
    const std::vector<Array> y = Program::load(temporary("x.catena")).run({batch(0, 8).array()});
    EXPECT_EQ(to_string(y[0].type()), "float32[0,6]");
    EXPECT_EQ(to_string(y[1].type()), "float32[8,0]");
    EXPECT_EQ(to_string(y[2].type()), "float32[6,0]");
}

TEST_F(Package, several_are_loaded_at_once) {
    auto f = static_graph([](const Variable& x) { return relu(x) * 2; }, {.name = "f"});
    auto g = static_graph([](const Variable& x) { return exp(x) - x; }, {.name = "g"});
    f(batch(0, 8));
    g(batch(0, 8));
    f.save(temporary("f.catena"));
    g.save(temporary("g.catena"));
    Program first = Program::load(temporary("f.catena")),
            second = Program::load(temporary("g.catena"));
    const Array x = batch(0, 8).array();
    expect_near(first.run({x})[0].to_vector<double>(), f(batch(0, 8)).array().to_vector<double>(),
                1e-6, "f");
    expect_near(second.run({x})[0].to_vector<double>(), g(batch(0, 8)).array().to_vector<double>(),
                1e-6, "g");
}

TEST_F(Package, stages_and_the_graph_can_be_read) {
    auto f = static_graph([](const Variable& x) { return relu(x) * 2; }, {.name = "f"});
    f(batch(0, 8));
    f.save(temporary("x.catena"));
    const Program program = Program::load(temporary("x.catena"));
    EXPECT_THAT(program.stage("program.dot"), HasSubstr("digraph \"f\""));
    EXPECT_THAT(program.stage("import.mlir"), HasSubstr("catena.map \"relu\""));
    EXPECT_THAT(program.stage("fused.mlir"), HasSubstr("catena.group"));
    EXPECT_THAT(program.stage("scalar.ll"),
                ::testing::ContainsRegex(
                    "define weak_odr void "
                    "@catena_[0-9a-f]+_kernel0_p_relu_multiply_scalar_[0-9a-f]+_scalar"));
    EXPECT_THAT(message_of([&] { program.stage("none"); }), HasSubstr("import.mlir"));
}

}  // namespace
}  // namespace catena::testing
