#include "frontend/parallel/multi_node_trainer_snapshot.h"

#include "frontend/parallel/whole_files.h"
#include "frontend/serializer/memory_archive.h"
#include "frontend/trainer/extensions/snapshot/snapshot_file.h"
#include "frontend/trainer/trainer.h"
#include "runtime/file/file.h"

namespace catena::extensions {
namespace {

SnapshotOptions of_set(SnapshotOptions options, const MultiNodeSnapshot& sets) {
    options.filename = sets.file_name(options.filename);
    return options;
}

}  // namespace

MultiNodeTrainerSnapshot::MultiNodeTrainerSnapshot(std::shared_ptr<Communicator> communicator,
                                                   SnapshotOptions options,
                                                   std::vector<std::vector<int>> replica_sets,
                                                   SerializeFunction target)
    : sets_(std::move(communicator), std::move(replica_sets)),
      names_(sets_.file_name(options.filename), options.autoload),
      format_(options.writer ? options.writer->format() : options.format),
      autoload_(options.autoload),
      target_(std::move(target)),
      actual_(of_set(std::move(options), sets_), target_) {}

void MultiNodeTrainerSnapshot::resume(Trainer& trainer) {
    if (!autoload_) return;
    const SerializeFunction target =
        target_ ? target_ : [&](const Serializer& s) { trainer.serialize(s); };
    if (sets_.set_count() == 1)
        sets_.spread([&] { actual_.resume(trainer); }, target);
    else
        resume_all_sets(trainer, target);
}

/// Each master by itself could go on from another iteration than the others.
void MultiNodeTrainerSnapshot::resume_all_sets(Trainer& trainer, const SerializeFunction& target) {
    const std::string suffix = sets_.file_name("");
    std::vector<std::string> own;
    if (sets_.is_master()) {
        remove_abandoned(trainer.out(), [&](const std::string& name) { return names_.has(name); });
        for (const std::string& file : names_.files_in(trainer.out()))
            own.insert(own.begin(), file.substr(0, file.size() - suffix.size()));
    }
    std::vector<std::string> files = common_names(sets_.communicator(), own, sets_.is_master());
    for (std::string& file : files) file = sets_.is_master() ? file + suffix : "";
    const std::optional<size_t> latest =
        first_whole(sets_.communicator(), "multi_node_snapshot", files, format_);
    if (!latest) return;
    sets_.spread([&] { load_from(*open_snapshot(files[*latest], format_), target, {}); }, target);
}

void MultiNodeTrainerSnapshot::operator()(Trainer& trainer) {
    if (sets_.is_master()) actual_(trainer);
}

void MultiNodeTrainerSnapshot::stopped(Trainer& trainer) {
    if (sets_.is_master()) actual_.stopped(trainer);
}

void MultiNodeTrainerSnapshot::on_error(Trainer& trainer, const std::exception& error) {
    if (sets_.is_master()) actual_.on_error(trainer, error);
}

void MultiNodeTrainerSnapshot::finalize() {
    if (sets_.is_master()) actual_.finalize();
}

}  // namespace catena::extensions
