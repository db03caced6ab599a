#include "frontend/dataset/tabular_dataset.h"

#include <algorithm>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "frontend/dataset/concat_examples.h"
#include "runtime/core/system/error.h"

namespace catena {
namespace {

using Source = std::shared_ptr<const TabularSource>;
using BatchConverter = std::function<Batch(std::span<const TabularColumn>)>;

std::vector<int> all_columns(const TabularSource& source) {
    std::vector<int> columns(source.keys().size());
    std::iota(columns.begin(), columns.end(), 0);
    return columns;
}

Example example_of(TabularMode mode, const std::vector<std::string>& keys,
                   std::vector<Array> values) {
    if (mode == TabularMode::dict) return Example(keys, std::move(values));
    if (mode == TabularMode::tuple) return Example(std::move(values));
    return Example(std::move(values.at(0)));
}

/// A table that forwards to another one unless overridden.
class Delegate : public TabularSource {
public:
    explicit Delegate(Source of) : of_(std::move(of)) {}
    int64_t size() const override { return of_->size(); }
    const std::vector<std::string>& keys() const override { return of_->keys(); }
    TabularMode mode() const override { return of_->mode(); }
    std::vector<TabularColumn> get_examples(std::span<const int64_t> rows,
                                            std::span<const int> columns) const override {
        return of_->get_examples(rows, columns);
    }
    BatchConverter converter() const override { return of_->converter(); }

protected:
    Source of_;
};

class Sliced final : public Delegate {
public:
    Sliced(Source of, std::optional<std::vector<int64_t>> rows,
           std::optional<std::vector<int>> columns, std::optional<TabularMode> mode)
        : Delegate(std::move(of)),
          rows_(std::move(rows)),
          columns_(columns ? std::move(*columns) : all_columns(*of_)),
          mode_(mode.value_or(of_->mode())) {
        for (int c : columns_) keys_.push_back(of_->keys()[size_t(c)]);
    }
    int64_t size() const override { return rows_ ? int64_t(rows_->size()) : of_->size(); }
    const std::vector<std::string>& keys() const override { return keys_; }
    TabularMode mode() const override { return mode_; }
    std::vector<TabularColumn> get_examples(std::span<const int64_t> rows,
                                            std::span<const int> columns) const override {
        std::vector<int64_t> there(rows.begin(), rows.end());
        if (rows_)
            for (int64_t& row : there) row = (*rows_)[size_t(row)];
        std::vector<int> theirs;
        for (int c : columns) theirs.push_back(columns_[size_t(c)]);
        return of_->get_examples(there, theirs);
    }

private:
    std::optional<std::vector<int64_t>> rows_;
    std::vector<int> columns_;
    std::vector<std::string> keys_;
    TabularMode mode_;
};

class Concatenated final : public Delegate {
public:
    explicit Concatenated(std::vector<Source> parts)
        : Delegate(parts[0]), parts_(std::move(parts)) {
        for (const Source& part : parts_) {
            if (part->keys() != keys())
                fail<ValueError>(
                    "TabularDataset::concat: the keys are {} and {}; they must be equal",
                    fmt::join(keys(), ", "), fmt::join(part->keys(), ", "));
            ends_.push_back((ends_.empty() ? 0 : ends_.back()) + part->size());
        }
    }
    int64_t size() const override { return ends_.back(); }
    std::vector<TabularColumn> get_examples(std::span<const int64_t> rows,
                                            std::span<const int> columns) const override {
        std::vector<std::vector<int64_t>> rows_of(parts_.size());
        std::vector<size_t> part_of;
        for (int64_t row : rows) {
            const size_t p =
                size_t(std::upper_bound(ends_.begin(), ends_.end(), row) - ends_.begin());
            part_of.push_back(p);
            rows_of[p].push_back(row - (p ? ends_[p - 1] : 0));
        }
        std::vector<TabularColumn> result(columns.size());
        std::vector<std::vector<TabularColumn>> read(parts_.size());
        for (size_t p = 0; p < parts_.size(); ++p)
            if (!rows_of[p].empty()) read[p] = parts_[p]->get_examples(rows_of[p], columns);
        std::vector<size_t> next(parts_.size());
        for (size_t p : part_of) {
            for (size_t c = 0; c < columns.size(); ++c) result[c].push_back(read[p][c][next[p]]);
            ++next[p];
        }
        return result;
    }

private:
    std::vector<Source> parts_;
    std::vector<int64_t> ends_;
};

class Joined final : public Delegate {
public:
    explicit Joined(std::vector<Source> parts) : Delegate(parts[0]), parts_(std::move(parts)) {
        for (size_t p = 0; p < parts_.size(); ++p) {
            if (parts_[p]->size() != of_->size())
                fail<ValueError>(
                    "TabularDataset::join: tables must have equal sizes; the first has {} rows, "
                    "number {} has {}",
                    of_->size(), p + 1, parts_[p]->size());
            for (size_t c = 0; c < parts_[p]->keys().size(); ++c) {
                keys_.push_back(parts_[p]->keys()[c]);
                places_.emplace_back(p, int(c));
            }
        }
    }
    const std::vector<std::string>& keys() const override { return keys_; }
    TabularMode mode() const override {
        return of_->mode() == TabularMode::none ? TabularMode::tuple : of_->mode();
    }
    std::vector<TabularColumn> get_examples(std::span<const int64_t> rows,
                                            std::span<const int> columns) const override {
        std::vector<TabularColumn> result(columns.size());
        for (size_t p = 0; p < parts_.size(); ++p) {  // Reads each table once.
            std::vector<int> theirs;
            std::vector<size_t> ours;
            for (size_t k = 0; k < columns.size(); ++k)
                if (const auto& [part, column] = places_[size_t(columns[k])]; part == p) {
                    theirs.push_back(column);
                    ours.push_back(k);
                }
            if (theirs.empty()) continue;
            std::vector<TabularColumn> read = parts_[p]->get_examples(rows, theirs);
            for (size_t k = 0; k < ours.size(); ++k) result[ours[k]] = std::move(read[k]);
        }
        return result;
    }

private:
    std::vector<Source> parts_;
    std::vector<std::string> keys_;
    std::vector<std::pair<size_t, int>> places_;
};

using BatchTransform = std::function<std::vector<TabularColumn>(std::span<const TabularColumn>)>;

class Transformed final : public Delegate {
public:
    Transformed(Source of, std::vector<std::string> keys, BatchTransform f, TabularMode mode)
        : Delegate(std::move(of)), keys_(std::move(keys)), f_(std::move(f)), mode_(mode) {}
    const std::vector<std::string>& keys() const override { return keys_; }
    TabularMode mode() const override { return mode_; }
    std::vector<TabularColumn> get_examples(std::span<const int64_t> rows,
                                            std::span<const int> columns) const override {
        const std::vector<TabularColumn> all = f_(of_->get_examples(rows, all_columns(*of_)));
        if (all.size() != keys_.size())
            fail<ValueError>(
                "TabularDataset::transform: the function gives {} columns for the {} keys {}",
                all.size(), keys_.size(), fmt::join(keys_, ", "));
        std::vector<TabularColumn> result;
        for (int c : columns) {
            if (all[size_t(c)].size() != rows.size())
                fail<ValueError>(
                    "TabularDataset::transform: the function gives {} values of '{}' for {} rows",
                    all[size_t(c)].size(), keys_[size_t(c)], rows.size());
            result.push_back(all[size_t(c)]);
        }
        return result;
    }

private:
    std::vector<std::string> keys_;
    BatchTransform f_;
    TabularMode mode_;
};

class Converted final : public Delegate {
public:
    Converted(Source of, BatchConverter converter)
        : Delegate(std::move(of)), converter_(std::move(converter)) {}
    BatchConverter converter() const override { return converter_; }

private:
    BatchConverter converter_;
};

class FromData final : public TabularSource {
public:
    FromData(std::vector<tabular::ColumnData> columns, TabularMode mode,
             std::optional<int64_t> size)
        : mode_(mode) {
        if (columns.empty()) fail<ValueError>("tabular::from_data: no column is given");
        for (tabular::ColumnData& column : columns) {
            keys_.push_back(column.key);
            std::optional<int64_t> length;
            if (auto* rows = std::get_if<Array>(&column.data)) {
                const Dataset dataset(*rows);
                length = dataset.size();
                read_.push_back([dataset](int64_t i) { return dataset[i][0]; });
            } else if (auto* list = std::get_if<std::vector<Array>>(&column.data)) {
                length = int64_t(list->size());
                read_.push_back([list = std::move(*list)](int64_t i) { return list[size_t(i)]; });
            } else {
                read_.push_back(std::get<std::function<Array(int64_t)>>(std::move(column.data)));
            }
            if (length && size && *length != *size)
                fail<ValueError>(
                    "tabular::from_data: columns must have equal sizes; '{}' has {} rows, not {}",
                    column.key, *length, *size);
            if (length) size = length;
        }
        if (!size)
            fail<ValueError>(
                "tabular::from_data: the number of rows must be given, because all columns are "
                "functions");
        size_ = *size;
    }
    int64_t size() const override { return size_; }
    const std::vector<std::string>& keys() const override { return keys_; }
    TabularMode mode() const override { return mode_; }
    std::vector<TabularColumn> get_examples(std::span<const int64_t> rows,
                                            std::span<const int> columns) const override {
        std::vector<TabularColumn> result;
        for (int c : columns)
            for (TabularColumn& column = result.emplace_back(); int64_t row : rows)
                column.push_back(read_[size_t(c)](row));
        return result;
    }

private:
    std::vector<std::string> keys_;
    std::vector<std::function<Array(int64_t)>> read_;
    TabularMode mode_;
    int64_t size_ = 0;
};

/// A table's examples, one at a time.
class Rows final : public DatasetMixin {
public:
    explicit Rows(Source of) : of_(std::move(of)), columns_(all_columns(*of_)) {}
    int64_t size() const override { return of_->size(); }
    Example get_example(int64_t i) const override {
        std::vector<Array> values;
        for (TabularColumn& column : of_->get_examples(std::span(&i, 1), columns_))
            values.push_back(column.at(0));
        return example_of(of_->mode(), of_->keys(), std::move(values));
    }

private:
    Source of_;
    std::vector<int> columns_;
};

std::vector<Source> sources_of(const Source& first, const std::vector<TabularDataset>& others,
                               const std::function<Source(const TabularDataset&)>& source) {
    std::vector<Source> all{first};
    for (const TabularDataset& other : others) all.push_back(source(other));
    return all;
}

std::vector<int> columns_of(const TabularSource& source, const std::vector<std::string>& wanted) {
    std::vector<int> columns;
    for (const std::string& key : wanted) {
        auto found = std::find(source.keys().begin(), source.keys().end(), key);
        if (found == source.keys().end())
            fail<ValueError>("TabularDataset: there is no column '{}'; there are {}", key,
                             fmt::join(source.keys(), ", "));
        columns.push_back(int(found - source.keys().begin()));
    }
    return columns;
}

std::vector<int64_t> checked_rows(const TabularSource& source, std::vector<int64_t> rows) {
    for (int64_t& row : rows) {
        if (row < -source.size() || row >= source.size())
            fail<ValueError>("TabularDataset: there is no row {}; there are {}", row,
                             source.size());
        if (row < 0) row += source.size();
    }
    return rows;
}

template <class S, class... Args>
TabularDataset made(Args&&... args) {
    return TabularDataset(std::make_shared<const S>(std::forward<Args>(args)...));
}

}  // namespace

TabularDataset::TabularDataset(std::shared_ptr<const TabularSource> source)
    : source_(std::move(source)) {
    const std::set<std::string> distinct(keys().begin(), keys().end());
    if (distinct.size() != keys().size())
        fail<ValueError>("TabularDataset: a key occurs twice: {}", fmt::join(keys(), ", "));
    if (mode() == TabularMode::none && keys().size() != 1)
        fail<ValueError>("TabularDataset: mode none is for one column; there are {}",
                         keys().size());
}

Example TabularDataset::operator[](int64_t row) const { return Dataset(*this)[row]; }
TabularDataset::operator Dataset() const { return Dataset(std::make_shared<const Rows>(source_)); }

TabularDataset TabularDataset::slice(std::vector<int64_t> rows) const {
    return made<Sliced>(source_, checked_rows(*source_, std::move(rows)), std::nullopt,
                        std::nullopt);
}
TabularDataset TabularDataset::slice(std::vector<int64_t> rows,
                                     const std::vector<std::string>& keys) const {
    return made<Sliced>(source_, checked_rows(*source_, std::move(rows)),
                        columns_of(*source_, keys), std::nullopt);
}
TabularDataset TabularDataset::columns(const std::vector<std::string>& keys) const {
    return made<Sliced>(source_, std::nullopt, columns_of(*source_, keys), std::nullopt);
}
TabularDataset TabularDataset::masked(const std::vector<bool>& mask) const {
    if (int64_t(mask.size()) != size())
        fail<ValueError>("TabularDataset: {} truth values for {} rows", mask.size(), size());
    std::vector<int64_t> rows;
    for (size_t row = 0; row < mask.size(); ++row)
        if (mask[row]) rows.push_back(int64_t(row));
    return slice(std::move(rows));
}
TabularDataset TabularDataset::rows(int64_t first, int64_t last, int64_t step) const {
    if (step <= 0)
        fail<ValueError>("TabularDataset::rows: the step is {}, it should be positive", step);
    const int64_t n = size();
    auto within = [n](int64_t row) { return std::clamp<int64_t>(row < 0 ? row + n : row, 0, n); };
    std::vector<int64_t> rows;
    for (int64_t row = within(first); row < within(last); row += step) rows.push_back(row);
    return slice(std::move(rows));
}
TabularDataset TabularDataset::column(const std::string& key) const {
    return made<Sliced>(source_, std::nullopt, columns_of(*source_, {key}), TabularMode::none);
}

TabularDataset TabularDataset::astuple() const {
    return made<Sliced>(source_, std::nullopt, std::nullopt, TabularMode::tuple);
}
TabularDataset TabularDataset::asdict() const {
    return made<Sliced>(source_, std::nullopt, std::nullopt, TabularMode::dict);
}
TabularDataset TabularDataset::concat(const std::vector<TabularDataset>& others) const {
    return made<Concatenated>(
        sources_of(source_, others, [](const TabularDataset& t) { return t.source_; }));
}
TabularDataset TabularDataset::join(const std::vector<TabularDataset>& others) const {
    return made<Joined>(
        sources_of(source_, others, [](const TabularDataset& t) { return t.source_; }));
}

TabularDataset TabularDataset::transform(std::vector<std::string> keys,
                                         std::function<Example(const Example&)> f,
                                         TabularMode mode) const {
    const size_t count = keys.size();
    auto each = [f = std::move(f), before = this->mode(), from = this->keys(), keys,
                 count](std::span<const TabularColumn> columns) {
        std::vector<TabularColumn> result(count);
        for (size_t row = 0; row < columns[0].size(); ++row) {
            std::vector<Array> values;
            for (const TabularColumn& column : columns) values.push_back(column[row]);
            const Example made = f(example_of(before, from, std::move(values)));
            if (made.size() != count || (made.is_dict() && made.keys() != keys))
                fail<ValueError>(
                    "TabularDataset::transform: the function gives a {} for the keys {}",
                    to_string(made), fmt::join(keys, ", "));
            for (size_t c = 0; c < count; ++c) result[c].push_back(made[c]);
        }
        return result;
    };
    return made<Transformed>(source_, std::move(keys), std::move(each), mode);
}
TabularDataset TabularDataset::transform_batch(std::vector<std::string> keys, BatchTransform f,
                                               TabularMode mode) const {
    return made<Transformed>(source_, std::move(keys), std::move(f), mode);
}
TabularDataset TabularDataset::with_converter(BatchConverter converter) const {
    return made<Converted>(source_, std::move(converter));
}

std::vector<TabularColumn> TabularDataset::fetch() const {
    std::vector<int64_t> rows(static_cast<size_t>(size()));
    std::iota(rows.begin(), rows.end(), 0);
    return source_->get_examples(rows, all_columns(*source_));
}

Batch TabularDataset::convert() const {
    const std::vector<TabularColumn> columns = fetch();
    if (const BatchConverter converter = source_->converter()) return converter(columns);
    std::vector<Example> examples;
    for (size_t row = 0; row < columns[0].size(); ++row) {
        std::vector<Array> values;
        for (const TabularColumn& column : columns) values.push_back(column[row]);
        examples.push_back(example_of(mode(), keys(), std::move(values)));
    }
    return concat_examples(examples);
}

TabularDataset tabular::from_data(std::vector<ColumnData> columns, TabularMode mode,
                                  std::optional<int64_t> size) {
    return TabularDataset(std::make_shared<const FromData>(std::move(columns), mode, size));
}

}  // namespace catena
