#pragma once

#include <catena/catena.h>

#include <algorithm>
#include <memory>

#include "cifar/vgg.h"

/// VGG whose channels are divided among the ranks: each rank computes its own channels of every
/// layer from those of all ranks, which are gathered after each. All ranks are called with the same
/// pictures and get the same scores. The objective that backward minimises is then the sum of the
/// losses of all ranks: `loss / comm.size()` is the loss of one.
///
/// No parameter is on two ranks, so that no gradients need to be averaged. ValueError unless the
/// ranks divide the channels.
struct ParallelVGG : catena::Chain {
    std::shared_ptr<catena::Communicator> comm;
    catena::ChainList blocks;
    catena::Linear fc1, fc2;
    catena::BatchNormalization bn_fc1;
    double dropout;
    ParallelVGG(std::shared_ptr<catena::Communicator> communicator, int64_t class_labels,
                int64_t width, double dropout)
        : comm(std::move(communicator)),
          fc1(std::nullopt, own(8 * width), {.nobias = true}),
          fc2(std::nullopt, class_labels, {.nobias = true}),
          bn_fc1(own(8 * width)),
          dropout(dropout) {
        for (const VGG::Stage& stage : VGG::stages)
            for (int i = 0; i < stage.blocks; ++i)
                blocks.append(Block(own(stage.multiple * width), 3));
        add_children({{"blocks", blocks}, {"fc1", fc1}, {"bn_fc1", bn_fc1}, {"fc2", fc2}});
    }
    catena::Variable operator()(const catena::Variable& x) {
        catena::Variable h = x;
        size_t next = 0;
        for (const VGG::Stage& stage : VGG::stages)
            for (int i = 0; i < stage.blocks; ++i) {
                h = blocks.get<Block>(next++)(h);
                h = i + 1 < stage.blocks ? catena::dropout(h, dropout * stage.dropped)
                                         : catena::max_pooling_2d(h, 2, {.stride = 2});
                h = gathered(h);
            }
        h = catena::dropout(catena::relu(bn_fc1(fc1(h))), dropout * 0.5);
        return catena::parallel::allreduce(
            *comm, fc2(h));  // fc2 sees its rank's units only: a part of each score
    }

private:
    int64_t own(int64_t channels) const {
        if (channels % comm->size() != 0)
            catena::fail<catena::ValueError>(
                "parallel_convolution: {} ranks cannot divide {} channels evenly (--width)",
                comm->size(), channels);
        return channels / comm->size();
    }
    catena::Variable gathered(const catena::Variable& h) const {
        return catena::concat(catena::parallel::allgather(*comm, h), 1);
    }
};
