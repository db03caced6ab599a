#pragma once

#include <functional>

#include "frontend/dataset/iterator/serial_iterator.h"
#include "frontend/trainer/trainer.h"
#include "frontend/trainer/updater.h"

namespace catena {

/// An updater without a model, to test extensions and triggers with: iterations do nothing but
/// count, `per_epoch` of them in an epoch. Chainer's
/// testing.get_trainer_with_mock_updater(stop_trigger, iter_per_epoch) is
///
///     ct::MockUpdater updater(10);
///     ct::Trainer trainer(updater, {10, "iteration"}, folder);
class MockUpdater : public Updater {
public:
    explicit MockUpdater(int64_t per_epoch = 10);
    std::function<void(int64_t iteration)> on_update =
        {};  ///< A function called in every iteration with its number; they count from 1.
    bool finalized = false;  ///< True after finalize() was called.

    void finalize() override { finalized = true; }
    void serialize(const Serializer& s) override;
    std::vector<std::pair<std::string, Optimizer*>> optimizers() const override { return {}; }
    Iterator& get_iterator(
        const std::string& name = "main") const override;  ///< The optimizer for any name.

protected:
    void update_core() override;

private:
    mutable SerialIterator iterator_;
};

}  // namespace catena
