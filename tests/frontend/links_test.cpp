#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/catena.h"
#include "runtime/graph/trace/tracing.h"

namespace catena {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Variable ramp(const Shape& shape, double step = 0.1) {
    std::vector<float> values(size_t(element_count(shape)));
    for (size_t i = 0; i < values.size(); ++i) values[i] = float(std::sin(double(i) * step));
    return Variable(Array::from(values, shape));
}

std::vector<std::string> paths(const Link& link) {
    std::vector<std::string> found;
    for (auto& [path, param] : link.namedparams()) found.push_back(path);
    return found;
}

std::vector<double> numbers(const Variable& v) { return v.array().to_vector<double>(); }

void expect_near(const Variable& a, const Variable& b, double tolerance = 1e-5) {
    ASSERT_EQ(to_string(a.shape()), to_string(b.shape()));
    std::vector<double> x = numbers(a), y = numbers(b);
    for (size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(x[i], y[i], tolerance) << "element " << i;
}

TEST(Links, linear_takes_its_input_size_from_the_first_call) {
    Linear layer(3);
    EXPECT_FALSE(layer.W.is_initialized());
    EXPECT_EQ(layer.count_params(), 3);
    EXPECT_EQ(to_string(layer), "Linear(in_size=None, out_size=3, nobias=False)");
    Variable y = layer(ramp({2, 4, 5}));
    EXPECT_EQ(to_string(layer.W.shape()), "[3,20]");
    EXPECT_EQ(to_string(y.shape()), "[2,3]");
    EXPECT_EQ(to_string(layer), "Linear(in_size=20, out_size=3, nobias=False)");
    EXPECT_EQ(to_string(Linear(0, 3)(ramp({2, 4, 5}), 2).shape()), "[2,4,3]");
}

TEST(Links, linear_equals_the_function_and_gets_gradients) {
    Linear layer(4, 3);
    Variable x = ramp({2, 4});
    Variable y = layer(x);
    expect_near(y, linear(x, layer.W, layer.b));
    sum(y).backward();
    EXPECT_THAT(layer.b.grad().to_vector<float>(), ElementsAre(2, 2, 2));
    EXPECT_TRUE(layer.W.grad().defined());
    Linear bare(4, 3, {.nobias = true});
    EXPECT_THAT(paths(bare), ElementsAre("/W"));
    EXPECT_THROW(Linear(4, 0), ValueError);
}

TEST(Links, lazy_initialisation_is_unseen_by_recorders) {
    struct Quiet : Tracing {
        int ops = 0, changes = 0;
        void saw(const OpCall&, std::span<const Variable>) override { ++ops; }
        void assigned(const Variable&, const Variable&) override { ++changes; }
        void changing(VariableBody&, Change) override { ++changes; }
        void same(const Array&, const Array&) override {}
        void host_read(ArrayBody&) override { ++changes; }
    } recorder;
    Linear layer(3);
    Variable x = ramp({2, 4});
    {
        RecorderScope scope(&recorder);
        layer(x);
    }
    EXPECT_EQ(recorder.changes, 0);
    int first = recorder.ops;
    RecorderScope scope(&recorder);
    layer(x);
    EXPECT_EQ(recorder.ops, 2 * first);
    EXPECT_TRUE(layer.W.body()->is_state);
    EXPECT_EQ(layer.W.array().body()->owner, layer.W.body());
}

TEST(Links, convolution_equals_the_function_with_every_option) {
    Convolution2D layer(4, 6, 3, {.stride = {2}, .pad = {1}, .dilate = {2}, .groups = 2});
    EXPECT_EQ(to_string(layer.W.shape()), "[6,2,3,3]");
    Variable x = ramp({2, 4, 9, 9});
    expect_near(layer(x), convolution_2d(x, layer.W, layer.b,
                                         {.stride = {2}, .pad = {1}, .dilate = {2}, .groups = 2}));
    Convolution2D lazy(6, 5);
    lazy(ramp({1, 2, 8, 8}));
    EXPECT_EQ(to_string(lazy.W.shape()), "[6,2,5,5]");
    Convolution2D wide(1, 6, Dims{3, 5}, {.pad = {2, 2}, .nobias = true});
    EXPECT_EQ(to_string(wide.W.shape()), "[6,1,3,5]");
    EXPECT_THAT(paths(wide), ElementsAre("/W"));
    EXPECT_THROW(Convolution2D(4, 5, 3, {.groups = 2}), ValueError);
    EXPECT_THROW(lazy(ramp({2, 8})), Error);
}

TEST(Links, deconvolution_equals_the_function) {
    Deconvolution2D layer(4, 6, 3, {.stride = {2}, .pad = {1}});
    EXPECT_EQ(to_string(layer.W.shape()), "[4,6,3,3]");
    Variable x = ramp({2, 4, 5, 5});
    expect_near(layer(x), deconvolution_2d(x, layer.W, layer.b, {.stride = {2}, .pad = {1}}));
    Deconvolution2D lazy(6, 3);
    lazy(ramp({1, 2, 4, 4}));
    EXPECT_EQ(to_string(lazy.W.shape()), "[2,6,3,3]");
}

TEST(Links, batch_normalization_follows_the_batches_and_then_uses_the_averages) {
    BatchNormalization layer(3);
    EXPECT_THAT(paths(layer), ElementsAre("/beta", "/gamma"));
    auto persistents = layer.namedpersistents();
    ASSERT_EQ(persistents.size(), 3u);
    EXPECT_EQ(persistents[0].first, "/N");
    Variable x = ramp({8, 3});
    Variable y = layer(x);
    std::vector<double> column(8), data = numbers(x);
    for (int i = 0; i < 8; ++i) column[i] = data[i * 3];
    double mean = 0, variance = 0;
    for (double v : column) mean += v / 8;
    for (double v : column) variance += (v - mean) * (v - mean) / 8;
    EXPECT_NEAR(numbers(y)[0], (column[0] - mean) / std::sqrt(variance + 2e-5), 1e-4);
    EXPECT_NEAR(numbers(layer.avg_mean)[0], 0.1 * mean, 1e-6);
    EXPECT_NEAR(numbers(layer.avg_var)[0], 0.9 + 0.1 * variance * 8 / 7, 1e-6);
    auto test = using_config(&Config::train, false);
    double m = numbers(layer.avg_mean)[0], v = numbers(layer.avg_var)[0];
    EXPECT_NEAR(numbers(layer(x))[0], (column[0] - m) / std::sqrt(v + 2e-5), 1e-4);
}

TEST(Links, finetuning_averages_all_batches_alike) {
    BatchNormalization layer(2);
    layer.start_finetuning();
    Variable one = ramp({6, 2}, 0.3), two = ramp({6, 2}, 1.7);
    layer(one, true);
    layer(two, true);
    EXPECT_EQ(layer.N.array().item<int64_t>(), 2);
    Variable expected = (mean(one, 0) + mean(two, 0)) * 0.5;
    expect_near(layer.avg_mean, expected, 1e-6);
    expect_near(layer.avg_var, (variance(one, 0) + variance(two, 0)) * (0.5 * 6 / 5), 1e-6);
}

TEST(Links, batch_normalization_without_gamma_or_size) {
    BatchNormalization layer(Shape{}, {.use_gamma = false, .use_beta = false, .axis = {0, 2, 3}});
    EXPECT_TRUE(layer.params().empty());
    layer(ramp({2, 3, 4, 4}));
    EXPECT_EQ(to_string(layer.avg_mean.shape()), "[3]");
    EXPECT_THROW(BatchNormalization(Shape{}), ValueError);
}

TEST(Links, layer_normalization_is_lazy_and_has_the_links_eps) {
    LayerNormalization layer;
    Variable x = ramp({2, 5});
    Variable y = layer(x);
    expect_near(y, layer_normalization(x, layer.gamma, layer.beta, 1e-6), 1e-6);
    EXPECT_EQ(to_string(layer.gamma.shape()), "[5]");
}

TEST(Links, embed_id_looks_rows_up) {
    EmbedID layer(5, 2, {.ignore_label = -1});
    Variable y = layer(Array::from<int32_t>({3, -1}));
    std::vector<double> W = numbers(layer.W);
    EXPECT_THAT(numbers(y), ElementsAre(W[6], W[7], 0, 0));
}

/// One LSTM step written out.
struct Cell64 {
    std::vector<double> c, h;
};
Cell64 lstm_step(const LSTM& layer, const Cell64& before, const std::vector<double>& x, int n,
                 int in, int out) {
    std::vector<double> U = layer.upward.W.array().to_vector<double>(),
                        b = layer.upward.b.array().to_vector<double>(),
                        L = layer.lateral.W.array().to_vector<double>();
    Cell64 after = before;
    auto sigmoid = [](double v) { return 1 / (1 + std::exp(-v)); };
    for (int row = 0; row < n; ++row)
        for (int unit = 0; unit < out; ++unit) {
            double gate[4];
            for (int g = 0; g < 4; ++g) {
                int o = unit * 4 + g;
                gate[g] = b[o];
                for (int i = 0; i < in; ++i) gate[g] += U[o * in + i] * x[row * in + i];
                for (int i = 0; i < out; ++i) gate[g] += L[o * out + i] * before.h[row * out + i];
            }
            int at = row * out + unit;
            after.c[at] = std::tanh(gate[0]) * sigmoid(gate[1]) + before.c[at] * sigmoid(gate[2]);
            after.h[at] = sigmoid(gate[3]) * std::tanh(after.c[at]);
        }
    return after;
}

TEST(Links, lstm_keeps_its_state_and_follows_the_formula) {
    LSTM layer(3, 2);
    EXPECT_THAT(paths(layer), ElementsAre("/lateral/W", "/upward/W", "/upward/b"));
    EXPECT_THAT(layer.upward.b.array().to_vector<float>(), ElementsAre(0, 0, 1, 0, 0, 0, 1, 0));
    Cell64 expected{std::vector<double>(8), std::vector<double>(8)};
    for (int t = 0; t < 3; ++t) {
        Variable x = ramp({4, 3}, 0.3 + t);
        expected = lstm_step(layer, expected, numbers(x), 4, 3, 2);
        Variable h = layer(x);
        for (int i = 0; i < 8; ++i) EXPECT_NEAR(numbers(h)[i], expected.h[i], 1e-6);
    }
    for (int i = 0; i < 8; ++i) EXPECT_NEAR(numbers(layer.c())[i], expected.c[i], 1e-6);
    EXPECT_TRUE(layer.namedpersistents().empty());
}

TEST(Links, lstm_lets_the_batch_shrink_but_not_grow) {
    LSTM layer(3, 2);
    layer(ramp({4, 3}));
    std::vector<double> before = numbers(layer.h());
    EXPECT_EQ(to_string(layer(ramp({2, 3})).shape()), "[2,2]");
    std::vector<double> after = numbers(layer.h());
    ASSERT_EQ(after.size(), 8u);
    EXPECT_EQ(std::vector<double>(after.begin() + 4, after.end()),
              std::vector<double>(before.begin() + 4, before.end()));
    EXPECT_THROW(layer(ramp({5, 3})), ShapeError);
    layer.reset_state();
    EXPECT_EQ(to_string(layer(ramp({5, 3})).shape()), "[5,2]");
}

TEST(Links, a_parameter_without_a_shape_takes_its_device_along) {
    Parameter there;
    there.to_device(meta_device());
    Parameter copied(there), assigned, moved;
    assigned = there;
    moved = std::move(there);
    for (const Parameter* each : {&copied, &assigned, &moved})
        EXPECT_EQ(&each->home(), &meta_device());
    EXPECT_EQ(&Parameter().home(), &current_device());
}

TEST(Links, lstm_differentiates_through_its_steps_until_unchained) {
    LSTM layer(3, 2);
    Variable x = ramp({1, 3});
    layer(x);
    Variable h = layer(ramp({1, 3}, 0.7));
    sum(h).backward();
    EXPECT_TRUE(x.grad().defined());
    h.unchain_backward();
    x.cleargrad();
    sum(layer(ramp({1, 3}, 0.9))).backward();
    EXPECT_FALSE(x.grad().defined());
}

TEST(Links, lstm_reset_forgets) {
    LSTM layer(3, 2);
    Variable x = ramp({1, 3});
    std::vector<double> first = numbers(layer(x));
    EXPECT_NE(numbers(layer(x)), first);
    layer.reset_state();
    EXPECT_EQ(numbers(layer(x)), first);
    Variable zero(Array::zeros({Dtype::float32, {1, 2}}));
    layer.set_state(zero, zero);
    EXPECT_EQ(numbers(layer(x)), first);
}

TEST(Links, lstm_state_has_identity_that_others_may_assign) {
    LSTM layer(3, 2);
    Variable x = ramp({1, 3});
    std::vector<double> first = numbers(layer(x));
    layer.reset_state();
    EXPECT_FALSE(layer.c().defined());
    EXPECT_FALSE(layer.h().defined());
    layer(x).unchain_backward();
    VariableBody* identity = layer.c().body();
    EXPECT_TRUE(identity->is_state);
    layer(x).unchain_backward();
    EXPECT_EQ(layer.c().body(), identity);
    LSTM other = layer;  // A copy continues independently.
    EXPECT_EQ(numbers(other(x)), numbers(layer(x)));
    other.reset_state();
    EXPECT_EQ(numbers(other(x)), first);
    EXPECT_NE(numbers(layer(x)), first);
}

TEST(Links, sequential_pipes_links_and_functions) {
    Sequential net(Linear(4, 3), relu, Linear(2), [](const Variable& x) { return x * 2.0; });
    EXPECT_EQ(net.size(), 4u);
    EXPECT_THAT(paths(net), ElementsAre("/0/W", "/0/b", "/1/W", "/1/b"));
    Variable x = ramp({2, 4});
    auto& first = dynamic_cast<Linear&>(net[0]);
    auto& second = dynamic_cast<Linear&>(net[2]);
    Variable expected = second(relu(first(x))) * 2.0;
    expect_near(net(x), expected);
    EXPECT_THROW(net[1], ValueError);
    EXPECT_THROW(Sequential()(x), ValueError);
}

TEST(Links, sequential_copies_repeats_and_flattens) {
    Sequential block(Linear(3, 3), relu);
    Sequential copied = block;
    EXPECT_NE(copied.params()[0]->body(), block.params()[0]->body());
    EXPECT_EQ(copied.params()[0]->array().to_vector<float>(),
              block.params()[0]->array().to_vector<float>());
    Sequential deep = repeat(block, 3);
    EXPECT_EQ(deep.params().size(), 6u);
    EXPECT_NE(deep.params()[0]->array().to_vector<float>(),
              deep.params()[2]->array().to_vector<float>());
    EXPECT_EQ(deep.flatten().size(), 6u);
    EXPECT_EQ(deep.flatten().count_by_layer_type("Linear"), 3);
    EXPECT_EQ(deep.count_by_layer_type("Sequential"), 3);
    EXPECT_EQ(repeat(block, 0).size(), 0u);
    Sequential flat = deep.flatten();
    EXPECT_EQ(flat.remove_by_layer_type("Linear"), 3);
    EXPECT_EQ(flat.size(), 3u);
}

TEST(Links, chain_list_owns_numbered_links) {
    ChainList list(Linear(2, 2), EmbedID(3, 2));
    list.append(Linear(2, 4));
    EXPECT_THAT(paths(list), ElementsAre("/0/W", "/0/b", "/1/W", "/2/W", "/2/b"));
    EXPECT_EQ(list.get<Linear>(2).W.shape()[0], 4);
    try {
        list.get<Linear>(1);
        FAIL();
    } catch (const ValueError& error) {
        EXPECT_THAT(error.what(), HasSubstr("link 1 is a EmbedID"));
    }
    ChainList copied = list;
    EXPECT_NE(copied.params()[0]->body(), list.params()[0]->body());
    list.erase(0);
    EXPECT_THAT(paths(list), ElementsAre("/0/W", "/1/W", "/1/b"));
    EXPECT_EQ(list.params()[0]->name(), "/0/W");
    EXPECT_THROW(list[2], ValueError);
    EXPECT_EQ(copied.size(), 3u);
}

}  // namespace
}  // namespace catena
