#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "frontend/dataset/dataset.h"

namespace catena {

/// What an example of a TabularDataset is: a tuple of its columns' values, a dict, or the value of its only column.
enum class TabularMode : uint8_t { tuple, dict, none };

/// One value for each of some rows.
using TabularColumn = std::vector<Array>;

/// Base of tables whose columns can be read by themselves. Derive from it and say what is in the table.
class TabularSource {
public:
    virtual ~TabularSource() = default;
    virtual int64_t size() const = 0;
    virtual const std::vector<std::string>& keys() const = 0;
    virtual TabularMode mode() const = 0;
    /// Of each of these columns (by place in keys()) the values of these rows; both are within the table.
    virtual std::vector<TabularColumn> get_examples(std::span<const int64_t> rows,
                                                    std::span<const int> columns) const = 0;
    /// Makes a batch of all columns' values; without one, as concat_examples does.
    virtual std::function<Batch(std::span<const TabularColumn>)> converter() const { return {}; }
};

/// A dataset with named columns, of which only those are read that are asked for: Chainer's TabularDataset. A cheap
/// handle, and a Dataset like any other. What is made of one reads the one it was made of when it is read.
///
///     auto data = ct::tabular::from_data({{"x", images}, {"t", labels}});
///     auto labels = data.column("t").fetch();          // reads no image
///     ct::SerialIterator it(data.asdict(), 100);
class TabularDataset {
public:
    /// ValueError when the mode is none and there is not exactly one column, or a key is there twice.
    explicit TabularDataset(std::shared_ptr<const TabularSource> source);
    template <std::derived_from<TabularSource> S>
    explicit TabularDataset(S source) : TabularDataset(std::make_shared<const S>(std::move(source))) {}

    int64_t size() const { return source_->size(); }
    const std::vector<std::string>& keys() const { return source_->keys(); }
    TabularMode mode() const { return source_->mode(); }
    Example operator[](int64_t row) const;  ///< Negative from the end; ValueError outside.
    operator Dataset() const;

    /// Some rows (negative from the end), some columns, in this order: `.slice[rows, keys]`. ValueError for what is not
    /// there.
    TabularDataset slice(std::vector<int64_t> rows) const;
    TabularDataset slice(std::vector<int64_t> rows, const std::vector<std::string>& keys) const;
    TabularDataset columns(const std::vector<std::string>& keys) const;  ///< Of all rows.
    TabularDataset masked(const std::vector<bool>& rows) const;          ///< Those that are true, of all.
    /// Rows first, first + step, ... before last.
    TabularDataset rows(int64_t first, int64_t last, int64_t step = 1) const;
    TabularDataset column(const std::string& key) const;  ///< One column, in mode none.

    TabularDataset astuple() const;
    TabularDataset asdict() const;
    /// The rows of all, one table after the other. ValueError for other keys.
    TabularDataset concat(const std::vector<TabularDataset>& others) const;
    /// The columns of all, beside each other; the mode is tuple where it was none. ValueError for other sizes or a key
    /// that is in two.
    TabularDataset join(const std::vector<TabularDataset>& others) const;
    /// Every example's values made anew by `f`, which takes an example in this mode and gives one value for each of
    /// `keys`, in the mode that follows from it (a single value: none). ValueError when it gives others.
    TabularDataset transform(std::vector<std::string> keys, std::function<Example(const Example&)> f,
                             TabularMode mode = TabularMode::tuple) const;
    /// The same for all rows that are read together: f takes columns and gives one for each of `keys`, as long.
    TabularDataset transform_batch(std::vector<std::string> keys,
                                   std::function<std::vector<TabularColumn>(std::span<const TabularColumn>)> f,
                                   TabularMode mode = TabularMode::tuple) const;
    /// What convert() makes a batch with.
    TabularDataset with_converter(std::function<Batch(std::span<const TabularColumn>)> converter) const;

    std::vector<TabularColumn> fetch() const;  ///< All values, by column.
    Batch convert() const;                     ///< All rows as a batch, in this mode.
    const TabularSource& source() const { return *source_; }

private:
    std::shared_ptr<const TabularSource> source_;
};

namespace tabular {

/// A column: rows of an array, a list, or what a function gives for a row (then from_data must be told the size).
struct ColumnData {
    std::string key;
    std::variant<Array, std::vector<Array>, std::function<Array(int64_t)>> data;
};
/// ValueError unless all columns are equally long; there must be one at least.
TabularDataset from_data(std::vector<ColumnData> columns, TabularMode mode = TabularMode::tuple,
                         std::optional<int64_t> size = {});

}  // namespace tabular

}  // namespace catena
