#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "runtime/graph/variable.h"

namespace catena {

struct SerialIteratorOptions {
    bool repeat = true;   ///< Go on with the next epoch; the last batch is then filled from it.
    bool shuffle = true;  ///< Another order in every epoch, a function of the seed (see set_seed).
};

/// Batches of a dataset, as Chainer's SerialIterator. The dataset is a list of arrays with equally many rows:
///
///     ct::SerialIterator batches({images, labels}, 128, {.repeat = false});
///     while (auto batch = batches.next()) step((*batch)[0], (*batch)[1]);
///     batches.reset();
///
/// Without `repeat` the last batch of an epoch may be smaller.
class SerialIterator {
public:
    /// ValueError when the arrays have different numbers of rows or the batch size is not positive.
    SerialIterator(std::vector<Array> columns, int64_t batch_size, const SerialIteratorOptions& options = {});

    /// The same rows of every array; nothing at the end of the only epoch.
    std::optional<std::vector<Variable>> next();
    void reset();  ///< To the beginning of the first epoch, in another order.

    int64_t size() const { return rows_; }
    int64_t batch_size() const { return batch_size_; }
    int64_t epoch() const { return epoch_; }           ///< Epochs that are complete.
    bool is_new_epoch() const { return is_new_epoch_; }  ///< True when the last batch completed one.
    double epoch_detail() const { return double(epoch_) + double(position_) / double(rows_); }
    int64_t current_position() const { return position_; }

private:
    void shuffle();
    std::vector<Array> columns_;
    int64_t rows_, batch_size_;
    SerialIteratorOptions options_;
    std::vector<int64_t> order_;
    int64_t position_ = 0, epoch_ = 0;
    bool is_new_epoch_ = false;
};

/// Rows of an array, copied in this order. ValueError when an index is outside.
Array take_rows(const Array& array, std::span<const int64_t> rows);
/// 0 ... n-1 in a random order, which is a function of the seed and of how much was drawn before.
std::vector<int64_t> random_permutation(int64_t n);

}  // namespace catena
