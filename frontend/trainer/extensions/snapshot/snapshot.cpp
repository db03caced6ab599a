#include "frontend/trainer/extensions/snapshot/snapshot.h"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <vector>

#include "frontend/trainer/extensions/snapshot/snapshot_file.h"
#include "frontend/trainer/trainer.h"
#include "frontend/trainer/updater.h"
#include "runtime/core/system/error.h"
#include "runtime/core/system/notice.h"
#include "runtime/file/file.h"

namespace catena::extensions {
namespace {

namespace fs = std::filesystem;

/// Deletes all but the latest `kept` files. Those that this training has written, `own`, count as
/// later than those that it found, which may be another training's.
void remove_old(const SnapshotNames& names, const std::string& folder,
                const std::vector<std::string>& own, size_t kept) {
    std::vector<std::string> files = names.files_in(folder);
    std::stable_partition(files.begin(), files.end(), [&](const std::string& file) {
        return std::find(own.begin(), own.end(), file) == own.end();
    });
    std::error_code ignored;
    for (size_t k = 0; k + kept < files.size(); ++k) fs::remove(files[k], ignored);
}

}  // namespace

Snapshot::Snapshot(SnapshotOptions options, SerializeFunction target)
    : options_(std::move(options)),
      target_(std::move(target)),
      names_(options_.filename, options_.autoload || options_.n_retains >= 0) {
    if (options_.filename.empty() || options_.filename.find('/') != std::string::npos)
        fail<ValueError>("snapshot: the file name is '{}'; it should be one without a folder",
                         options_.filename);
    if (options_.writer && (options_.in_background || options_.format != SnapshotFormat::npz))
        fail<ValueError>(
            "snapshot: a writer has a format and a thread of its own; give them to it, or no "
            "writer");
    if (options_.in_background)
        options_.writer = std::make_shared<snapshot_writers::ThreadWriter>(options_.format);
    else if (!options_.writer)
        options_.writer = std::make_shared<snapshot_writers::SimpleWriter>(options_.format);
    options_.format = options_.writer->format();
}

SerializeFunction Snapshot::target_of(Trainer& trainer) const {
    if (target_) return target_;
    return [&trainer](const Serializer& s) { trainer.serialize(s); };
}

void Snapshot::resume(Trainer& trainer) {
    resume_by(trainer, [&](const std::string& path) {
        load_from(*open_snapshot(path, options_.format), target_of(trainer), {});
    });
}

void Snapshot::resume_by(Trainer& trainer,
                         const std::function<void(const std::string& path)>& load) {
    remove_abandoned(trainer.out(), [&](const std::string& name) { return names_.has(name); });
    if (!options_.autoload) return;
    const std::vector<std::string> files = names_.files_in(trainer.out());
    std::exception_ptr of_the_latest;
    for (auto file = files.rbegin(); file != files.rend(); ++file) {
        const std::string& path = *file;
        try {
            load(path);
            if (of_the_latest)
                notice_once(fmt::format("snapshot: the training goes on from {}", path),
                            LogLevel::info);
            return;
        } catch (const FileError& error) {
            if (damage_of(path, options_.format).empty()) throw;
            if (!of_the_latest) of_the_latest = std::current_exception();
            notice_once(fmt::format("snapshot: {} is damaged: {}", path, error.what()));
        }
    }
    if (of_the_latest) std::rethrow_exception(of_the_latest);
}

void Snapshot::operator()(Trainer& trainer) {
    if (options_.condition && !options_.condition()) return;
    if (target_) return save(trainer);
    trainer.after_extensions([this, &trainer] { save(trainer); });
}

void Snapshot::stopped(Trainer& trainer) {
    // An object's snapshot may be one of the best, not of the last.
    if (!target_ && saved_iteration_ != trainer.updater().iteration()) (*this)(trainer);
}

void Snapshot::on_error(Trainer& trainer, const std::exception&) {
    if (options_.snapshot_on_error) save(trainer);
}

void Snapshot::save(Trainer& trainer) {
    const std::string path =
        (fs::path(trainer.out()) / names_.name_for(trainer.updater())).string();
    std::function<void()> after;
    if (options_.n_retains >= 0) {
        const size_t kept = size_t(options_.n_retains);
        std::erase(own_files_, path);
        own_files_.push_back(path);
        if (own_files_.size() > std::max<size_t>(kept, 1)) own_files_.erase(own_files_.begin());
        after = [names = names_, folder = trainer.out(), own = own_files_, kept] {
            remove_old(names, folder, own, kept);
        };
    }
    (*options_.writer)(path, target_of(trainer), after);
    saved_iteration_ = trainer.updater().iteration();
}

Snapshot snapshot(SnapshotOptions options) { return Snapshot(std::move(options), nullptr); }

}  // namespace catena::extensions
