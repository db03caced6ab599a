#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "frontend/dataset/dataset.h"
#include "runtime/comm/communicator.h"

namespace catena {

/// Options of scatter_dataset.
struct ScatterOptions {
    /// The rank whose dataset it is.
    int root = 0;
    /// Whether the examples are shuffled before they are divided.
    bool shuffle = false;
    /// The seed of the shuffle; by default the process's random state.
    std::optional<int64_t> seed = {};
    /// Whether every rank gets ceil(n / size) rows, some of them on two ranks. False: disjoint
    /// rows, one more on the first n % size ranks.
    bool force_equal_length = true;
};

/// The range [first, second) of root's `n` rows that belongs to this rank.
std::pair<int64_t, int64_t> scatter_index(int64_t n, Communicator& communicator, int root = 0,
                                          bool force_equal_length = true);

/// This rank's rows of root's dataset, a list of arrays with equally many rows; other ranks'
/// `columns` are ignored. ValueError on every rank when the columns do not match.
std::vector<Array> scatter_dataset(const std::vector<Array>& columns, Communicator& communicator,
                                   const ScatterOptions& options = {});

/// This rank's part of root's dataset: tuples stay tuples, and examples may have different shapes.
/// Ranks other than root pass none.
Dataset scatter_dataset(const std::optional<Dataset>& dataset, Communicator& communicator,
                        const ScatterOptions& options = {});

/// A dataset of the same size whose examples are empty tuples: for ranks that take part in a model
/// without own data.
Dataset create_empty_dataset(const Dataset& dataset);

}  // namespace catena
