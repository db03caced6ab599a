#include "frontend/parallel/multi_node_trainer_snapshot.h"

#include "frontend/optimizer/gather_moments.h"
#include "frontend/parallel/other_ranks.h"
#include "frontend/parallel/whole_files.h"
#include "frontend/serializer/memory_archive.h"
#include "frontend/trainer/extensions/snapshot/snapshot_file.h"
#include "frontend/trainer/trainer.h"
#include "frontend/trainer/updater.h"
#include "runtime/core/system/notice.h"
#include "runtime/file/file.h"

namespace catena::extensions {
namespace {

SnapshotOptions of_set(SnapshotOptions options, const MultiNodeSnapshot& sets) {
    options.filename = sets.file_name(options.filename);
    return options;
}

constexpr const char* snapshot_name = "multi_node_snapshot";

/// What each rank has a part of, before masters alone save it.
void gather_optimizers(Trainer& trainer) {
    for (const auto& [name, optimizer] : trainer.updater().optimizers()) gather_moments(*optimizer);
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
    if (sets_.set_count() > 1) return resume_all_sets(trainer, target);
    const auto load = [&] {
        actual_.resume_by(trainer, [&](const std::string& file) { load_file(file, target); });
    };
    sets_.spread(load, target);
}

void MultiNodeTrainerSnapshot::load_file(const std::string& file,
                                         const SerializeFunction& target) const {
    load_of_any_ranks(*open_snapshot(file, format_), snapshot_name, sets_.communicator().size(),
                      target);
}

/// Resumes all sets at one iteration: each master by itself could go on from another one than the
/// others.
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
        first_whole(sets_.communicator(), snapshot_name, files, format_);
    if (!latest && !own.empty())
        notice_once(
            fmt::format("multi_node_snapshot: {} has snapshots of this rank's set, but none that "
                        "all sets have; the training begins anew",
                        trainer.out()));
    if (!latest) return;
    const std::string& file = files[*latest];
    sets_.spread([&] { load_file(file, target); }, target);
}

void MultiNodeTrainerSnapshot::operator()(Trainer& trainer) {
    gather_optimizers(trainer);
    if (sets_.is_master()) actual_(trainer);
}

void MultiNodeTrainerSnapshot::stopped(Trainer& trainer) {
    gather_optimizers(trainer);
    if (sets_.is_master()) actual_.stopped(trainer);
}

/// A rank that fails does so alone, and cannot gather.
void MultiNodeTrainerSnapshot::on_error(Trainer& trainer, const std::exception& error) {
    if (sets_.is_master() && std::ranges::none_of(trainer.updater().optimizers(), [](auto& each) {
            return has_parts(*each.second);
        }))
        actual_.on_error(trainer, error);
}

void MultiNodeTrainerSnapshot::finalize() {
    if (sets_.is_master()) actual_.finalize();
}

void MultiNodeTrainerSnapshot::serialize(const Serializer& s) {
    serialize_ranks(s, snapshot_name, sets_.communicator().size());
}

}  // namespace catena::extensions
