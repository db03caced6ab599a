#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "frontend/dataset/dataset.h"
#include "frontend/dataset/order_sampler.h"
#include "runtime/comm/communicator.h"

namespace catena {

/// Options of scatter_dataset.
struct ScatterOptions {
    /// The rank that has the dataset.
    int root = 0;
    /// Whether the examples are shuffled before they are divided.
    bool shuffle = false;
    /// The seed of the shuffle; by default the process's random state.
    std::optional<int64_t> seed = {};
    /// Whether every rank gets ceil(n / size) rows, some of them on two ranks. False: disjoint
    /// rows, one more on the first n % size ranks.
    bool force_equal_length = true;
    /// Whether every rank gives the same dataset, and takes its rows of its own: nothing but the
    /// seed is sent. ValueError on every rank if the ranks' datasets differ in size.
    bool on_every_rank = false;
};

/// The range [first, second) of root's `n` rows that belongs to this rank.
std::pair<int64_t, int64_t> scatter_index(int64_t n, Communicator& communicator, int root = 0,
                                          bool force_equal_length = true);

/// This rank's rows of root's dataset, a list of arrays with equally many rows; other ranks'
/// `columns` are ignored, unless they have the dataset, too (options.on_every_rank). ValueError on
/// every rank when the columns do not match.
std::vector<Array> scatter_dataset(const std::vector<Array>& columns, Communicator& communicator,
                                   const ScatterOptions& options = {});

/// This rank's part of root's dataset: tuples stay tuples, and examples may have different shapes.
/// Ranks other than root pass none, or with options.on_every_rank the same dataset, whose examples
/// are then read only when they are used.
Dataset scatter_dataset(const std::optional<Dataset>& dataset, Communicator& communicator,
                        const ScatterOptions& options = {});

/// Options of create_multi_node_order_sampler.
struct MultiNodeOrderOptions {
    /// The rank that has the seed.
    int root = 0;
    /// The seed of all orders; by default drawn from root's random state.
    std::optional<int64_t> seed = {};
    /// Whether the rest of n / size examples is left out of an epoch; false: examples of its
    /// beginning fill it up.
    bool drop_last = false;
};

/// An order sampler for iterators over a dataset of n examples that every rank has whole: in every
/// epoch the ranks divide a new order of all examples among themselves. PyTorch's
/// DistributedSampler does so where set_epoch() is called; here nothing is to be called, and a
/// resumed training goes on with the orders that were to come.
///
///     ct::SerialIterator batches(dataset, 100, {.order_sampler =
///         ct::create_multi_node_order_sampler(dataset.size(), *comm)});
///
/// ValueError on every rank if n or the options differ.
OrderSampler create_multi_node_order_sampler(int64_t n, Communicator& communicator,
                                             const MultiNodeOrderOptions& options = {});

/// Root's seed on every rank, or if it gives none, a number drawn from its random state.
int64_t agreed_seed(Communicator& communicator, std::optional<int64_t> seed, int root = 0);

/// A dataset of the same size whose examples are empty tuples: for ranks that take part in a model
/// without own data.
Dataset create_empty_dataset(const Dataset& dataset);

}  // namespace catena
