#pragma once

#include <utility>

#include "frontend/dataset/tabular_dataset.h"

namespace catena::tabular {

/// A table that forwards to another one, Chainer's DelegateDataset: derive from it to make a table
/// from existing ones, and change what differs.
///
///     struct Vocabulary : ct::tabular::DelegateDataset {
///         explicit Vocabulary(const std::string& path) : DelegateDataset(words_of(path)) {}
///     };
///     ct::TabularDataset words(Vocabulary("words.txt"));
class DelegateDataset : public TabularSource {
public:
    /// Forwards to this table.
    explicit DelegateDataset(TabularDataset dataset) : dataset(std::move(dataset)) {}
    int64_t size() const override { return dataset.size(); }
    const std::vector<std::string>& keys() const override { return dataset.keys(); }
    TabularMode mode() const override { return dataset.mode(); }
    std::vector<TabularColumn> get_examples(std::span<const int64_t> rows,
                                            std::span<const int> columns) const override;
    std::function<Batch(std::span<const TabularColumn>)> converter() const override;

    /// The table that is forwarded to.
    TabularDataset dataset;
};

}  // namespace catena::tabular
