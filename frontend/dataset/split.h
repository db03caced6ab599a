#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "frontend/dataset/dataset.h"

namespace catena {

using Order = std::optional<std::vector<int64_t>>;

/// The first `split_at` examples, in `order` if there is one, and the rest. ValueError outside of the dataset.
std::pair<Dataset, Dataset> split_dataset(const Dataset& dataset, int64_t split_at, Order order = {});
/// `first_size` random examples and the rest. Without a seed the draw follows set_seed().
std::pair<Dataset, Dataset> split_dataset_random(const Dataset& dataset, int64_t first_size,
                                                 std::optional<int64_t> seed = {});
/// `n` parts of equal size; what is left over is in none.
std::vector<Dataset> split_dataset_n(const Dataset& dataset, int64_t n, Order order = {});
std::vector<Dataset> split_dataset_n_random(const Dataset& dataset, int64_t n, std::optional<int64_t> seed = {});
/// For each of `n_folds` parts (whose sizes differ by one at most) the other parts to train on, and the part to test on.
std::vector<std::pair<Dataset, Dataset>> get_cross_validation_datasets(const Dataset& dataset, int64_t n_folds,
                                                                       Order order = {});
std::vector<std::pair<Dataset, Dataset>> get_cross_validation_datasets_random(const Dataset& dataset, int64_t n_folds,
                                                                              std::optional<int64_t> seed = {});

/// 0 ... n-1 in a random order: a function of the seed, or of set_seed() and of how much was drawn since.
std::vector<int64_t> random_permutation(int64_t n, std::optional<int64_t> seed = {});

}  // namespace catena
