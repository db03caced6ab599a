#include "frontend/parallel/multi_node_trainer_snapshot.h"

#include "frontend/serializer/memory_archive.h"
#include "frontend/trainer/trainer.h"

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
      autoload_(options.autoload),
      target_(std::move(target)),
      actual_(of_set(std::move(options), sets_), target_) {}

void MultiNodeTrainerSnapshot::resume(Trainer& trainer) {
    if (!autoload_) return;
    sets_.spread([&] { actual_.resume(trainer); },
                 target_ ? target_ : [&](const Serializer& s) { trainer.serialize(s); });
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
