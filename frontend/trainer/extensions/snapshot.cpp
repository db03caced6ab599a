#include "frontend/trainer/extensions/snapshot.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <tuple>
#include <vector>

#include "frontend/serializer/hdf5.h"
#include "frontend/serializer/npz.h"
#include "frontend/trainer/trainer.h"
#include "frontend/trainer/updater.h"
#include "runtime/core/error.h"
#include "runtime/file/file.h"

namespace catena::extensions {
namespace {

namespace fs = std::filesystem;

/// The file name with every field "{...}" replaced by value(...).
template <class Value>
std::string with_fields(const std::string& filename, const Value& value) {
    std::string text;
    for (size_t at = 0; at < filename.size();) {
        const size_t end = filename[at] == '{' ? filename.find('}', at) : std::string::npos;
        if (end == std::string::npos) {
            text += filename[at++];
            continue;
        }
        text += value(std::string_view(filename).substr(at + 1, end - at - 1));
        at = end + 1;
    }
    return text;
}

void check_fields(const std::string& filename) {
    with_fields(filename, [](std::string_view field) {
        if (field != ".updater.iteration" && field != ".updater.epoch" &&
            field != ".updater.epoch_detail")
            fail<ValueError>(
                "snapshot: the file name has the field {{{}}}; there are {{.updater.iteration}}, "
                "{{.updater.epoch}} "
                "and {{.updater.epoch_detail}}",
                field);
        return "";
    });
}

std::string formatted(const std::string& filename, const Updater& updater) {
    return with_fields(filename, [&](std::string_view field) {
        if (field == ".updater.iteration") return std::to_string(updater.iteration());
        if (field == ".updater.epoch") return std::to_string(updater.epoch());
        return fmt::format("{}", updater.epoch_detail());
    });
}

/// True for names that match `filename`; not for temporary files of killed processes.
bool matches(const std::string& filename, const std::string& name) {
    size_t open = filename.find('{'), close = filename.rfind('}');
    if (open == std::string::npos || close == std::string::npos) return name == filename;
    std::string head = filename.substr(0, open), tail = filename.substr(close + 1);
    if (name.size() <= head.size() + tail.size() || !name.starts_with(head) ||
        !name.ends_with(tail))
        return false;
    std::string middle = name.substr(head.size(), name.size() - head.size() - tail.size());
    return std::all_of(middle.begin(), middle.end(),
                       [](unsigned char c) { return !std::isalpha(c); });
}

/// Saved files, the oldest first.
std::vector<fs::path> saved_files(const std::string& folder, const std::string& filename) {
    // Of files within one tick of the clock the longer name has the greater number.
    std::vector<std::tuple<fs::file_time_type, size_t, fs::path>> found;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored))
        if (entry.is_regular_file() && matches(filename, entry.path().filename().string()))
            found.emplace_back(entry.last_write_time(), entry.path().native().size(), entry.path());
    std::sort(found.begin(), found.end());
    std::vector<fs::path> files;
    for (auto& [time, length, path] : found) files.push_back(path);
    return files;
}

}  // namespace

Snapshot::Snapshot(SnapshotOptions options, SerializeFunction target)
    : options_(std::move(options)), target_(std::move(target)) {
    if (options_.filename.empty() || options_.filename.find('/') != std::string::npos)
        fail<ValueError>("snapshot: the file name is '{}'; it should be one without a folder",
                         options_.filename);
    check_fields(options_.filename);
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
    remove_abandoned(trainer.out(),
                     [&](const std::string& name) { return matches(options_.filename, name); });
    if (!options_.autoload) return;
    std::vector<fs::path> files = saved_files(trainer.out(), options_.filename);
    if (files.empty()) return;
    std::string path = files.back().string();
    if (options_.format == SnapshotFormat::hdf5)
        load_hdf5(path, target_of(trainer));
    else
        load_npz(path, target_of(trainer));
}

void Snapshot::operator()(Trainer& trainer) {
    if (!options_.condition || options_.condition()) save(trainer);
}

void Snapshot::stopped(Trainer& trainer) {
    // An object's snapshot may be one of the best, not of the last.
    if (!target_ && saved_iteration_ != trainer.updater().iteration()) (*this)(trainer);
}

void Snapshot::on_error(Trainer& trainer, const std::exception&) {
    if (options_.snapshot_on_error) save(trainer);
}

void Snapshot::save(Trainer& trainer) {
    const std::string path = trainer.out() + "/" + formatted(options_.filename, trainer.updater());
    std::function<void()> remove_old;
    if (options_.n_retains >= 0)
        remove_old = [folder = trainer.out(), filename = options_.filename,
                      kept = size_t(options_.n_retains)] {
            std::vector<fs::path> files = saved_files(folder, filename);
            std::error_code ignored;
            for (size_t k = 0; k + kept < files.size(); ++k) fs::remove(files[k], ignored);
        };
    (*options_.writer)(path, target_of(trainer), remove_old);
    saved_iteration_ = trainer.updater().iteration();
}

Snapshot snapshot(SnapshotOptions options) { return Snapshot(std::move(options), nullptr); }

}  // namespace catena::extensions
