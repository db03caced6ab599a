// CaffeFunction as a link: which layers run, its parameters, its copies.
#include "frontend/catena.h"
#include "tests/caffe/net_file.h"

namespace catena::testing {
namespace {

/// x -> fc (3 inputs, 2 outputs) -> relu in place -> loss with t.
NetFile small_net() {
    NetFile file;
    auto& fc = file.add("InnerProduct", "fc/one", {"x"});
    fc.set_top(0, "fc");
    NetFile::add_blob(fc, {2, 3}, {1, 2, 3, -1, -2, -3});
    NetFile::add_blob(fc, {2}, {0.5, 0.25});
    file.add("ReLU", "relu", {"fc"}).set_top(0, "fc");
    file.add("SoftmaxWithLoss", "loss", {"fc", "t"});
    file.add("Python", "mystery", {"fc"});
    return file;
}
const Variable ones(Array::full({Dtype::float32, {1, 3}}, 1), false);

TEST(CaffeFunction, runs_the_layers_that_have_their_bottoms) {
    const auto net = small_net().load();
    const auto blobs = net.blobs({{"x", ones}});
    EXPECT_EQ(blobs.size(), 2u);
    expect_close(blobs.at("fc"), {1, 2}, {6.5, 0});
    EXPECT_EQ(net.inputs(), (std::vector<std::string>{"x", "t"}));
    EXPECT_EQ(net.results({"x"}), std::vector<std::string>{"fc"});
    EXPECT_EQ(net.results({"x", "t"}), std::vector<std::string>{"loss"});
    EXPECT_EQ(net.skipped().at(0).type, "Python");
}

TEST(CaffeFunction, leaves_out_layers_that_are_disabled) {
    const auto net = small_net().load();
    expect_close(net({{"x", ones}}, {"fc"}, {"relu"})[0], {1, 2}, {6.5, -5.75});
    const Variable given(Array::from(std::vector<float>{-1, 2}, {1, 2}), false);
    expect_close(net({{"fc", given}}, {"fc"})[0], {1, 2}, {0, 2});
    expect_close(net.forward("relu", {given})[0], {1, 2}, {0, 2});
}

std::string message_of(const std::function<void()>& f) {
    try {
        f();
    } catch (const ValueError& error) {
        return error.what();
    }
    return "no ValueError";
}

TEST(CaffeFunction, says_why_an_output_is_missing) {
    const auto net = small_net().load();
    EXPECT_NE(message_of([&] { net({{"x", ones}}, {"loss"}); }).find("'t' was not given"),
              std::string::npos);
    EXPECT_NE(message_of([&] { net({}, {"loss"}); }).find("'x' was not given"), std::string::npos);
    EXPECT_NE(message_of([&] {
                  net({{"x", ones}}, {"fd"});
              }).find("no layer writes it; the inputs of the network are 'x', 't'"),
              std::string::npos);
    EXPECT_NE(message_of([&] { net({{"x", ones}}, {"fc"}, {"fc/one", "relu"}); }).find("'fc'"),
              std::string::npos);
    EXPECT_NE(message_of([&] { net.forward("none", {}); }).find("has no layer 'none'"),
              std::string::npos);
    EXPECT_NE(message_of([&] { net["none"]; }).find("it has 'fc/one'"), std::string::npos);
}

TEST(CaffeFunction, parameters_are_named_by_layer_and_learn) {
    auto net = small_net().load();
    std::vector<std::string> paths;
    for (const auto& [path, parameter] : net.namedparams()) paths.push_back(path);
    EXPECT_EQ(paths, (std::vector<std::string>{"/fc/one/W", "/fc/one/b"}));
    auto copy = net;
    SGD sgd(0.1);
    sgd.setup(net);
    const Variable t(Array::from(std::vector<int32_t>{1}, {1}), false);
    float losses[2];
    for (float& value : losses) {
        const Variable loss = net({{"x", ones}, {"t", t}}, {"loss"})[0];
        value = loss.item<float>();
        net.cleargrads();
        loss.backward();
        sgd.update();
    }
    EXPECT_LT(losses[1], losses[0]);
    expect_close(copy({{"x", ones}}, {"fc"})[0], {1, 2}, {6.5, 0});
    net.copyparams(copy);
    expect_close(net({{"x", ones}}, {"fc"})[0], {1, 2}, {6.5, 0});
}

TEST(CaffeFunction, is_saved_like_any_link) {
    const std::string path = caffe_folder() + "_params.npz";
    const NetFile file = small_net();
    auto net = file.load();
    net["fc/one"].params()[0]->set_array(Array::zeros({Dtype::float32, {2, 3}}));
    save_npz(path, net);
    auto other = file.load();
    load_npz(path, other);
    expect_close(other({{"x", ones}}, {"fc"})[0], {1, 2}, {0.5, 0.25});
    std::filesystem::remove(path);
}

}  // namespace
}  // namespace catena::testing
