#include "runtime/profile/profiler.h"

#include <unistd.h>

#include <cstdlib>
#include <deque>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>

#include "runtime/core/system/environment.h"
#include "runtime/core/system/fork.h"
#include "runtime/core/system/per_thread.h"
#include "runtime/core/system/log.h"
#include "runtime/profile/write_trace.h"

namespace catena::profile {
namespace {

struct Lane {
    std::mutex& mutex = taken_by_forks(*new std::mutex);
    LaneContent content;
};

struct Profiler {
    std::mutex& mutex = taken_by_forks(*new std::mutex);
    std::deque<Lane> lanes;  ///< One for each thread that has ever recorded.
    std::deque<Label> labels;
    std::map<std::tuple<std::string, std::string, std::string, double, double, double>,
             const Label*>
        known;
    std::atomic<int64_t> slices{0}, dropped{0}, generation{0};
    const Clock::time_point start = Clock::now();
    // Of CATENA_PROFILE:
    std::string path;
    pid_t process = 0;
};

/// The profiler of the process. Never destroyed: threads may record while the process exits.
Profiler& profiler() {
    static Profiler* instance = new Profiler;
    return *instance;
}

Lane& lane() {
    static constinit PerThread<Lane*> own;
    return *own.get([] {
        Profiler& p = profiler();
        std::lock_guard lock(p.mutex);
        Lane& fresh = p.lanes.emplace_back();
        fresh.content.number = int(p.lanes.size()) - 1;
        fresh.content.is_of_pool = true;
        return &fresh;
    });
}

void write_at_exit() {
    Profiler& p = profiler();
    // A child that was forked has its parent's slices; a process without slices may share the
    // variable with one that has some.
    if (p.process != getpid() || p.slices == 0) return;
    try {
        write_trace(p.path, Ceilings::Ask::known);
    } catch (const std::exception& error) {
        say(LogLevel::error, fmt::format("CATENA_PROFILE: {}", error.what()));
    }
}

void check_folder(const std::string& path) {
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    std::error_code ignored;
    if (folder.empty() || std::filesystem::is_directory(folder, ignored)) return;
    fail<ValueError>("CATENA_PROFILE: '{}' cannot be written, there is no folder {}", path,
                     folder.string());
}

}  // namespace

namespace detail {

std::atomic<int> state{unread};

bool read_environment() {
    static std::mutex& mutex = taken_by_forks(*new std::mutex);
    std::lock_guard lock(mutex);
    if (state.load() != unread) return state.load() > 0;
    const std::optional<std::string> path = environment::text("CATENA_PROFILE");
    if (path) {
        check_folder(*path);
        Profiler& p = profiler();
        p.path = *path;
        p.process = getpid();
        std::atexit(write_at_exit);
    }
    state = path ? 1 : 0;
    return path.has_value();
}

}  // namespace detail

int64_t generation() { return profiler().generation.load(std::memory_order_relaxed); }

const Label* keep(Label label) {
    Profiler& p = profiler();
    std::lock_guard lock(p.mutex);
    auto [known, is_new] =
        p.known.try_emplace({label.category, label.name, label.place, label.bytes_read,
                             label.bytes_written, label.operations});
    if (is_new) known->second = &p.labels.emplace_back(std::move(label));
    return known->second;
}

void add(const Label* label, Clock::time_point begin, Clock::time_point end, bool in_pool) {
    if (!is_on()) return;
    Profiler& p = profiler();
    if (p.slices.fetch_add(1, std::memory_order_relaxed) >= most_slices) {
        p.dropped.fetch_add(1, std::memory_order_relaxed);
        return;
    }
    const auto since_start = [&](Clock::time_point t) {
        return std::chrono::duration_cast<std::chrono::nanoseconds>(t - p.start).count();
    };
    try {  // Scopes end here, which must not fail.
        Lane& own = lane();
        std::lock_guard lock(own.mutex);
        own.content.slices.push_back({label, since_start(begin), since_start(end)});
        own.content.is_of_pool = own.content.is_of_pool && in_pool;
    } catch (const std::bad_alloc&) {
        p.dropped.fetch_add(1, std::memory_order_relaxed);
    }
}

Content content() {
    Profiler& p = profiler();
    Content all;
    all.dropped = p.dropped;
    std::lock_guard lock(p.mutex);
    for (Lane& lane : p.lanes) {
        std::lock_guard lane_lock(lane.mutex);
        if (!lane.content.slices.empty()) all.lanes.push_back(lane.content);
    }
    return all;
}

void Span::begin(const char* category, std::string_view name, const SourceLoc& at) {
    label_ = keep({.name = fmt::format("{} {}", category, name),
                   .category = category,
                   .place = to_string(at)});
    begin_ = Clock::now();
}

namespace {

/// Forgets the slices of earlier scopes.
void begin_anew() {
    Profiler& p = profiler();
    std::lock_guard lock(p.mutex);
    for (Lane& lane : p.lanes) {
        std::lock_guard lane_lock(lane.mutex);
        lane.content.slices.clear();
    }
    p.slices = 0;
    p.dropped = 0;
    ++p.generation;
}

}  // namespace
}  // namespace catena::profile

namespace catena {

ProfileScope::ProfileScope() {
    profile::profiler();
    if (!profile::is_on()) profile::begin_anew();
    ++profile::detail::state;
}

ProfileScope::~ProfileScope() { --profile::detail::state; }

}  // namespace catena
