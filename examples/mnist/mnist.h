#pragma once

#include <catena/catena.h>

#include <string>

#include "support/example.h"

struct MLP : catena::Chain {
    catena::Linear l1, l2, l3;
    explicit MLP(int64_t units) : l1(units), l2(units), l3(10) {
        add_children({{"l1", l1}, {"l2", l2}, {"l3", l3}});
    }
    catena::Variable operator()(const catena::Variable& x) {
        return l3(catena::relu(l2(catena::relu(l1(x)))));
    }
};

struct Options {
    int64_t batch_size = 100;
    int64_t epochs = 20;
    int64_t units = 1000;
    std::string out = "result";
    std::string resume;
};

/// A loop written out: mini-batches, a compiled step, evaluation, the table, saving and resuming.
void train_by_hand(examples::Example& example, const Options& options,
                   const catena::Dataset& training, const catena::Dataset& test);
/// The same training by a Trainer and its extensions.
void train_with_trainer(examples::Example& example, const Options& options,
                        const catena::Dataset& training, const catena::Dataset& test);
