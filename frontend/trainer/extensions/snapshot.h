#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "frontend/serializer/serializer.h"
#include "frontend/trainer/extension.h"
#include "frontend/trainer/extensions/snapshot_names.h"
#include "frontend/trainer/extensions/snapshot_writer.h"

namespace catena::extensions {

struct SnapshotOptions {
    /// In the trainer's folder, with the fields {.updater.iteration}, {.updater.epoch} and
    /// {.updater.epoch_detail}.
    std::string filename = "snapshot_iter_{.updater.iteration}";
    SnapshotFormat format = SnapshotFormat::npz;
    std::function<bool()> condition = {};  ///< False: skip this snapshot.
    bool snapshot_on_error = false;        ///< Also save when an error ends the training.
    int n_retains = -1;  ///< Number of latest files that are kept, by the numbers in their names,
                         ///< those of this training before others; -1: all.
    /// Before training, load the latest file, if any, by the number in its name. From one that is
    /// damaged it goes on to the one before, and says so.
    bool autoload = false;
    bool in_background = false;  ///< A thread writes while training continues; the next snapshot or
                                 ///< the end waits for it.
    /// Writer of the files, replaces `format` and `in_background`; several snapshots may share one.
    std::shared_ptr<snapshot_writers::Writer> writer = {};
};

/// Saves the trainer, or another object, by default every epoch. Files are replaced atomically: a
/// full disk or a kill leaves the previous ones.
class Snapshot : public Extension {
public:
    /// An empty `target` is the trainer.
    Snapshot(SnapshotOptions options, SerializeFunction target);
    void resume(Trainer& trainer) override;
    void operator()(Trainer& trainer) override;
    void stopped(
        Trainer& trainer) override;  ///< Saves the trainer, unless this iteration was saved.
    void on_error(Trainer& trainer, const std::exception&) override;
    void finalize() override { options_.writer->finalize(); }
    std::string default_name() const override {
        return "_Snapshot";
    }  ///< Chainer's name, for its files.
    AnyTrigger trigger() const override { return {1, "epoch"}; }
    int priority() const override { return -100; }  ///< After all changes of this iteration.

private:
    SerializeFunction target_of(Trainer& trainer) const;
    void save(Trainer& trainer);
    SnapshotOptions options_;
    SerializeFunction target_;
    SnapshotNames names_;
    std::vector<std::string> own_files_;  ///< The latest, if old ones are removed.
    int64_t saved_iteration_ = -1;
};

Snapshot snapshot(SnapshotOptions options = {});
/// Saves one object to "model_iter_{.updater.iteration}"; it must outlive the trainer.
template <Serializable T>
Snapshot snapshot_object(T& target, std::string filename, SnapshotOptions options = {}) {
    options.filename = std::move(filename);
    return Snapshot(std::move(options), serialize_function(target));
}

}  // namespace catena::extensions
