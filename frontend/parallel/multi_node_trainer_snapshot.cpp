#include "frontend/parallel/multi_node_trainer_snapshot.h"

#include <algorithm>

#include "frontend/optimizer/gather_moments.h"
#include "frontend/parallel/whole_files.h"
#include "frontend/serializer/memory_archive.h"
#include "frontend/trainer/extensions/snapshot/snapshot_file.h"
#include "frontend/trainer/trainer.h"
#include "frontend/trainer/updater.h"
#include "runtime/core/system/counted.h"
#include "runtime/core/system/notice.h"
#include "runtime/file/file.h"

namespace catena::extensions {
namespace {

SnapshotOptions of_set(SnapshotOptions options, const MultiNodeSnapshot& sets) {
    options.filename = sets.file_name(options.filename);
    return options;
}

constexpr std::string_view ranks_key = "ranks";

[[noreturn]] void wrong_number(int64_t saved, int64_t ranks) {
    fail<ValueError>(
        "multi_node_snapshot: the snapshot is of a training by {}, and this one is by {}, each "
        "of which has another part of the data. Start {}, or load only model and optimizer from "
        "it, load_npz(FILE, model, {{.path = \"updater/model:main\"}}) and load_npz(FILE, "
        "optimizer, {{.path = \"updater/optimizer:main\"}}), and begin an epoch",
        counted(saved, "rank"), counted(ranks, "rank"), counted(saved, "rank"));
}

/// Loads. What does not fit in a file of another number of ranks, such as the order of the data,
/// does not because of that.
template <class F>
void load_of(const std::string& file, SnapshotFormat format, int64_t ranks, F load) {
    try {
        load();
    } catch (const FileError&) {
        if (!damage_of(file, format).empty()) throw;
        const auto archive = open_snapshot(file, format);
        for (const std::string& key : archive->keys())
            if (key.starts_with("extensions/") && key.ends_with(fmt::format("/{}", ranks_key)))
                if (const int64_t saved = archive->read(key).item<int64_t>(); saved != ranks)
                    wrong_number(saved, ranks);
        throw;
    }
}

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
        const std::vector<std::string> files = names_.files_in(trainer.out());
        load_of(files.empty() ? "" : files.back(), format_, sets_.communicator().size(),
                [&] { actual_.resume(trainer); });
    };
    sets_.spread(load, target);
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
        first_whole(sets_.communicator(), "multi_node_snapshot", files, format_);
    if (!latest && !own.empty())
        notice_once(
            fmt::format("multi_node_snapshot: {} has snapshots of this rank's set, but none that "
                        "all sets have; the training begins anew",
                        trainer.out()));
    if (!latest) return;
    const std::string& file = files[*latest];
    const auto load = [&] {
        load_of(file, format_, sets_.communicator().size(),
                [&] { load_from(*open_snapshot(file, format_), target, {}); });
    };
    sets_.spread(load, target);
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
    int64_t ranks = sets_.communicator().size();
    if (!s.loading()) return s(ranks_key, ranks);
    if (!s.has(ranks_key)) return;
    if (const int64_t saved = s.get(ranks_key, ranks); saved != ranks) wrong_number(saved, ranks);
}

}  // namespace catena::extensions
