#pragma once

#include <concepts>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "frontend/dataset/example.h"

namespace catena {

/// Base of datasets. Derive from it and define example `i`:
///
///     struct Squares : ct::DatasetMixin {
///         int64_t size() const override { return 100; }
///         ct::Example get_example(int64_t i) const override { return ct::Array::scalar(float(i *
///         i)); }
///     };
///
/// get_example is called by several threads at once when a MultithreadIterator reads the dataset.
class DatasetMixin {
public:
    virtual ~DatasetMixin() = default;
    /// The number of examples.
    virtual int64_t size() const = 0;
    /// Example i, with 0 <= i < size().
    virtual Example get_example(int64_t i) const = 0;
    /// The name of example i in errors: "example 3", and its file where it has one.
    virtual std::string described(int64_t i) const;
};

/// A cheap handle to any dataset; copies refer to the same one.
class Dataset {
public:
    /// A handle of this dataset, which is moved into shared memory.
    template <std::derived_from<DatasetMixin> D>
    Dataset(D dataset) : dataset_(std::make_shared<D>(std::move(dataset))) {}
    /// A handle to `dataset`; ValueError for null.
    Dataset(std::shared_ptr<const DatasetMixin> dataset);
    /// A dataset whose examples are the rows of an array.
    Dataset(Array rows);
    Dataset(const Variable& rows) : Dataset(rows.array()) {}
    /// A dataset of tuples with a value from each array, as TupleDataset.
    Dataset(std::initializer_list<Array> columns);
    template <class = void>  // Less fitting than the one above, where both fit: {}.
    Dataset(std::initializer_list<Variable> columns) : Dataset(of_columns(columns)) {}
    Dataset(std::vector<Example> examples);

    /// The number of examples.
    int64_t size() const { return get().size(); }
    /// Example i; a negative i counts from the end. ValueError outside.
    Example operator[](int64_t i) const;
    /// The name of example i in errors, with 0 <= i < size().
    std::string described(int64_t i) const { return get().described(i); }
    /// The dataset itself; ValueError for a handle that was moved from.
    const DatasetMixin& get() const {
        if (!dataset_) [[unlikely]]
            moved_from();
        return *dataset_;
    }

private:
    [[noreturn]] static void moved_from();
    static Dataset of_columns(std::initializer_list<Variable> columns);
    std::shared_ptr<const DatasetMixin> dataset_;
};

}  // namespace catena
