#include "frontend/parallel/multi_node_checkpointer.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <set>
#include <system_error>

#include "frontend/parallel/agreement.h"
#include "frontend/parallel/lines.h"
#include "frontend/parallel/multi_node_snapshot.h"
#include "frontend/parallel/other_ranks.h"
#include "frontend/parallel/whole_files.h"
#include "frontend/serializer/npz.h"
#include "frontend/trainer/extensions/snapshot/snapshot_file.h"
#include "frontend/trainer/trainer.h"
#include "frontend/trainer/updater.h"

namespace catena::extensions {

namespace fs = std::filesystem;

namespace {

constexpr const char* checkpointer_name = "create_multi_node_checkpointer";

}  // namespace

struct MultiNodeCheckpointer::Body {
    std::string name;
    std::shared_ptr<Communicator> communicator;
    CheckpointerOptions options;
    std::set<int64_t> saved;  ///< Iterations of this training; the same on all ranks.
    CheckpointStatistics statistics;
    bool failed = false;

    std::string beginning() const {
        return name + "." + std::to_string(communicator->rank()) + ".";
    }
    std::string file(int64_t iteration) const {
        return (fs::path(options.path) / (beginning() + std::to_string(iteration))).string();
    }

    /// Iterations of this rank's files.
    std::set<int64_t> own_files() const {
        std::set<int64_t> found;
        std::error_code ignored;
        for (const auto& entry : fs::directory_iterator(options.path, ignored)) {
            const std::string text = entry.path().filename().string();
            if (!text.starts_with(beginning())) continue;
            const char *first = text.data() + beginning().size(), *last = text.data() + text.size();
            int64_t iteration = 0;
            const auto [end, error] = std::from_chars(first, last, iteration);
            if (error == std::errc() && end == last) found.insert(iteration);
        }
        return found;
    }

    /// The latest iteration of rank 0's that is of another number of ranks, with this number; none
    /// if the latest is not. The same on all ranks.
    std::optional<std::pair<int64_t, int64_t>> of_other_ranks() const {
        std::string latest;
        on_root(*communicator, checkpointer_name, [&] {
            const std::set<int64_t> own = own_files();
            for (auto iteration = own.rbegin(); iteration != own.rend(); ++iteration) {
                if (!damage_of(file(*iteration), SnapshotFormat::npz).empty()) continue;
                const auto saved = ranks_in(*open_snapshot(file(*iteration), SnapshotFormat::npz));
                if (saved && *saved != communicator->size())
                    latest = fmt::format("{}\n{}\n", *iteration, *saved);
                return;
            }
        });
        const std::vector<std::string> lines = lines_of(communicator->bcast_bytes(latest));
        if (lines.empty()) return {};
        return std::pair(int64_t(std::stoll(lines[0])), int64_t(std::stoll(lines[1])));
    }

    /// Iterations that every rank has.
    std::vector<int64_t> common_files() const {
        const std::set<int64_t> own = own_files();
        const std::vector<int64_t> list(own.begin(), own.end());
        std::vector<int64_t> common = list;
        const std::string_view bytes(reinterpret_cast<const char*>(list.data()),
                                     list.size() * sizeof(int64_t));
        for (const std::string& text : communicator->allgather_bytes(bytes)) {
            std::vector<int64_t> theirs(text.size() / sizeof(int64_t));
            if (!text.empty()) std::memcpy(theirs.data(), text.data(), text.size());
            const std::set<int64_t> other(theirs.begin(), theirs.end());
            std::erase_if(common, [&](int64_t i) { return !other.contains(i); });
        }
        return common;
    }

    void remove_all_but(const std::set<int64_t>& kept) {
        std::error_code ignored;
        for (int64_t iteration : own_files())
            if (!kept.contains(iteration)) fs::remove(file(iteration), ignored);
    }

    void collect_garbage() {
        std::vector<int64_t> common = common_files();
        const size_t most = size_t(options.cp_interval);
        if (common.size() > most) common.erase(common.begin(), common.end() - std::ptrdiff_t(most));
        saved = std::set<int64_t>(common.begin(), common.end());
        remove_all_but(saved);
    }

    /// Whether every rank finished; a rank with an error does not wait for the others.
    bool all_succeeded() const {
        if (failed) return false;
        try {
            communicator->barrier();
        } catch (const CommunicationError&) {
            return false;
        }
        return true;
    }
};

MultiNodeCheckpointer::MultiNodeCheckpointer(std::string name,
                                             std::shared_ptr<Communicator> communicator,
                                             CheckpointerOptions options)
    : body_(std::make_shared<Body>()) {
    if (name.empty() || name.find_first_of("./") != name.npos)
        fail<ValueError>(
            "create_multi_node_checkpointer: the name is '{}'; it should be one without dots and "
            "slashes",
            name);
    if (options.cp_interval < 1 || options.gc_interval < 1)
        fail<ValueError>(
            "create_multi_node_checkpointer: cp_interval is {}, gc_interval {}; both should be at "
            "least 1",
            options.cp_interval, options.gc_interval);
    body_->name = std::move(name);
    body_->communicator = given(std::move(communicator), "create_multi_node_checkpointer");
    body_->options = std::move(options);
}

std::optional<int64_t> MultiNodeCheckpointer::maybe_load(Trainer& trainer,
                                                         const std::string& path) {
    Body& b = *body_;
    if (b.options.path.empty()) b.options.path = path.empty() ? trainer.out() : path;
    const std::vector<int64_t> common = b.common_files();
    b.saved = std::set<int64_t>(common.begin(), common.end());
    if (const auto other = b.of_other_ranks()) {
        const auto [iteration, ranks] = *other;
        if (!b.options.ranks_are_alike)
            wrong_number_of_ranks(checkpointer_name, ranks, b.communicator->size(),
                                  ", each of which may have another part of the model (the option "
                                  "ranks_are_alike says that none has)");
        load_of_rank_0(trainer, iteration);
        return iteration;
    }
    std::vector<std::string> files;  // The latest first.
    for (auto iteration = common.rbegin(); iteration != common.rend(); ++iteration)
        files.push_back(b.file(*iteration));
    const std::optional<size_t> latest =
        first_whole(*b.communicator, checkpointer_name, files, SnapshotFormat::npz);
    if (!latest) return {};
    load_npz(files[*latest], trainer);
    return common[common.size() - 1 - *latest];
}

void MultiNodeCheckpointer::load_of_rank_0(Trainer& trainer, int64_t iteration) {
    Body& b = *body_;
    const bool own_seeds = have_own_seeds(*b.communicator);
    const SerializeFunction target = [&](const Serializer& s) { trainer.serialize(s); };
    multi_node_snapshot(b.communicator)
        .spread(
            [&] {
                load_of_any_ranks(*open_snapshot(b.file(iteration), SnapshotFormat::npz),
                                  checkpointer_name, b.communicator->size(), target);
            },
            target);
    if (own_seeds) separate_random_state(b.communicator->rank());
}

void MultiNodeCheckpointer::save(const SerializeFunction& target, int64_t iteration) {
    Body& b = *body_;
    std::error_code problem;
    fs::create_directories(b.options.path, problem);
    const auto start = std::chrono::steady_clock::now();
    save_npz(b.file(iteration), target);
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    CheckpointStatistics& s = b.statistics;
    s.min_seconds = s.count ? std::min(s.min_seconds, seconds) : seconds;
    s.max_seconds = std::max(s.max_seconds, seconds);
    s.mean_seconds += (seconds - s.mean_seconds) / double(++s.count);
    b.saved.insert(iteration);
    if (int(b.saved.size()) > b.options.cp_interval + b.options.gc_interval) b.collect_garbage();
}

CheckpointStatistics MultiNodeCheckpointer::get_stats() const { return body_->statistics; }

void MultiNodeCheckpointer::operator()(Trainer& trainer) {
    if (body_->options.path.empty()) body_->options.path = trainer.out();
    trainer.after_extensions([this, &trainer] {
        save([&](const Serializer& s) { trainer.serialize(s); }, trainer.updater().iteration());
    });
}

void MultiNodeCheckpointer::on_error(Trainer&, const std::exception&) { body_->failed = true; }

void MultiNodeCheckpointer::finalize() {
    if (body_->all_succeeded() && !body_->options.path.empty()) body_->remove_all_but({});
}

void MultiNodeCheckpointer::serialize(const Serializer& s) {
    serialize_ranks(s, checkpointer_name, body_->communicator->size());
}

}  // namespace catena::extensions
