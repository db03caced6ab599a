// Trains a small network on 8x8 digits and saves two programs: one that classifies, one that does a
// training step.
#include <catena/catena.h>

#include <cstdio>
#include <numeric>
#include <random>

#include "support/optdigits.h"

namespace ct = catena;

struct Net : ct::Chain {
    ct::Linear l1{64, 64}, l2{64, 10};
    Net() { add_children({{"l1", l1}, {"l2", l2}}); }
    ct::Variable operator()(const ct::Variable& x) { return l2(ct::relu(l1(x))); }
};

int main(int argc, char** argv) {
    if (argc != 2) return std::fprintf(stderr, "usage: deploy_c FOLDER\n"), 1;
    const std::string folder = argv[1];
    try {
        ct::set_seed(0);
        const Digits train = read_optdigits(DIGITS_DATA "/optdigits.tra");
        Net net;
        ct::Adam adam;
        adam.setup(net);
        auto step = ct::static_graph(
            [&](const ct::Variable& x, const ct::Variable& t) {
                ct::Variable loss = ct::softmax_cross_entropy(net(x), t);
                net.cleargrads();
                loss.backward();
                adam.update();
                return loss;
            },
            {.name = "train_digits"});

        std::vector<int64_t> order(train.size());
        std::iota(order.begin(), order.end(), 0);
        std::mt19937 random(0);
        constexpr int64_t batch_size = 32;
        for (int epoch = 0; epoch < 8; ++epoch) {
            std::shuffle(order.begin(), order.end(), random);
            for (int64_t begin = 0; begin + batch_size <= train.size(); begin += batch_size) {
                const Batch batch = take_batch(train, order, begin, begin + batch_size);
                step(ct::reshape(batch.x, {-1, 64}), batch.t);
            }
        }
        step.save(folder + "/train_digits.catena",
                  {.input_names = {"pixels", "digits"}, .output_names = {"loss"}});

        const auto test_mode = ct::using_config(&ct::Config::train, false);
        const auto no_graph = ct::no_backprop_mode();
        auto classify = ct::static_graph([&](const ct::Variable& x) { return ct::softmax(net(x)); },
                                         {.name = "classify_digits"});
        const Batch batch = take_batch(train, order, 0, batch_size);
        classify(ct::reshape(batch.x, {-1, 64}));
        classify.save(folder + "/classify_digits.catena", {.input_names = {"pixels"},
                                                           .output_names = {"probabilities"},
                                                           .open_sizes = {{0, 0, "batch"}}});
    } catch (const ct::Error& error) {
        return std::fprintf(stderr, "deploy_c: %s\n", error.what()), 1;
    }
    return 0;
}
