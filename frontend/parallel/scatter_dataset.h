#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "frontend/dataset/dataset.h"
#include "runtime/comm/communicator.h"

namespace catena {

struct ScatterOptions {
    int root = 0;
    bool shuffle = false;
    std::optional<int64_t> seed =
        {};  ///< Of the shuffle; this process's random numbers unless given.
    /// Every rank gets ceil(n / size) rows, so that some are on two ranks; otherwise the first n %
    /// size ranks get one more.
    bool force_equal_length = true;
};

/// Rows [first, second) of root's `n` belong to this rank.
std::pair<int64_t, int64_t> scatter_index(int64_t n, Communicator& communicator, int root = 0,
                                          bool force_equal_length = true);

/// This rank's rows of root's dataset, a list of arrays with equally many rows; elsewhere `columns`
/// is not looked at. ValueError on every rank when the columns do not fit.
std::vector<Array> scatter_dataset(const std::vector<Array>& columns, Communicator& communicator,
                                   const ScatterOptions& options = {});

/// The same of a dataset whose examples have equal shapes: tuples stay tuples. Elsewhere than at
/// root nothing is given.
Dataset scatter_dataset(const std::optional<Dataset>& dataset, Communicator& communicator,
                        const ScatterOptions& options = {});

/// As long as `dataset`, every example an empty tuple: for ranks that take part in a model without
/// data of their own.
Dataset create_empty_dataset(const Dataset& dataset);

}  // namespace catena
