// Weights of convolutions that the library keeps in its own layout follow every change of the
// weights.
#include <filesystem>

#include <gtest/gtest.h>

#include "runtime/cpu/onednn/packed.h"
#include "tests/frontend/capture_models.h"

namespace catena::testing {
namespace {

Variable image(int number) { return reshape(batch(number, 16, 64), {1, 16, 8, 8}); }

struct Net : Chain {
    Convolution2D conv{16, 16, 3, {.pad = {1}}};
    BatchNormalization norm{16};
    Net() { add_children({{"conv", conv}, {"norm", norm}}); }
    Variable operator()(const Variable& x) { return relu(norm(conv(x))); }
};

/// Calls in test mode with `change(i, net)` before each, i counting from 0.
template <class Change>
void expect_follows(Change change, const StaticGraphOptions& options = {}) {
    const int64_t before = onednn::packed_uses();
    expect_same([&](Side& side) {
        Net net;
        auto infer = side.region(
            [&](const Variable& x) {
                auto test = using_config(&Config::train, false);
                auto silent = no_backprop_mode();
                return net(x);
            },
            options);
        for (int i = 0; i < 40; ++i) {
            side.call(i);
            change(i, net);
            side.saw("y", infer(image(i)));
        }
    });
    EXPECT_GT(onednn::packed_uses(), before) << "so this tests nothing";
}

TEST(PackedWeights, are_used_in_inference) {
    expect_follows([](int, Net&) {});
}

TEST(PackedWeights, follow_an_optimizer) {
    SGD sgd(0.1);
    const Net* of = nullptr;
    expect_follows([&](int i, Net& net) {
        if (std::exchange(of, &net) != &net || i == 0) sgd.setup(net);
        if (i % 13 == 12) learn(net, sgd, sum(square(net(image(100 + i)))));
    });
}

TEST(PackedWeights, follow_new_arrays_and_elements_that_the_host_writes) {
    expect_follows([](int i, Net& net) {
        Parameter& W = net.conv.W;
        if (i == 11) W.set_array((W * 0.5).array());
        if (i == 22) W.array().data<float>()[7] += 1;
        if (i == 25) W.set_array(W.array().astype(Dtype::float64).astype(Dtype::float32));
        if (i == 36) copy_elements((W * -1.0).array(), W.array());
    });
}

TEST(PackedWeights, follow_a_file_that_is_loaded) {
    const auto file = std::filesystem::path(::testing::TempDir()) / "catena_packed_weights.npz";
    Net other;
    other(image(50));
    save_npz(file.string(), other);
    expect_follows([&](int i, Net& net) {
        if (i == 10) save_npz(file.string() + ".copy", net);  // Reading them changes nothing.
        if (i == 20) load_npz(file.string(), net);
    });
    std::filesystem::remove(file);
    std::filesystem::remove(file.string() + ".copy");
}

TEST(PackedWeights, of_a_step_that_reads_them_often_and_writes_over_them) {
    expect_same([](Side& side) {
        Net net;
        SGD sgd(0.01);
        sgd.setup(net);
        auto step = side.region([&](const Variable& x) {
            Variable h = x;
            for (int k = 0; k < 8; ++k) h = tanh(net.conv(h));
            Variable loss = mean(square(h));
            learn(net, sgd, loss);
            return loss;
        });
        for (int i = 0; i < 12; ++i) {
            side.call(i);
            side.saw("loss", step(image(i)));
            side.saw("net", net);
        }
    });
}

}  // namespace
}  // namespace catena::testing
