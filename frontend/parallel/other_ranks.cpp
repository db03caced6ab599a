#include "frontend/parallel/other_ranks.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "frontend/serializer/begin_anew.h"
#include "frontend/trainer/extensions/snapshot/snapshot_file.h"
#include "runtime/core/random/random_stream.h"
#include "runtime/core/system/counted.h"
#include "runtime/core/system/error.h"
#include "runtime/core/system/log.h"
#include "runtime/ops/noise/random.h"

namespace catena {
namespace {

constexpr std::string_view ranks_key = "ranks";

}  // namespace

void wrong_number_of_ranks(const char* who, int64_t saved, int64_t ranks, const std::string& why) {
    fail<ValueError>(
        "{}: the snapshot is of a training by {}, and this one is by {}{}. Start {}, or load only "
        "model and optimizer from it, load_npz(FILE, model, {{.path = \"updater/model:main\"}}) "
        "and load_npz(FILE, optimizer, {{.path = \"updater/optimizer:main\"}}), and begin an epoch",
        who, counted(saved, "rank"), counted(ranks, "rank"), why, counted(saved, "rank"));
}

std::optional<int64_t> ranks_in(const ArchiveReader& file) {
    for (const std::string& key : file.keys()) {  // extensions/NAME/ranks, and nothing below.
        const size_t end = key.rfind('/');
        if (end == key.npos || key.substr(end + 1) != ranks_key) continue;
        const std::string extension = key.substr(0, end);
        if (!extension.starts_with("extensions/") || extension.find('/') != extension.rfind('/') ||
            file.is_text(key))
            continue;
        const Array ranks = file.read(key);
        if (ranks.defined() && ranks.rank() == 0 && ranks.dtype() == Dtype::int64)
            return ranks.item<int64_t>();
    }
    return {};
}

void serialize_ranks(const Serializer& s, const char* who, int64_t ranks) {
    if (!s.loading()) return s(ranks_key, ranks);
    if (!s.has(ranks_key)) return;
    const int64_t saved = s.get(ranks_key, ranks);
    if (saved != ranks && !begins_anew())
        wrong_number_of_ranks(who, saved, ranks, ", each of which has another part of the data");
}

void load_of_any_ranks(const ArchiveReader& file, const char* who, int64_t ranks,
                       const SerializeFunction& object) {
    const int64_t saved = ranks_in(file).value_or(ranks);
    if (saved == ranks) return load_from(file, object, {});
    std::string notes;
    const BeginAnewScope scope([&](const std::string& text) { notes += "; " + text; });
    try {
        load_from(file, object, {});
    } catch (const FileError& error) {
        if (!extensions::damage_of(file).empty()) throw;
        wrong_number_of_ranks(who, saved, ranks,
                              fmt::format(", which does not fit: {}", error.what()));
    }
    say(LogLevel::warning,
        fmt::format("{}: {} is of a training by {}, and goes on by {}: model, optimizer, counts "
                    "and random numbers as they were{}. A batch of all ranks together has {}/{} of "
                    "the examples, unless the batches of a rank were adapted",
                    who, file.path(), counted(saved, "rank"), counted(ranks, "rank"), notes, ranks,
                    saved));
}

bool have_own_seeds(Communicator& communicator) {
    const std::vector<int64_t> state = save_random_state();
    std::set<std::string> seeds;
    for (std::string& seed : communicator.allgather_bytes(fmt::format("{} {}", state[0], state[2])))
        seeds.insert(std::move(seed));
    return seeds.size() > 1;
}

void separate_random_state(int rank) {
    if (rank == 0) return;
    const std::vector<int64_t> state = save_random_state();
    const RandomStream stream{uint64_t(state[0]), uint64_t(state[1])};
    const auto words = stream.words(~uint64_t(rank));  // Draws begin at 0.
    set_seed(int64_t((uint64_t(words[0]) << 32 | words[1]) >> 1));
}

}  // namespace catena
