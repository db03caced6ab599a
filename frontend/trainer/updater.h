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
    virtual void connect_trainer(Trainer&) {}
    virtual void finalize() {}
    virtual void serialize(const Serializer& s) = 0;

    virtual std::vector<std::pair<std::string, Optimizer*>> optimizers() const = 0;
    /// The optimizer of that name; ValueError that lists the existing names.
    Optimizer& get_optimizer(const std::string& name) const;
    virtual Iterator& get_iterator(const std::string& name = "main") const = 0;

    int64_t iteration() const { return iteration_; }  ///< Number of updates so far.
    /// Number of completed epochs of the main iterator; the next three are about that iterator,
    /// too.
    int64_t epoch() const;
    double epoch_detail() const;
    std::optional<double> previous_epoch_detail() const;
    bool is_new_epoch() const;

protected:
    virtual void update_core() = 0;
    int64_t iteration_ = 0;
};

}  // namespace catena
