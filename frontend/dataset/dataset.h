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
    virtual int64_t size() const = 0;
    virtual Example get_example(int64_t i) const = 0;  ///< 0 <= i < size()
    /// What example i is called in errors: "example 3", and its file where it has one.
    virtual std::string described(int64_t i) const;
};

/// A cheap handle to any dataset; copies refer to the same one.
class Dataset {
public:
    template <std::derived_from<DatasetMixin> D>
    Dataset(D dataset) : dataset_(std::make_shared<D>(std::move(dataset))) {}
    Dataset(std::shared_ptr<const DatasetMixin> dataset);  ///< ValueError for null.
    Dataset(Array rows);                                   ///< Every row is an example.
    Dataset(const Variable& rows) : Dataset(rows.array()) {}
    Dataset(std::initializer_list<Array> columns);  ///< As TupleDataset.
    template <class = void>  // Less fitting than the one above, where both fit: {}.
    Dataset(std::initializer_list<Variable> columns) : Dataset(of_columns(columns)) {}
    Dataset(std::vector<Example> examples);

    int64_t size() const { return get().size(); }
    Example operator[](int64_t i) const;  ///< Negative i counts from the end; ValueError outside.
    std::string described(int64_t i) const { return get().described(i); }  ///< 0 <= i < size()
    const DatasetMixin& get() const {  ///< ValueError for one that was moved from.
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
