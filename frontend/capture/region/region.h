#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#include "frontend/capture/call/host_read.h"
#include "frontend/capture/follow/idle_followers.h"
#include "frontend/capture/planned/known_sizes.h"
#include "frontend/capture/run/program.h"
#include "frontend/capture/region/repetition.h"
#include "frontend/static_graph/call/exported_program.h"
#include "frontend/static_graph/call/flatten.h"
#include "frontend/static_graph/call/options.h"
#include "frontend/static_graph/call/statistics.h"
#include "frontend/static_graph/call/profile.h"
#include "runtime/core/memory/function_ref.h"
#include "runtime/graph/settings/config.h"
#include "runtime/ops/communication/received_types.h"

namespace catena::capture {

/// The lookup key of a call's programs: the settings, and for every argument array its type, its
/// device and which other arguments are the same array.
using Key = std::vector<uint64_t>;

/// All data of a region for one key.
struct Entry {
    std::string description;
    std::shared_ptr<Tree> tree;
    std::shared_ptr<Program> current;  ///< The program of the latest call.
    int64_t calls = 0, last_used = 0;
    // Types of the arguments of the first call.
    std::vector<Type> types;
    std::vector<char> want_gradients;
    Config config;
    HostRead cut_at;  ///< The place of the latest host read of a computed value.
    bool was_cut = false;
    parallel::ReceivedTypes received;
};

/// Runs the user's code and lists its results in `outputs`.
using Body = FunctionRef<void(Flat& outputs)>;
/// Runs the user's code with these Variables in place of its arguments.
using Rerun = FunctionRef<void(const Flat& arguments, Flat& outputs)>;

struct Outcome {
    bool replayed = false;  ///< True if the call skipped the user's code; false: the code ran.
    /// The results of a call that skipped the code, in the order of its list of results.
    Flat outputs;
    /// A place where the caller stores the result without its Variables, for later calls that skip
    /// the code. Null: not needed.
    std::shared_ptr<std::shared_ptr<void>> result_template;
};

/// The number of a call, counted per key and per region.
struct CallNumber {
    int64_t of_key = 0, of_region = 0;
};

/// The latest call of a region, as it is needed to save the region to a file.
struct SavedCall {
    std::string region;
    bool keep_grads = false;
    std::shared_ptr<Tree> tree;
    std::shared_ptr<Program> program;
    std::vector<Type> types;
    std::vector<char> want_gradients;
    Config config;

    Device& device() const { return program->plan().device(); }
    ExportedProgram exported() const;
    /// Exports the code for arguments of other types, by running it on shapes only.
    ExportedProgram exported_for(const std::vector<Type>& types, Rerun rerun) const;
};

/// Counts background compilations, which must finish before the region is destroyed.
class Beside {
public:
    void begin() {
        std::lock_guard lock(mutex_);
        if (std::exchange(process_, getpid()) != getpid()) running_ = 0;
        ++running_;
    }
    void end() {
        std::lock_guard lock(mutex_);
        --running_;
        changed_.notify_all();
    }
    void wait() {
        std::unique_lock lock(mutex_);
        if (process_ != getpid()) return;
        changed_.wait(lock, [&] { return running_ == 0; });
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    int running_ = 0;
    /// The process that counts: in a forked child none of the parent's compilations runs.
    pid_t process_ = 0;
};

/// A region of the user's code: its paths, programs and counters.
class Region {
public:
    Region(StaticGraphOptions options, const SourceLoc& at);
    ~Region() { beside_.wait(); }
    Outcome call(const Flat& arguments, Body body);
    /// The latest call; ValueError if there is none that can be saved.
    SavedCall last_call() const;
    std::string explain() const;
    RegionProfile profile() const;
    void save_html(const std::string& path) const;
    StaticGraphStatistics statistics() const;
    void clear();

private:
    friend class Session;

    Outcome run_eagerly(Body body);
    Outcome follow(const std::shared_ptr<Entry>& entry, const CallNumber& number,
                   const Flat& arguments, Body body);
    bool must_follow(Entry& entry);
    Entry& entry_for(const Flat& arguments);
    void say_unavailable();
    void count_new(bool is_new);
    void note(std::string line);
    size_t bytes() const;
    void make_room(const Program& newest);
    void forget(std::map<Key, std::shared_ptr<Entry>>::iterator entry);
    void dump_explanation() const;

    const StaticGraphOptions options_;
    const SourceLoc at_;
    /// Guards all members below; not held while code runs or compiles.
    mutable std::recursive_mutex mutex_;
    std::map<Key, std::shared_ptr<Entry>> entries_;
    std::shared_ptr<KnownSizes> sizes_ =
        std::make_shared<KnownSizes>(int64_t(options_.memory_budget));
    IdleFollowers idle_;
    const Key* last_key_ = nullptr;
    std::shared_ptr<Entry> last_entry_;
    Key scratch_;
    StaticGraphStatistics statistics_;
    int64_t last_compiling_call_ = 0;
    /// The number of programs when the last warning about it was printed.
    int64_t programs_told_ = 0;
    std::vector<std::string> history_;
    bool said_obstacle_ = false, said_rest_ = false;
    Repetition repetition_;
    Beside beside_;
};

}  // namespace catena::capture
