#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "frontend/capture/follower.h"
#include "frontend/capture/program.h"
#include "frontend/static_graph.h"
#include "runtime/graph/config.h"

namespace catena::capture {

/// What finds the programs of a call: settings, and of every array its type, device and which others it is the same as.
/// The words in which two keys are compared.
using Key = std::vector<uint64_t>;

/// All that a region knows for one key.
struct Entry {
    std::string description;
    std::shared_ptr<Tree> tree;
    std::vector<std::unique_ptr<Follower>> idle;  ///< Followers of `tree` that serve no call now.
    std::shared_ptr<Program> current;             ///< Of the latest call.
    int64_t calls = 0, last_used = 0;
    // Of the arguments it was made for.
    std::vector<Type> types;
    std::vector<char> want_gradients;
    Config config;
    SourceLoc cut_at;                             ///< Where the host last read a value in the middle of the code.
    bool was_cut = false;
};

/// The number of a call, among those of its key and of its region.
struct CallNumber {
    int64_t of_key = 0, of_region = 0;
};

/// The latest call of a region, for a file.
struct SavedCall {
    std::string region;
    bool keep_grads = false;
    std::shared_ptr<Tree> tree;
    std::shared_ptr<Program> program;
    std::vector<Type> types;
    std::vector<char> want_gradients;
    Config config;

    Device& device() const { return program->device(); }
    ExportedProgram exported() const;
    /// Of the same code on arguments of other types: it runs on shapes.
    ExportedProgram exported_for(const std::vector<Type>& types, const StaticRegion::Rerun& rerun) const;
};

/// Counts what runs beside a region, which must not end before it.
class Beside {
public:
    void begin() {
        std::lock_guard lock(mutex_);
        ++running_;
    }
    void end() {
        std::lock_guard lock(mutex_);
        --running_;
        changed_.notify_all();
    }
    void wait() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return running_ == 0; });
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    int running_ = 0;
};

/// A region of the user's code: its paths, programs and counters.
class Region {
public:
    Region(StaticGraphOptions options, const SourceLoc& at);
    ~Region() { beside_.wait(); }
    StaticRegion::Outcome call(const Flat& arguments, const StaticRegion::Body& body);
    SavedCall last_call() const;  ///< ValueError when there is none that a file could hold.
    std::string explain() const;
    StaticGraphStatistics statistics() const;
    void clear();

private:
    friend class Session;

    StaticRegion::Outcome run_eagerly(const StaticRegion::Body& body);
    StaticRegion::Outcome follow(const std::shared_ptr<Entry>& entry, const CallNumber& number, const Flat& arguments,
                                 const StaticRegion::Body& body);
    bool must_follow(Entry& entry);
    Entry& entry_for(const Flat& arguments);
    std::unique_ptr<Follower> take_follower(Entry& entry);
    void say_unavailable();
    void note(std::string line);
    size_t bytes() const;
    void make_room(const Program& newest);
    void forget(std::map<Key, std::shared_ptr<Entry>>::iterator entry);
    void dump_explanation() const;

    const StaticGraphOptions options_;
    const SourceLoc at_;
    mutable std::recursive_mutex mutex_;  ///< Of all below; not held while code runs or compiles.
    std::map<Key, std::shared_ptr<Entry>> entries_;
    const Key* last_key_ = nullptr;
    std::shared_ptr<Entry> last_entry_;
    Key scratch_;
    StaticGraphStatistics statistics_;
    std::vector<std::string> history_;
    bool said_obstacle_ = false;
    Beside beside_;
};

}  // namespace catena::capture
