#pragma once

#include <catena/catena.h>

#include "support/pictures.h"

/// Pictures [n, 3, 32, 32] in [0, 1] to the scores of ten shapes.
struct SmallNetwork : catena::Chain {
    catena::Convolution2D conv1{3, 16, 3, {.pad = 1}}, conv2{16, 32, 3, {.pad = 1}},
        conv3{32, 64, 3, {.pad = 1}};
    catena::Linear fc{64 * 4 * 4, 10};
    SmallNetwork() {
        add_children({{"conv1", conv1}, {"conv2", conv2}, {"conv3", conv3}, {"fc", fc}});
    }
    catena::Variable operator()(const catena::Variable& x) {
        using namespace catena;
        Variable h = max_pooling_2d(relu(conv1(x)), 2, {.stride = 2});
        h = max_pooling_2d(relu(conv2(h)), 2, {.stride = 2});
        return fc(max_pooling_2d(relu(conv3(h)), 2, {.stride = 2}));
    }
};

/// Trains the network on shapes that are made up. Returns its accuracy in the last epoch.
inline double train_on_shapes(SmallNetwork& network, int64_t epochs) {
    namespace ct = catena;
    const examples::Pictures shapes = examples::made_up_pictures(2000, 1);
    ct::SerialIterator batches(ct::TupleDataset(shapes.images, shapes.labels), 50);
    ct::Adam optimizer(0.002);
    optimizer.setup(network);
    auto step = ct::static_graph(
        [&](const ct::Variable& x, const ct::Variable& t) {
            const ct::Variable y = network(x), loss = ct::softmax_cross_entropy(y, t);
            network.cleargrads();
            loss.backward();
            optimizer.update();
            return ct::accuracy(y, t);
        },
        "shapes_step");
    double sum = 0, count = 0;
    while (batches.epoch() < epochs) {
        if (batches.is_new_epoch()) sum = count = 0;
        const auto batch = *batches.next_batch(&ct::current_device());
        sum += step(batch[0], batch[1]).item<double>();
        ++count;
    }
    return count > 0 ? sum / count : 0;
}
