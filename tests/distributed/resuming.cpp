#include "tests/distributed/resuming.h"

#include <chrono>
#include <cmath>
#include <cstring>
#include <fstream>
#include <numeric>
#include <optional>
#include <span>
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
    for (int64_t row = 0; row < resumed_rows; ++row) {
        for (int i = 0; i < 6; ++i) x.push_back(float(std::sin(double(row * 17 + i * 3))));
        t.push_back(int32_t(row % 3));
    }
    return Dataset({Array::from(x, {resumed_rows, 6}), Array::from(t, {resumed_rows})});
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

/// Rows that are noted when they are read, and written when a batch is made of them.
class NotedRows {
public:
    NotedRows(Communicator& comm, const std::string& folder)
        : file_(folder + "/rows." + std::to_string(comm.rank()), std::ios::app) {
        const auto now = std::chrono::system_clock::now().time_since_epoch().count();
        start_ = comm.bcast_bytes(std::to_string(now));
    }
    Dataset of(const Dataset& dataset) {
        std::vector<int64_t> numbers(size_t(dataset.size()));
        std::iota(numbers.begin(), numbers.end(), 0);
        const Dataset all(Array::from(numbers, {dataset.size()}));
        return TransformDataset(all, [this, dataset](const Example& number) {
            read_.push_back(number[0].item<int64_t>());
            return dataset[read_.back()];
        });
    }
    Batch batch(std::span<const Example> examples, int64_t iteration) {
        file_ << start_ << " " << iteration;
        for (const int64_t row : read_) file_ << " " << row;
        file_ << std::endl;
        read_.clear();
        return concat_examples(examples);
    }

private:
    std::ofstream file_;
    std::string start_;
    std::vector<int64_t> read_;
};

}  // namespace

uint64_t train_and_resume(const std::shared_ptr<Communicator>& comm,
                          const ResumedTraining& training) {
    Dataset mine = sine_rows();
    IteratorOptions order;
    std::optional<NotedRows> noted;
    const Updater* counted = nullptr;
    StandardUpdaterOptions options{.static_graph = training.compiled};
    int64_t batch_size = 5;
    if (training.divided) {
        mine = noted.emplace(*comm, training.folder).of(mine);
        batch_size = 12 / comm->size();
        order.order_sampler = create_multi_node_order_sampler(mine.size(), *comm, {.seed = 8});
        options.converter = [&](std::span<const Example> examples) {
            return noted->batch(examples, counted->iteration() + 1);
        };
    } else {
        mine = scatter_dataset(mine, *comm, {.shuffle = true, .seed = 0});
    }
    set_seed(training.seed);
    Classifier model{DropoutNet()};
    Adam adam(0.01);
    adam.setup(model);
    create_multi_node_optimizer(adam, comm);
    SerialIterator batches(mine, batch_size, order);
    StandardUpdater updater(batches, adam, model, std::move(options));
    counted = &updater;
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
