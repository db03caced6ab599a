#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "frontend/serializer/serializer.h"
#include "frontend/trainer/extension.h"
#include "frontend/trainer/extensions/snapshot/snapshot_names.h"
#include "frontend/trainer/extensions/snapshot/snapshot_writer.h"

namespace catena::extensions {

/// Options of a snapshot.
struct SnapshotOptions {
    /// The file's name, in the trainer's folder, with the fields {.updater.iteration},
    /// {.updater.epoch} and {.updater.epoch_detail}.
    std::string filename = "snapshot_iter_{.updater.iteration}";
    /// The format of the files.
    SnapshotFormat format = SnapshotFormat::npz;
    std::function<bool()> condition = {};  ///< A function that returns false to skip this snapshot.
    /// Whether a snapshot is also saved when an error ends the training.
    bool snapshot_on_error = false;
    /// Number of latest files that are not removed, by the numbers in their names, those of this
    /// training before others; -1: all.
    int n_retains = -1;
    /// Whether the latest file, if any, by the number in its name, is loaded before training. If it
    /// is damaged, the one before is tried, with a warning.
    bool autoload = false;
    /// Whether a thread writes while training continues; the next snapshot or the end waits for it.
    bool in_background = false;
    /// The writer of the files, which replaces `format` and `in_background`; several snapshots may
    /// share one.
    std::shared_ptr<snapshot_writers::Writer> writer = {};
};

/// Saves the trainer, or another object, by default every epoch. Files are replaced atomically: a
/// full disk or a kill leaves the previous ones.
class Snapshot : public Extension {
public:
    /// Saves `target`; an empty one is the trainer.
    Snapshot(SnapshotOptions options, SerializeFunction target);
    void resume(Trainer& trainer) override;
    /// As resume(), with a function that loads a file.
    void resume_by(Trainer& trainer, const std::function<void(const std::string& path)>& load);
    void operator()(Trainer& trainer) override;
    /// Called when an error ends the training: saves the trainer, unless this iteration was saved.
    void stopped(Trainer& trainer) override;
    void on_error(Trainer& trainer, const std::exception&) override;
    void finalize() override { options_.writer->finalize(); }
    /// Chainer's name of the extension, as it stands in its files.
    std::string default_name() const override { return "_Snapshot"; }
    AnyTrigger trigger() const override { return {1, "epoch"}; }
    /// A low priority: after all changes of this iteration.
    int priority() const override { return -100; }

private:
    SerializeFunction target_of(Trainer& trainer) const;
    void save(Trainer& trainer);
    SnapshotOptions options_;
    SerializeFunction target_;
    SnapshotNames names_;
    /// The latest files of this training, if old ones are removed.
    std::vector<std::string> own_files_;
    int64_t saved_iteration_ = -1;
};

/// An extension that saves the trainer.
Snapshot snapshot(SnapshotOptions options = {});
/// Saves one object to "model_iter_{.updater.iteration}"; it must outlive the trainer.
template <Serializable T>
Snapshot snapshot_object(T& target, std::string filename, SnapshotOptions options = {}) {
    options.filename = std::move(filename);
    return Snapshot(std::move(options), serialize_function(target));
}

}  // namespace catena::extensions
