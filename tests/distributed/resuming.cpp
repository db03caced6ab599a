#include "tests/distributed/resuming.h"

#include <chrono>
#include <cmath>
#include <cstring>
#include <thread>

#include "frontend/catena.h"

namespace catena {
namespace {

struct DropoutNet : Chain {
    Linear l1{6, 16}, l2{16, 3};
    DropoutNet() { add_children({{"l1", l1}, {"l2", l2}}); }
    Variable operator()(const Variable& x) { return l2(dropout(tanh(l1(x)), 0.25)); }
};

Dataset sine_rows() {
    std::vector<float> x;
    std::vector<int32_t> t;
    for (int row = 0; row < 48; ++row) {
        for (int i = 0; i < 6; ++i) x.push_back(float(std::sin(double(row * 17 + i * 3))));
        t.push_back(row % 3);
    }
    return Dataset({Array::from(x, {48, 6}), Array::from(t, {48})});
}

uint64_t bits_of(Link& model) {
    uint64_t sum = 0;
    for (Parameter* p : model.params())
        for (const float v : p->array().to_vector<float>()) {
            uint32_t bits;
            std::memcpy(&bits, &v, sizeof bits);
            sum = sum * 31 + bits;
        }
    return sum;
}

}  // namespace

uint64_t train_and_resume(const std::shared_ptr<Communicator>& comm,
                          const ResumedTraining& training) {
    const Dataset mine = scatter_dataset(sine_rows(), *comm, {.shuffle = true, .seed = 0});
    set_seed(training.seed);
    Classifier model{DropoutNet()};
    Adam adam(0.01);
    adam.setup(model);
    create_multi_node_optimizer(adam, comm);
    SerialIterator batches(mine, 5);
    StandardUpdater updater(batches, adam, model, {.static_graph = training.compiled});
    Trainer trainer(updater, {training.iterations, "iteration"}, training.folder);
    trainer.extend(
        multi_node_snapshot(comm, extensions::SnapshotOptions{.n_retains = 3, .autoload = true}),
        {.trigger = {2, "iteration"}});
    const auto pause = [&](Trainer&) {
        std::this_thread::sleep_for(std::chrono::milliseconds(training.pause));
    };
    trainer.extend(pause, {.name = "pause", .trigger = {1, "iteration"}});
    trainer.run();
    return bits_of(model);
}

}  // namespace catena
