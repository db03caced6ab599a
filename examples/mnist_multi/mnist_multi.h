#pragma once

#include <catena/catena.h>

#include <filesystem>
#include <memory>
#include <string>

namespace ct = catena;
namespace fs = std::filesystem;

struct MLP : ct::Chain {
    ct::Linear l1, l2, l3;
    explicit MLP(int64_t units) : l1(784, units), l2(units, units), l3(units, 10) {
        add_children({{"l1", l1}, {"l2", l2}, {"l3", l3}});
    }
    ct::Variable operator()(const ct::Variable& x) { return l3(ct::relu(l2(ct::relu(l1(x))))); }
};

struct Options {
    std::string communicator = "auto";
    int64_t local = 0, batch_size = 100, epochs = 20, units = 1000, seed = 0;
    std::string out = "result", resume;
    bool trainer = false, eager = false, double_buffering = false, no_overlap = false;
    std::string data, url;
    std::string device = "cpu";
};

/// This rank's parts of what rank 0 has read.
struct Sets {
    ct::Dataset training, test;
};

void train_by_hand(const Options& options, const std::shared_ptr<ct::Communicator>& comm,
                   const Sets& sets);
void train_with_trainer(const Options& options, const std::shared_ptr<ct::Communicator>& comm,
                        const Sets& sets);

/// What the communicator has moved; rank 0 prints it.
void print_statistics(ct::Communicator& comm, double images, double seconds);
