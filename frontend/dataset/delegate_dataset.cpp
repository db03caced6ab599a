#include "frontend/dataset/delegate_dataset.h"

namespace catena::tabular {

std::vector<TabularColumn> DelegateDataset::get_examples(std::span<const int64_t> rows,
                                                         std::span<const int> columns) const {
    return dataset.source().get_examples(rows, columns);
}

std::function<Batch(std::span<const TabularColumn>)> DelegateDataset::converter() const {
    return dataset.source().converter();
}

}  // namespace catena::tabular
