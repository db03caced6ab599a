#include "frontend/dataset/serial_iterator.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "runtime/core/device.h"
#include "runtime/core/error.h"
#include "runtime/core/seed.h"

namespace catena {

std::vector<int64_t> random_permutation(int64_t n) {
    std::vector<int64_t> order(static_cast<size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    RandomStream stream = next_host_stream();
    // Fisher and Yates. The multiplication maps 64 random bits to [0, i] with a bias below 2^-32 for any real n.
    for (int64_t i = n - 1; i > 0; --i) {
        auto words = stream.words(uint64_t(i));
        uint64_t bits = uint64_t(words[0]) << 32 | words[1];
        int64_t j = int64_t((unsigned __int128)(bits) * uint64_t(i + 1) >> 64);
        std::swap(order[size_t(i)], order[size_t(j)]);
    }
    return order;
}

Array take_rows(const Array& array, std::span<const int64_t> rows) {
    Array from = array.as_contiguous();
    Shape shape = from.shape();
    if (shape.empty()) fail<ShapeError>("take_rows: a 0-d array has no rows");
    int64_t available = shape[0];
    shape[0] = int64_t(rows.size());
    Array to = Array::empty({from.dtype(), shape}, from.device());
    size_t bytes = available > 0 ? size_t(from.size() / available) * size_of(from.dtype()) : 0;
    for (size_t i = 0; i < rows.size(); ++i) {
        if (rows[i] < 0 || rows[i] >= available)
            fail<ValueError>("take_rows: row {} of an array with {}", rows[i], available);
        if (bytes > 0)
            std::memcpy(static_cast<char*>(to.raw_data()) + i * bytes,
                        static_cast<const char*>(from.raw_data()) + size_t(rows[i]) * bytes, bytes);
    }
    return to;
}

SerialIterator::SerialIterator(std::vector<Array> columns, int64_t batch_size, const SerialIteratorOptions& options)
    : columns_(std::move(columns)), batch_size_(batch_size), options_(options) {
    if (batch_size <= 0) fail<ValueError>("SerialIterator: the batch size must be positive, not {}", batch_size);
    if (columns_.empty()) fail<ValueError>("SerialIterator: the dataset has no arrays");
    for (const Array& column : columns_)
        if (column.rank() == 0 || column.dim(0) != columns_[0].dim(0))
            fail<ValueError>("SerialIterator: arrays must have equally many rows, they are {} and {}",
                             to_string(columns_[0].type()), to_string(column.type()));
    rows_ = columns_[0].dim(0);
    if (rows_ == 0) fail<ValueError>("SerialIterator: the dataset has no rows");
    shuffle();
}

void SerialIterator::shuffle() {
    if (options_.shuffle) {
        order_ = random_permutation(rows_);
    } else if (order_.empty()) {
        order_.resize(size_t(rows_));
        std::iota(order_.begin(), order_.end(), 0);
    }
}

void SerialIterator::reset() {
    position_ = 0;
    epoch_ = 0;
    is_new_epoch_ = false;
    shuffle();
}

std::optional<std::vector<Variable>> SerialIterator::next() {
    if (!options_.repeat && epoch_ > 0) return std::nullopt;
    std::vector<int64_t> rows;
    is_new_epoch_ = false;
    while (int64_t(rows.size()) < batch_size_) {
        int64_t part = std::min(batch_size_ - int64_t(rows.size()), rows_ - position_);
        rows.insert(rows.end(), order_.begin() + position_, order_.begin() + position_ + part);
        position_ += part;
        if (position_ < rows_) break;
        position_ = 0;
        epoch_ += 1;
        is_new_epoch_ = true;
        if (!options_.repeat) break;
        shuffle();
    }
    std::vector<Variable> batch;
    for (const Array& column : columns_) batch.emplace_back(take_rows(column, rows), false);
    return batch;
}

}  // namespace catena
