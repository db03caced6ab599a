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

/// The form of a TabularDataset's examples: a tuple of the columns' values, a dict, or the value of
/// the only column.
enum class TabularMode : uint8_t { tuple, dict, none };

/// The values of one column in some rows, one array for each row.
using TabularColumn = std::vector<Array>;

/// Base of tables whose columns can be read separately. Derive from it to define a table.
class TabularSource {
public:
    virtual ~TabularSource() = default;
    /// The number of rows.
    virtual int64_t size() const = 0;
    /// The names of the columns, in order.
    virtual const std::vector<std::string>& keys() const = 0;
    /// How a row becomes an example: a tuple, a dictionary or a single value.
    virtual TabularMode mode() const = 0;
    /// The values of these rows in each of these columns (indices into keys()); all indices are
    /// valid.
    virtual std::vector<TabularColumn> get_examples(std::span<const int64_t> rows,
                                                    std::span<const int> columns) const = 0;
    /// A function that makes a batch of all columns' values; empty: concat_examples is used.
    virtual std::function<Batch(std::span<const TabularColumn>)> converter() const { return {}; }
};

/// A dataset with named columns, which reads only the requested ones: Chainer's TabularDataset. A
/// cheap handle, usable as a Dataset. Tables derived from it read from it lazily.
///
///     auto data = ct::tabular::from_data({{"x", images}, {"t", labels}});
///     auto labels = data.column("t").fetch();          // reads no image
///     ct::SerialIterator it(data.asdict(), 100);
class TabularDataset {
public:
    /// A handle to `source`. ValueError when the mode is none and there is not exactly one column,
    /// or for a duplicate key.
    explicit TabularDataset(std::shared_ptr<const TabularSource> source);
    template <std::derived_from<TabularSource> S>
    explicit TabularDataset(S source)
        : TabularDataset(std::make_shared<const S>(std::move(source))) {}

    /// The number of rows.
    int64_t size() const { return source_->size(); }
    /// The names of the columns, in order.
    const std::vector<std::string>& keys() const { return source_->keys(); }
    /// How a row becomes an example: a tuple, a dictionary or a single value.
    TabularMode mode() const { return source_->mode(); }
    /// A row as an example; negative rows count from the end. ValueError outside.
    Example operator[](int64_t row) const;
    /// The table as a dataset of its rows.
    operator Dataset() const;

    /// The rows and columns chosen, in this order, as `.slice[rows, keys]` in Chainer; negative
    /// rows count from the end. ValueError for unknown ones.
    TabularDataset slice(std::vector<int64_t> rows) const;
    TabularDataset slice(std::vector<int64_t> rows, const std::vector<std::string>& keys) const;
    /// The dataset with these columns and all rows.
    TabularDataset columns(const std::vector<std::string>& keys) const;
    /// The rows whose flag is true.
    TabularDataset masked(const std::vector<bool>& rows) const;
    /// The rows first, first + step, ... before last.
    TabularDataset rows(int64_t first, int64_t last, int64_t step = 1) const;
    /// One column, in mode none.
    TabularDataset column(const std::string& key) const;

    /// The dataset with tuples as examples.
    TabularDataset astuple() const;
    /// The dataset with dictionaries as examples, whose keys are the names of the columns.
    TabularDataset asdict() const;
    /// The rows of this and the other tables, one table after the other. ValueError for tables with
    /// other keys.
    TabularDataset concat(const std::vector<TabularDataset>& others) const;
    /// The columns of all tables; mode none becomes tuple. ValueError for different sizes or
    /// duplicate keys.
    TabularDataset join(const std::vector<TabularDataset>& others) const;
    /// Replaces every example by f(example), with one value for each of `keys`; the new mode is
    /// that of f's result (a single value: none). ValueError when a result has other keys.
    TabularDataset transform(std::vector<std::string> keys,
                             std::function<Example(const Example&)> f,
                             TabularMode mode = TabularMode::tuple) const;
    /// Replaces the examples of all rows that are read together: f maps columns to one column per
    /// key, of equal length; otherwise as transform().
    TabularDataset transform_batch(
        std::vector<std::string> keys,
        std::function<std::vector<TabularColumn>(std::span<const TabularColumn>)> f,
        TabularMode mode = TabularMode::tuple) const;
    /// Sets the function with which convert() makes a batch.
    TabularDataset with_converter(
        std::function<Batch(std::span<const TabularColumn>)> converter) const;

    /// All values of the table, by column.
    std::vector<TabularColumn> fetch() const;
    /// All rows as one batch, in this table's mode.
    Batch convert() const;
    /// The table behind this handle.
    const TabularSource& source() const { return *source_; }

private:
    std::shared_ptr<const TabularSource> source_;
};

namespace tabular {

/// The data of a column: rows of an array, a list, or a function of the row (then from_data needs
/// the size).
struct ColumnData {
    /// The name of the column.
    std::string key;
    /// The column's rows: the first axis of an array, a list, or a function of the row's index.
    std::variant<Array, std::vector<Array>, std::function<Array(int64_t)>> data;
};
/// A table made of columns. ValueError unless there is at least one column and all have equal
/// length.
TabularDataset from_data(std::vector<ColumnData> columns, TabularMode mode = TabularMode::tuple,
                         std::optional<int64_t> size = {});

}  // namespace tabular

}  // namespace catena
