#pragma once

#include <memory>

#include "frontend/dataset/serial_iterator.h"
#include "runtime/comm/communicator.h"

namespace catena {

/// The batches of the master's iterator on every rank, for models that are split over processes.
/// All ranks call next() and reset() together.
class MultiNodeIterator {
public:
    /// `actual` is used on the master only and may be null elsewhere.
    MultiNodeIterator(std::shared_ptr<SerialIterator> actual,
                      std::shared_ptr<Communicator> communicator, int rank_master);
    std::optional<std::vector<Variable>> next();
    void reset();
    int64_t epoch() const { return state_[0]; }
    bool is_new_epoch() const { return state_[1]; }
    int64_t current_position() const { return state_[2]; }
    double epoch_detail() const {
        return double(state_[0]) + double(state_[2]) / double(state_[3]);
    }

private:
    void mirror(int64_t arrays);
    std::shared_ptr<SerialIterator> actual_;
    std::shared_ptr<Communicator> communicator_;
    int master_;
    std::vector<int64_t> state_{
        0, 0, 0, 1, 0};  ///< epoch, is_new_epoch, position, rows, arrays that follow (-1: end)
};

inline MultiNodeIterator create_multi_node_iterator(std::shared_ptr<SerialIterator> actual,
                                                    std::shared_ptr<Communicator> communicator,
                                                    int rank_master = 0) {
    return MultiNodeIterator(std::move(actual), std::move(communicator), rank_master);
}

}  // namespace catena
