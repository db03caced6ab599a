#include "frontend/dataset/split.h"

#include <numeric>

#include "frontend/dataset/datasets.h"
#include "frontend/dataset/order_sampler.h"
#include "runtime/core/random/seed.h"
#include "runtime/core/system/error.h"

namespace catena {

/// The parts between neighbouring cuts; they share one order.
std::vector<Dataset> split_between(const Dataset& dataset, const std::vector<int64_t>& cuts,
                                   Order order) {
    SubDataset whole(dataset, 0, dataset.size(), std::move(order));
    std::vector<Dataset> parts;
    for (size_t k = 1; k < cuts.size(); ++k)
        parts.emplace_back(SubDataset(dataset, cuts[k - 1], cuts[k], whole.order_));
    return parts;
}

std::vector<int64_t> random_permutation(int64_t n, std::optional<int64_t> seed) {
    return permutation(n, seed ? RandomStream{uint64_t(*seed), 0} : next_host_stream(), 0);
}

std::pair<Dataset, Dataset> split_dataset(const Dataset& dataset, int64_t split_at, Order order) {
    if (split_at < 0 || split_at > dataset.size())
        fail<ValueError>("split_dataset: {} is not within a dataset of {}", split_at,
                         dataset.size());
    auto parts = split_between(dataset, {0, split_at, dataset.size()}, std::move(order));
    return {parts[0], parts[1]};
}

std::pair<Dataset, Dataset> split_dataset_random(const Dataset& dataset, int64_t first_size,
                                                 std::optional<int64_t> seed) {
    return split_dataset(dataset, first_size, random_permutation(dataset.size(), seed));
}

std::vector<Dataset> split_dataset_n(const Dataset& dataset, int64_t n, Order order) {
    if (n <= 0 || n > dataset.size())
        fail<ValueError>("split_dataset_n: {} parts of a dataset of {}; 1 to {} are possible", n,
                         dataset.size(), dataset.size());
    std::vector<int64_t> cuts;
    for (int64_t k = 0; k <= n; ++k) cuts.push_back(k * (dataset.size() / n));
    return split_between(dataset, cuts, std::move(order));
}

std::vector<Dataset> split_dataset_n_random(const Dataset& dataset, int64_t n,
                                            std::optional<int64_t> seed) {
    return split_dataset_n(dataset, n, random_permutation(dataset.size(), seed));
}

std::vector<std::pair<Dataset, Dataset>> get_cross_validation_datasets(const Dataset& dataset,
                                                                       int64_t n_folds,
                                                                       Order order) {
    if (n_folds < 2 || n_folds > dataset.size())
        fail<ValueError>(
            "get_cross_validation_datasets: {} folds of a dataset of {}; 2 to {} are possible",
            n_folds, dataset.size(), dataset.size());
    std::vector<int64_t> cuts;
    for (int64_t k = 0; k <= n_folds; ++k) cuts.push_back(k * dataset.size() / n_folds);
    std::vector<Dataset> parts = split_between(dataset, cuts, std::move(order));
    std::vector<std::pair<Dataset, Dataset>> folds;
    for (size_t k = 0; k < parts.size(); ++k) {
        std::vector<Dataset> others = parts;
        others.erase(others.begin() + std::ptrdiff_t(k));
        folds.emplace_back(ConcatenatedDataset(std::move(others)), parts[k]);
    }
    return folds;
}

std::vector<std::pair<Dataset, Dataset>> get_cross_validation_datasets_random(
    const Dataset& dataset, int64_t n_folds, std::optional<int64_t> seed) {
    return get_cross_validation_datasets(dataset, n_folds,
                                         random_permutation(dataset.size(), seed));
}

}  // namespace catena
