#include "frontend/dataset/iterator/serial_iterator.h"

#include "frontend/dataset/concat_examples.h"
#include "runtime/core/memory/out_of_memory.h"

namespace catena {

std::optional<Batch> Iterator::next_batch(Device* device) try {
    std::optional<std::vector<Example>> examples = next();
    if (!examples) return std::nullopt;
    return concat_examples(*examples, {.device = device});
} catch (const std::bad_alloc&) {
    throw_out_of_memory("Iterator", "next_batch");
}

BatchCursor::BatchCursor(Iterator& iterator)
    : iterator_(&iterator), batch_(iterator.next_batch()) {}

BatchCursor& BatchCursor::operator++() {
    batch_ = iterator_->next_batch();
    return *this;
}

SerialIterator::SerialIterator(Dataset dataset, int64_t batch_size, IteratorOptions options) try
    : dataset_(std::move(dataset)), order_(dataset_.size(), batch_size, std::move(options)) {
} catch (const std::bad_alloc&) {
    throw_out_of_memory("SerialIterator");
}

std::optional<std::vector<Example>> SerialIterator::next() try {
    BatchOrder after =
        order_;  // An error of the dataset leaves the batch for the next call, and for a snapshot.
    std::optional<std::vector<int64_t>> indices = after.next();
    if (!indices) return std::nullopt;
    std::vector<Example> examples;
    examples.reserve(indices->size());
    for (int64_t i : *indices) examples.push_back(dataset_[i]);
    order_ = std::move(after);
    return examples;
} catch (const std::bad_alloc&) {
    throw_out_of_memory("SerialIterator", "next");
}

}  // namespace catena
