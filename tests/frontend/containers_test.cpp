// What Chainer's containers do with indices and operators, results of a Classifier, files that are
// streams.
#include <sstream>

#include <gtest/gtest.h>

#include "frontend/catena.h"
#include "frontend/init/sampling_filter.h"

namespace catena::testing {
namespace {

Array ones(const Shape& shape) { return Array::full({Dtype::float32, shape}, 1); }

TEST(Sequential, replaces_removes_slices_and_turns_round) {
    Sequential net{Linear{2, 3}, relu, Linear{3, 4}};
    net.replace(1, [](const Variable& x) { return tanh(x); });
    net.replace(2, Linear{3, 5});
    EXPECT_EQ(net(Variable(ones({1, 2}))).shape(), Shape({1, 5}));
    EXPECT_EQ(net.namedlinks(true).back().first, "/1");
    const Sequential tail = net.slice(1, 3);
    EXPECT_EQ(tail.size(), 2u);
    EXPECT_EQ(tail(Variable(ones({1, 3}))).shape(), Shape({1, 5}));
    Sequential back{Linear{3, 2}, Linear{5, 3}};
    EXPECT_EQ(back.reversed()(Variable(ones({1, 5}))).shape(), Shape({1, 2}));
    net.remove(net[2]);
    EXPECT_EQ(net.size(), 2u);
    EXPECT_THROW(net.remove(back[0]), ValueError);
    EXPECT_THROW(net.replace(2, relu), ValueError);
    EXPECT_THROW(net.slice(1, 3), ValueError);
    EXPECT_THROW(net.slice(2, 1), ValueError);
}

TEST(Sequential, passes_several_variables_on) {
    struct Both : Link {
        Parameter a{2.0, Shape{}};
        Both() { add_param("a", a); }
        Variable operator()(const Variable& x, const Variable& y) const { return x * a + y; }
    };
    const auto swapped = [](const Variable& x, const Variable& y) { return std::pair(y, x); };
    Sequential net{swapped, Both(), [](const Variable& x) { return x + 1; }};
    const Variable one(ones({2})), five(Array::full({Dtype::float32, {2}}, 5));
    EXPECT_EQ(net(one, five).array().to_vector<float>(), (std::vector<float>{12, 12}));
    EXPECT_EQ(net.namedparams()[0].first, "/0/a");
    const Variable xs[] = {one, five};
    EXPECT_EQ(Sequential{swapped}.forward(xs)[0].array().to_vector<float>(),
              (std::vector<float>{5, 5}));
    EXPECT_EQ(
        Sequential(Sequential{swapped, swapped}, Both())(one, five).array().to_vector<float>(),
        (std::vector<float>{7, 7}));
    const auto message = [](auto f) {
        try {
            f();
        } catch (const ValueError& error) {
            return std::string(error.what());
        }
        return std::string("no error");
    };
    EXPECT_NE(message([&] {
                  net(one);
              }).find("Sequential: layer 0 does not take the 1 Variable that the call has"),
              std::string::npos);
    EXPECT_NE(message([&] {
                  Sequential{swapped, relu}(one, five);
              }).find("layer 1 does not take the 2 Variables that layer 0 gives"),
              std::string::npos);
    EXPECT_NE(message([&] { Sequential{swapped}(one, five); }).find("forward() returns them all"),
              std::string::npos);
}

TEST(ChainList, is_iterated_and_sliced) {
    ChainList list{Linear{2, 2}, Linear{2, 3}, Linear{3, 4}};
    std::string names;
    for (Link& link : list) names += link.name();
    EXPECT_EQ(names, "012");
    const std::vector<Link*> middle = list.slice(1, 3);
    ASSERT_EQ(middle.size(), 2u);
    EXPECT_EQ(middle[0], &list[1]);
    EXPECT_THROW(list.slice(1, 4), ValueError);
}

TEST(Classifier, keeps_its_results_when_asked) {
    Classifier model(Linear{3, 2});
    const Variable x(ones({4, 3})), t(Array::from<int32_t>({0, 1, 1, 0}), false);
    model(x, t);
    EXPECT_FALSE(model.y.defined() || model.loss.defined() || model.accuracy.defined());
    model.keep_results = true;
    const Variable loss = model(x, t);
    EXPECT_EQ(model.loss.body(), loss.body());
    EXPECT_EQ(model.y.shape(), Shape({4, 2}));
    EXPECT_EQ(model.accuracy.item<float>(), 0.5f);
    auto region = static_graph([&](const Variable& a, const Variable& b) { return model(a, b); });
    for (int i = 0; i < 3; ++i) {
        const float found = region(x, t).item<float>();
        EXPECT_EQ(model.loss.item<float>(), found);
        EXPECT_NEAR(model.y.array().to_vector<float>()[0],
                    model.predictor(x).array().to_vector<float>()[0], 1e-5);
    }
}

TEST(Classifier, takes_two_inputs_where_its_predictor_does) {
    Classifier model(
        Sequential{[](const Variable& x, const Variable& z) { return x + z; }, Linear{3, 2}});
    const Variable x(ones({4, 3})), z(ones({4, 3})), t(Array::from<int32_t>({0, 1, 1, 0}), false);
    EXPECT_EQ(model(x, z, t).item<float>(),
              softmax_cross_entropy(model.predictor(x, z), t).item<float>());
    Classifier one(Linear{3, 2});
    static_assert(
        !std::invocable<decltype(one)&, const Variable&, const Variable&, const Variable&>);
}

TEST(Gradient, begins_with_grad_inputs) {
    const Variable x(Array::from<float>({1, 2})), z(Array::from<float>({5, 5})),
        first(Array::from<float>({10, 20}));
    const Variable y = square(x);
    const Variables both = grad({y}, {x, z}, {}, {.grad_inputs = {first, first}});
    EXPECT_EQ(both[0].array().to_vector<float>(), (std::vector<float>{12, 24}));
    EXPECT_EQ(both[1].array().to_vector<float>(), (std::vector<float>{10, 20}));
    EXPECT_FALSE(grad({y}, {x, z}, {}, {.grad_inputs = {first, Variable()}})[1].defined());
    EXPECT_THROW(grad({y}, {x}, {}, {.grad_inputs = {first, first}}), ValueError);
    EXPECT_THROW(grad({y}, {x}, {}, {.grad_inputs = {Variable(Array::from<double>({1, 2}))}}),
                 ShapeError);
}

TEST(Npz, goes_through_streams) {
    Linear saved{3, 2}, loaded{3, 2};
    for (const bool compression : {false, true}) {
        std::stringstream stream;
        stream << "before";
        save_npz(stream, saved, {.compression = compression});
        std::string before(6, ' ');
        stream.read(before.data(), 6);
        EXPECT_EQ(before, "before");
        loaded.W.set_array(Array::zeros(loaded.W.type()));
        load_npz(stream, loaded);
        EXPECT_EQ(loaded.W.array().to_vector<float>(), saved.W.array().to_vector<float>());
    }
    std::stringstream arrays;
    save_npz(arrays, NamedArrays{{"a", ones({2})}});
    EXPECT_EQ(NpzFile(arrays).read("a").to_vector<float>(), (std::vector<float>{1, 1}));
}

TEST(Npz, names_the_stream_that_is_damaged) {
    std::stringstream stream;
    save_npz(stream, NamedArrays{{"a", ones({20})}});
    const std::string whole = stream.str();
    for (size_t length = 0; length < whole.size(); length += 7) {
        std::istringstream cut(whole.substr(0, length));
        Linear link{3, 2};
        try {
            load_npz(cut, link);
            FAIL() << length;
        } catch (const FileError& error) {
            EXPECT_NE(std::string(error.what()).find("the stream"), std::string::npos)
                << error.what();
        }
    }
    std::ostringstream full;
    full.setstate(std::ios::badbit);
    EXPECT_THROW(save_npz(full, NamedArrays{{"a", ones({20})}}), FileError);
}

// Numbers of Chainer 7.8.1.
TEST(SamplingFilter, are_those_of_chainer) {
    using namespace initializers;
    const Type narrow{Dtype::float32, {2, 1, 4, 4}}, square{Dtype::float32, {2, 2, 3}};
    const std::vector<float> row{0.25f, 0.75f, 0.75f, 0.25f};
    const std::vector<float> up = UpsamplingDeconvFilter()(narrow).to_vector<float>(),
                             down = DownsamplingConvFilter()(narrow).to_vector<float>();
    for (size_t i = 0; i < 32; ++i) {
        EXPECT_EQ(up[i], row[i % 4] * row[i / 4 % 4]);
        EXPECT_EQ(down[i], row[i % 4] * row[i / 4 % 4] / 4);
    }
    EXPECT_EQ(UpsamplingDeconvFilter()(square).to_vector<float>(),
              (std::vector<float>{0.5, 1, 0.5, 0, 0, 0, 0, 0, 0, 0.5, 1, 0.5}));
    EXPECT_THROW(UpsamplingDeconvFilter()({Dtype::float32, {2, 3, 3}}), ShapeError);
    EXPECT_THROW(UpsamplingDeconvFilter()({Dtype::float32, {2, 2, 3, 4}}), ShapeError);
    const Deconvolution2D layer(
        3, 1, 4, {.stride = 2, .pad = 1, .nobias = true, .initialW = UpsamplingDeconvFilter()});
    EXPECT_EQ(layer.W.array().to_vector<float>()[0], 0.0625f);
}

}  // namespace
}  // namespace catena::testing
