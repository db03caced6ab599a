#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace catena {

class Iterator;
class Optimizer;
class Serializer;
class Trainer;

/// Does one iteration of a training: takes a mini-batch, updates parameters.
class Updater {
public:
    virtual ~Updater() = default;
    /// Runs one iteration; values are reported to the current reporter.
    void update() {
        update_core();
        ++iteration_;
    }
    /// Called when a trainer gets this updater.
    virtual void connect_trainer(Trainer&) {}
    /// Called after the last iteration.
    virtual void finalize() {}
    /// Saves or loads the iterator, the optimizer, its target and the number of iterations.
    virtual void serialize(const Serializer& s) = 0;

    /// The optimizers with their names.
    virtual std::vector<std::pair<std::string, Optimizer*>> optimizers() const = 0;
    /// The optimizer of that name; ValueError that lists the existing names.
    Optimizer& get_optimizer(const std::string& name) const;
    /// The iterator of that name; ValueError when there is none.
    virtual Iterator& get_iterator(const std::string& name = "main") const = 0;

    /// Number of updates so far.
    int64_t iteration() const { return iteration_; }
    /// Number of completed epochs of the main iterator; the next three are about that iterator,
    /// too.
    int64_t epoch() const;
    /// The position of the main iterator in epochs.
    double epoch_detail() const;
    /// epoch_detail() before the last batch; none before the first.
    std::optional<double> previous_epoch_detail() const;
    /// Whether the last batch completed an epoch.
    bool is_new_epoch() const;

protected:
    virtual void update_core() = 0;
    int64_t iteration_ = 0;
};

}  // namespace catena
