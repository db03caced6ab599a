#include "frontend/parallel/multi_node_iterator.h"

namespace catena {

MultiNodeIterator::MultiNodeIterator(std::shared_ptr<SerialIterator> actual,
                                     std::shared_ptr<Communicator> communicator, int rank_master)
    : actual_(std::move(actual)), communicator_(std::move(communicator)), master_(rank_master) {
    if (communicator_->rank() == master_ && !actual_)
        fail<ValueError>("create_multi_node_iterator: the master (rank {}) gives no iterator",
                         master_);
    mirror(0);
}

void MultiNodeIterator::mirror(int64_t arrays) {
    if (communicator_->rank() == master_)
        state_ = {actual_->epoch(), actual_->is_new_epoch(), actual_->current_position(),
                  actual_->dataset().size(), arrays};
    state_ = communicator_->bcast(Array::from(state_, {int64_t(state_.size())}), master_)
                 .to_vector<int64_t>();
}

std::optional<std::vector<Variable>> MultiNodeIterator::next() {
    std::optional<Batch> batch;
    const bool at_master = communicator_->rank() == master_;
    if (at_master) batch = actual_->next_batch();
    mirror(at_master ? (batch ? int64_t(batch->size()) : -1) : 0);
    if (state_[4] < 0) return std::nullopt;
    std::vector<Variable> all;
    for (int64_t i = 0; i < state_[4]; ++i)
        all.emplace_back(
            communicator_->bcast(at_master ? (*batch)[size_t(i)].array() : Array(), master_),
            false);
    return all;
}

void MultiNodeIterator::reset() {
    if (actual_) actual_->reset();
    mirror(0);
}

}  // namespace catena
