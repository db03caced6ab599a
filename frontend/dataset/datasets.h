#pragma once

#include <optional>

#include "frontend/dataset/dataset.h"

namespace catena {

/// A dataset of tuples: one example of each of several datasets. Examples that are tuples
/// themselves are flattened.
class TupleDataset final : public DatasetMixin {
public:
    /// Joins datasets. ValueError unless there is at least one and all have equal size.
    explicit TupleDataset(std::vector<Dataset> datasets);
    template <class... D>
        requires(sizeof...(D) > 0 && (std::convertible_to<D, Dataset> && ...))
    explicit TupleDataset(const D&... datasets)
        : TupleDataset(std::vector<Dataset>{Dataset(datasets)...}) {}
    int64_t size() const override;
    Example get_example(int64_t i) const override;
    std::string described(int64_t i) const override;

private:
    std::vector<Dataset> datasets_;
};

/// A dataset of dicts: one example of each of several datasets, under that dataset's name.
class DictDataset final : public DatasetMixin {
public:
    /// Joins datasets with their names. ValueError unless there is at least one, all have equal
    /// size, and each name occurs once.
    explicit DictDataset(std::vector<std::pair<std::string, Dataset>> datasets);
    int64_t size() const override;
    Example get_example(int64_t i) const override;

private:
    std::vector<std::string> keys_;
    std::vector<Dataset> datasets_;
};

/// Several datasets one after the other, as one.
class ConcatenatedDataset final : public DatasetMixin {
public:
    /// Joins datasets, in this order.
    explicit ConcatenatedDataset(std::vector<Dataset> datasets);
    int64_t size() const override;
    Example get_example(int64_t i) const override;
    std::string described(int64_t i) const override;

private:
    std::pair<const Dataset&, int64_t> place(int64_t i) const;
    std::vector<Dataset> datasets_;
    std::vector<int64_t> ends_;
};

/// A dataset of transform(example) for every example of another one, computed on access.
class TransformDataset final : public DatasetMixin {
public:
    /// Calls `transform` on each example of the dataset, each time that it is read.
    TransformDataset(Dataset dataset, std::function<Example(const Example&)> transform);
    int64_t size() const override { return dataset_.size(); }
    /// The transformed example; an error of the transform says which example it was given.
    Example get_example(int64_t i) const override;
    std::string described(int64_t i) const override { return dataset_.described(i); }

private:
    Dataset dataset_;
    std::function<Example(const Example&)> transform_;
};

/// A part of a dataset as a dataset: examples start, ..., finish - 1 of `dataset`, or of its
/// examples in `order`.
class SubDataset final : public DatasetMixin {
public:
    /// Takes the part. ValueError unless 0 <= start <= finish <= size, and `order` has one index
    /// for each example.
    SubDataset(Dataset dataset, int64_t start, int64_t finish,
               std::optional<std::vector<int64_t>> order = {});
    int64_t size() const override { return finish_ - start_; }
    Example get_example(int64_t i) const override;
    std::string described(int64_t i) const override;

private:
    SubDataset(Dataset dataset, int64_t start, int64_t finish,
               std::shared_ptr<const std::vector<int64_t>> order);
    friend std::vector<Dataset> split_between(const Dataset& dataset,
                                              const std::vector<int64_t>& cuts,
                                              std::optional<std::vector<int64_t>> order);
    int64_t place(int64_t i) const;
    Dataset dataset_;
    int64_t start_, finish_;
    std::shared_ptr<const std::vector<int64_t>> order_;
};

}  // namespace catena
