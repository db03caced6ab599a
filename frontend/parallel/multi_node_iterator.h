#pragma once

#include <memory>

#include "frontend/dataset/iterator/iterator.h"
#include "runtime/comm/communicator.h"

namespace catena {

/// An iterator that gives the master's batches on every rank, for models that are split over
/// processes. All ranks call next() and reset() together. The examples of a batch must have equal
/// shapes.
///
/// The master saves its iterator, and every rank what it has seen of it, so that all can load the
/// master's file; the master needs its own.
class MultiNodeIterator : public Iterator {
public:
    /// Wraps `actual`, which is used on the master only and may be null elsewhere.
    MultiNodeIterator(std::shared_ptr<Iterator> actual, std::shared_ptr<Communicator> communicator,
                      int rank_master);
    std::optional<std::vector<Example>> next() override;
    void reset() override;
    void finalize() override;
    int64_t batch_size() const override { return state_.batch_size; }
    bool repeat() const override { return state_.repeat; }
    int64_t epoch() const override { return state_.epoch; }
    bool is_new_epoch() const override { return state_.is_new_epoch; }
    double epoch_detail() const override { return state_.epoch_detail; }
    std::optional<double> previous_epoch_detail() const override;
    int64_t current_position() const override { return state_.current_position; }
    int64_t examples_per_epoch() const override { return state_.examples_per_epoch; }
    void serialize(const Serializer& s) override;

private:
    struct State {
        int64_t batch_size = 0, repeat = 0, epoch = 0, is_new_epoch = 0, current_position = 0,
                examples_per_epoch = 0;
        double epoch_detail = 0, previous_epoch_detail = -1;
    };
    bool is_master() const { return communicator_->rank() == master_; }
    void look_at_actual();
    void mirror();
    std::shared_ptr<Iterator> actual_;
    std::shared_ptr<Communicator> communicator_;
    int master_;
    State state_;
};

inline MultiNodeIterator create_multi_node_iterator(std::shared_ptr<Iterator> actual,
                                                    std::shared_ptr<Communicator> communicator,
                                                    int rank_master = 0) {
    return MultiNodeIterator(std::move(actual), std::move(communicator), rank_master);
}

/// Gives the iterator the order and the random stream of rank 0's, so that all ranks take the same
/// examples of datasets that are equally long. Returns `actual`.
Iterator& create_synchronized_iterator(Iterator& actual, Communicator& communicator);

}  // namespace catena
