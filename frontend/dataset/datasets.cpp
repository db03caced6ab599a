#include "frontend/dataset/datasets.h"

#include <algorithm>

#include "frontend/dataset/rethrow_of.h"
#include "runtime/core/memory/out_of_memory.h"
#include "runtime/core/system/error.h"

namespace catena {
namespace {

void check_sizes(const char* who, const std::vector<Dataset>& datasets) {
    if (datasets.empty()) fail<ValueError>("{}: no dataset is given", who);
    for (size_t k = 1; k < datasets.size(); ++k)
        if (datasets[k].size() != datasets[0].size())
            fail<ValueError>(
                "{}: datasets must have equal sizes; the first has {} examples, number {} has {}",
                who, datasets[0].size(), k + 1, datasets[k].size());
}

}  // namespace

TupleDataset::TupleDataset(std::vector<Dataset> datasets) try : datasets_(std::move(datasets)) {
    check_sizes("TupleDataset", datasets_);
} catch (const std::bad_alloc&) {
    throw_out_of_memory("TupleDataset");
}

Example TupleDataset::get_example(int64_t i) const {
    std::vector<Array> values;
    values.reserve(datasets_.size());
    for (const Dataset& dataset : datasets_) {
        Example example = dataset.get().get_example(i);
        values.insert(values.end(), example.values().begin(), example.values().end());
    }
    return Example(std::move(values));
}

DictDataset::DictDataset(std::vector<std::pair<std::string, Dataset>> datasets) {
    for (auto& [key, dataset] : datasets) {
        if (std::find(keys_.begin(), keys_.end(), key) != keys_.end())
            fail<ValueError>("DictDataset: '{}' is given twice", key);
        keys_.push_back(key);
        datasets_.push_back(dataset);
    }
    check_sizes("DictDataset", datasets_);
}

Example DictDataset::get_example(int64_t i) const {
    std::vector<Array> values;
    for (size_t k = 0; k < datasets_.size(); ++k) {
        Example example = datasets_[k].get().get_example(i);
        if (example.size() != 1)
            fail<ValueError>("DictDataset: an example of '{}' must be one array, it is a {}",
                             keys_[k], to_string(example));
        values.push_back(example[0]);
    }
    return Example(keys_, std::move(values));
}

ConcatenatedDataset::ConcatenatedDataset(std::vector<Dataset> datasets)
    : datasets_(std::move(datasets)) {
    int64_t end = 0;
    for (const Dataset& dataset : datasets_) ends_.push_back(end += dataset.size());
}

std::pair<const Dataset&, int64_t> ConcatenatedDataset::place(int64_t i) const {
    const size_t k = size_t(std::upper_bound(ends_.begin(), ends_.end(), i) - ends_.begin());
    return {datasets_[k], k == 0 ? i : i - ends_[k - 1]};
}

Example ConcatenatedDataset::get_example(int64_t i) const {
    const auto [dataset, own] = place(i);
    return dataset.get().get_example(own);
}

std::string ConcatenatedDataset::described(int64_t i) const {
    const auto [dataset, own] = place(i);
    return dataset.described(own);
}

SubDataset::SubDataset(Dataset dataset, int64_t start, int64_t finish,
                       std::optional<std::vector<int64_t>> order)
    : SubDataset(
          std::move(dataset), start, finish,
          order ? std::make_shared<const std::vector<int64_t>>(std::move(*order)) : nullptr) {
    if (start < 0 || start > finish || finish > dataset_.size())
        fail<ValueError>("SubDataset: the part [{}, {}) is not within a dataset of {}", start,
                         finish, dataset_.size());
    if (order_ && int64_t(order_->size()) != dataset_.size())
        fail<ValueError>(
            "SubDataset: the order has {} indices, the dataset {} examples; give one for each",
            order_->size(), dataset_.size());
}

SubDataset::SubDataset(Dataset dataset, int64_t start, int64_t finish,
                       std::shared_ptr<const std::vector<int64_t>> order)
    : dataset_(std::move(dataset)), start_(start), finish_(finish), order_(std::move(order)) {}

Example TransformDataset::get_example(int64_t i) const {
    const Example example = dataset_[i];
    try {
        return transform_(example);
    } catch (const Error&) {
        rethrow_of<ShapeError, DtypeError, DeviceError, ValueError, FileError>(
            fmt::format("TransformDataset: {} ({}): ", described(i), to_string(example)));
    }
}

int64_t TupleDataset::size() const { return datasets_[0].size(); }
std::string TupleDataset::described(int64_t i) const { return datasets_[0].described(i); }
int64_t DictDataset::size() const { return datasets_[0].size(); }
int64_t ConcatenatedDataset::size() const { return ends_.empty() ? 0 : ends_.back(); }
TransformDataset::TransformDataset(Dataset dataset,
                                   std::function<Example(const Example&)> transform)
    : dataset_(std::move(dataset)), transform_(std::move(transform)) {}
Example SubDataset::get_example(int64_t i) const { return dataset_[place(i)]; }
std::string SubDataset::described(int64_t i) const { return dataset_.described(place(i)); }
int64_t SubDataset::place(int64_t i) const {
    return order_ ? (*order_)[size_t(start_ + i)] : start_ + i;
}

Dataset::Dataset(std::initializer_list<Array> columns) try
    : dataset_(
          std::make_shared<TupleDataset>(std::vector<Dataset>(columns.begin(), columns.end()))) {
} catch (const std::bad_alloc&) {
    throw_out_of_memory("Dataset");
}
Dataset Dataset::of_columns(std::initializer_list<Variable> columns) {
    return Dataset(std::shared_ptr<const DatasetMixin>(
        std::make_shared<TupleDataset>(std::vector<Dataset>(columns.begin(), columns.end()))));
}

}  // namespace catena
