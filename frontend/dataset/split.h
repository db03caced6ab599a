#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "frontend/dataset/dataset.h"

namespace catena {

/// A permutation of the indices of a dataset; none: as they are.
using Order = std::optional<std::vector<int64_t>>;

/// The first `split_at` examples of the dataset, or of its examples in `order`, and the rest.
/// ValueError outside of the dataset.
std::pair<Dataset, Dataset> split_dataset(const Dataset& dataset, int64_t split_at,
                                          Order order = {});
/// `first_size` random examples and the rest. Without a seed the choice depends on set_seed().
std::pair<Dataset, Dataset> split_dataset_random(const Dataset& dataset, int64_t first_size,
                                                 std::optional<int64_t> seed = {});
/// `n` parts of equal size; the remainder is dropped.
std::vector<Dataset> split_dataset_n(const Dataset& dataset, int64_t n, Order order = {});
/// split_dataset_n of the examples in random order; with a seed it is the same in every run.
std::vector<Dataset> split_dataset_n_random(const Dataset& dataset, int64_t n,
                                            std::optional<int64_t> seed = {});
/// Pairs of datasets for cross-validation. The dataset is divided into `n_folds` parts, whose sizes
/// differ by at most one; for each part, the pair is all other parts for training, and this part
/// for testing.
std::vector<std::pair<Dataset, Dataset>> get_cross_validation_datasets(const Dataset& dataset,
                                                                       int64_t n_folds,
                                                                       Order order = {});
/// get_cross_validation_datasets of the examples in random order; with a seed it is the same in
/// every run.
std::vector<std::pair<Dataset, Dataset>> get_cross_validation_datasets_random(
    const Dataset& dataset, int64_t n_folds, std::optional<int64_t> seed = {});

/// A permutation of 0 ... n-1, determined by the seed, or by set_seed() and the numbers drawn
/// since.
std::vector<int64_t> random_permutation(int64_t n, std::optional<int64_t> seed = {});

}  // namespace catena
