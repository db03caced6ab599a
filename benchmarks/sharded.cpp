// What does it cost, in time, that each rank updates a part of the parameters? Steps of Adam on a
// perceptron with a hidden layer, with and without MultiNodeOptimizerOptions::shard, in turn.
//     sharded [--local RANKS] [WIDTH [BATCH [ROUNDS]]]
// Without --local its ranks are processes, as `catena launch -n 4 build/bin/sharded` starts them.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "frontend/catena.h"
#include "runtime/comm/local.h"

namespace ct = catena;

namespace {

struct Sizes {
    int64_t width = 1024, batch = 64;
    int rounds = 40;
};

/// One of the two trainings.
struct Training {
    ct::Sequential net;
    ct::Adam adam;
    ct::Variable x, t;
    std::function<void()> step;
    std::vector<double> milliseconds;

    Training(const Sizes& sizes, const std::shared_ptr<ct::Communicator>& comm, bool shard,
             bool compiled)
        : net{ct::Linear(784, sizes.width), ct::relu, ct::Linear(sizes.width, sizes.width),
              ct::relu, ct::Linear(sizes.width, 10)} {
        adam.setup(net);
        ct::create_multi_node_optimizer(adam, comm, {.shard = shard});
        x = ct::Variable(ct::Array::full({ct::Dtype::float32, {sizes.batch, 784}}, 0.01), false);
        t = ct::Variable(ct::Array::full({ct::Dtype::int32, {sizes.batch}}, 3), false);
        const auto whole = [this](const ct::Variable& x, const ct::Variable& t) {
            adam.update([&] { return ct::softmax_cross_entropy(net(x), t); });
        };
        auto region =
            std::make_shared<decltype(ct::static_graph(whole, {}))>(ct::static_graph(whole, {}));
        step = [this, whole, region, compiled] { compiled ? (*region)(x, t) : whole(x, t); };
    }

    void run(ct::Communicator& comm) {
        comm.barrier();
        const auto start = std::chrono::steady_clock::now();
        step();
        milliseconds.push_back(
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
                .count());
    }
    double median() {
        std::ranges::sort(milliseconds);
        return milliseconds[milliseconds.size() / 2];
    }
    double megabytes() {
        int64_t bytes = 0;
        for (const ct::UpdateSlot& slot : adam.slots())
            for (const ct::State& moment : slot.moments)
                bytes += moment.size() * int64_t(size_of(moment.dtype()));
        return double(bytes) / 1e6;
    }
};

void compare(const Sizes& sizes, const std::shared_ptr<ct::Communicator>& comm) {
    for (const bool compiled : {false, true}) {
        ct::set_seed(1);
        Training whole(sizes, comm, false, compiled), parts(sizes, comm, true, compiled);
        for (int i = 0; i < 5; ++i) whole.run(*comm), parts.run(*comm);
        whole.milliseconds.clear();
        parts.milliseconds.clear();
        for (int i = 0; i < sizes.rounds; ++i) whole.run(*comm), parts.run(*comm);
        if (comm->rank() > 0) continue;
        const double before = whole.median(), after = parts.median();
        std::printf(
            "%d ranks, %s: whole %.2f ms, %.2f MB of moments; sharded %.2f ms, %.2f MB; "
            "ratio of times %.2f\n",
            comm->size(), compiled ? "compiled" : "eager", before, whole.megabytes(), after,
            parts.megabytes(), after / before);
        std::fflush(stdout);
    }
}

}  // namespace

int main(int argc, char** argv) {
    Sizes sizes;
    int ranks = 0, at = 1;
    if (argc > 2 && !std::strcmp(argv[1], "--local")) ranks = std::atoi(argv[2]), at = 3;
    if (at < argc) sizes.width = std::atoll(argv[at++]);
    if (at < argc) sizes.batch = std::atoll(argv[at++]);
    if (at < argc) sizes.rounds = std::atoi(argv[at++]);
    if (ranks > 0)
        ct::run_local(ranks, [&](const auto& comm) { compare(sizes, comm); });
    else
        compare(sizes, ct::create_communicator());
    return 0;
}
