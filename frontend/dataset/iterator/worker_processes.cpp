#include "frontend/dataset/iterator/worker_processes.h"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <deque>
#include <limits>

#include <semaphore.h>
#include <sys/wait.h>
#include <unistd.h>

#include "frontend/dataset/example_bytes.h"
#include "runtime/comm/shared_block.h"
#include "runtime/core/parallel/parallel.h"
#include "runtime/core/system/error.h"
#include "runtime/core/system/log.h"
#include "runtime/graph/call/recorder.h"
#include "runtime/ops/noise/random.h"

namespace catena {
namespace {

using Clock = std::chrono::steady_clock;

enum class Outcome : int32_t { none, example, large_example, error };
enum class ErrorKind : int32_t { other, value, shape, dtype, file };

/// One example's slot in the shared memory: the request and the result.
struct Place {
    int64_t index = 0, seed = 0;
    std::atomic<int32_t> reader{0};  ///< The process that has taken the batch.
    std::atomic<Outcome> outcome{Outcome::none};
    ErrorKind kind = ErrorKind::other;
    uint64_t bytes = 0;
    int file = -1;  ///< The descriptor of a large message's file, as its reader calls it; -1: none.
};

struct Control {
    sem_t wanted, done;
    std::atomic<uint64_t> taken{0};
    std::atomic<uint64_t> collected{
        0};  ///< Tasks before this one are done with: their places may have another by now.
    std::atomic<bool> ends{false};
};

/// A process's own blocks, with the tasks whose examples they hold: the process keeps each until
/// its task was collected.
class LargeExamples {
public:
    explicit LargeExamples(const Control& control) : control_(control) {}
    bool any() const { return !blocks_.empty(); }
    void keep(uint64_t task, const SharedBlock& block) { blocks_.emplace_back(task, block); }
    void free_collected() {
        for (; any() && blocks_.front().first < control_.collected; blocks_.pop_front())
            unmap_shared_block(blocks_.front().second);
    }

private:
    const Control& control_;
    std::deque<std::pair<uint64_t, SharedBlock>> blocks_;
};

/// False after a timeout in milliseconds (up to 1000).
bool wait_for_post(sem_t& semaphore, int64_t milliseconds) {
    timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    const int64_t nanoseconds = until.tv_nsec + milliseconds * 1000000;
    until.tv_sec += nanoseconds / 1000000000;
    until.tv_nsec = nanoseconds % 1000000000;
    return sem_timedwait(&semaphore, &until) == 0;
}

ErrorKind error_kind_of(const std::exception& error) {
    if (dynamic_cast<const ValueError*>(&error)) return ErrorKind::value;
    if (dynamic_cast<const ShapeError*>(&error)) return ErrorKind::shape;
    if (dynamic_cast<const DtypeError*>(&error)) return ErrorKind::dtype;
    if (dynamic_cast<const FileError*>(&error)) return ErrorKind::file;
    return ErrorKind::other;
}

[[noreturn]] void throw_again(ErrorKind kind, const std::string& text) {
    switch (kind) {
        case ErrorKind::value:
            throw ValueError(text);
        case ErrorKind::shape:
            throw ShapeError(text);
        case ErrorKind::dtype:
            throw DtypeError(text);
        case ErrorKind::file:
            throw FileError(text);
        default:
            throw Error(text);
    }
}

}  // namespace

struct WorkerProcesses::Body {
    const Dataset& dataset;
    WorkerOptions options;
    SharedBlock memory;
    Control* control = nullptr;
    Place* places = nullptr;
    char* elements = nullptr;
    uint64_t started = 0;
    std::vector<pid_t> processes;
    std::string broken;  ///< Why no more examples come: a process died, with what it had taken, or
                         ///< cannot be replaced.
    bool complained = false;

    Body(const Dataset& all, const WorkerOptions& how) : dataset(all), options(how) {
        const size_t count = size_t(options.tasks_at_once);
        auto rounded = [](size_t bytes) { return (bytes + 4095) / 4096 * 4096; };
        const size_t at_places = rounded(sizeof(Control)),
                     at_elements = at_places + rounded(count * sizeof(Place));
        options.bytes_per_example =
            rounded(std::max<size_t>(options.bytes_per_example, 1));  // Errors lie there, too.
        memory = make_shared_block(at_elements + count * options.bytes_per_example);
        if (!memory.data)
            fail<Error>(
                "MultiprocessIterator: cannot allocate {} bytes of shared memory: {}; reduce "
                "shared_mem",
                at_elements + count * options.bytes_per_example, std::strerror(errno));
        char* begin = static_cast<char*>(memory.data);
        control = new (begin) Control;
        places = reinterpret_cast<Place*>(begin + at_places);
        for (size_t i = 0; i < count; ++i) new (places + i) Place;
        elements = begin + at_elements;
        sem_init(&control->wanted, 1, 0);
        sem_init(&control->done, 1, 0);
    }

    ~Body() {
        control->ends = true;
        for (size_t k = 0; k < processes.size(); ++k) sem_post(&control->wanted);
        for (pid_t process : processes) {
            int status = 0;
            while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
            }
        }
        unmap_shared_block(memory);
    }

    Place& place(uint64_t task) { return places[task % uint64_t(options.tasks_at_once)]; }
    char* elements_of(const Place& place) {
        return elements + size_t(&place - places) * options.bytes_per_example;
    }

    void fork_one() {
        const pid_t parent = getpid(), process = fork();
        if (process < 0)
            give_up(fmt::format("MultiprocessIterator: cannot create a process: {}",
                                std::strerror(errno)));
        if (process > 0) return processes.push_back(process);
        try {
            serve(parent);
        } catch (...) {
            _exit(1);
        }
        _exit(0);  // Skips the parent's destructors.
    }

    //---- in the processes

    void serve(pid_t parent) {
        set_thread_count(1);  // The threads of OpenMP were not forked.
        RecorderScope unseen(nullptr);
        LargeExamples large(*control);
        for (int64_t served = 0;
             options.tasks_per_process == 0 || served < options.tasks_per_process; ++served) {
            while (!wait_for_post(control->wanted, 1000)) {
                if (getppid() != parent) return;
                large.free_collected();
            }
            if (control->ends) return;
            const uint64_t task = control->taken.fetch_add(1);
            Place& mine = place(task);
            mine.reader = getpid();
            if (SharedBlock block = read(mine); block.data) large.keep(task, block);
            sem_post(&control->done);
            large.free_collected();
        }
        while (large.any() && getppid() == parent && !control->ends) {
            usleep(1000);
            large.free_collected();
        }
    }

    /// Stores the result in the slot; returns the memory of a large one, which must be kept until
    /// it is collected.
    SharedBlock read(Place& mine) {
        std::string bytes;
        Outcome outcome = Outcome::example;
        auto failed = [&](ErrorKind kind, std::string message) {
            outcome = Outcome::error;
            mine.kind = kind;
            bytes = std::move(message);
            bytes.resize(std::min(bytes.size(), options.bytes_per_example));
        };
        try {
            set_seed(mine.seed);
            bytes = example_bytes(dataset[mine.index]);
        } catch (const std::exception& error) {
            failed(error_kind_of(error), error.what());
        } catch (...) {
            failed(ErrorKind::other,
                   fmt::format(
                       "MultiprocessIterator: reading example {} throws what is no std::exception",
                       mine.index));
        }
        SharedBlock block;
        if (bytes.size() > options.bytes_per_example) {
            block = make_shared_block(bytes.size());
            if (block.data)
                outcome = Outcome::large_example;
            else
                failed(
                    ErrorKind::other,
                    fmt::format(
                        "MultiprocessIterator: no shared memory for the {} bytes of example {}: {}",
                        bytes.size(), mine.index, std::strerror(errno)));
        }
        mine.bytes = bytes.size();
        mine.file = block.file;
        std::memcpy(block.data ? block.data : elements_of(mine), bytes.data(), bytes.size());
        mine.outcome = outcome;
        return block;
    }

    //---- here

    /// Replaces processes that have reached their task limit. Any other end of a process is an
    /// error, now and from now on: what it had taken does not come any more.
    void look_after_processes() {
        for (size_t i = 0; i < processes.size() && broken.empty(); ++i) {
            int status = 0;
            const pid_t process = processes[i];
            if (waitpid(process, &status, WNOHANG) != process) continue;
            processes.erase(processes.begin() + std::ptrdiff_t(i--));
            const Place* unread = unread_of(process);
            if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && options.tasks_per_process > 0 &&
                !unread) {
                fork_one();
                continue;
            }
            const std::string how = WIFSIGNALED(status)
                                        ? fmt::format("was killed by signal {}", WTERMSIG(status))
                                        : fmt::format("ended with status {}", WEXITSTATUS(status));
            give_up(
                unread
                    ? fmt::format("MultiprocessIterator: the process that read example {} {}",
                                  unread->index, how)
                    : fmt::format("MultiprocessIterator: a process that reads examples {}", how));
        }
        if (!broken.empty()) give_up(broken);
    }

    [[noreturn]] void give_up(std::string why) {
        broken = std::move(why);
        fail<Error>("{}", broken);
    }

    /// The example that a process has taken and not read; null if there is none.
    const Place* unread_of(pid_t process) {
        for (uint64_t task = control->collected; task < started; ++task)
            if (place(task).reader == process && place(task).outcome == Outcome::none)
                return &place(task);
        return nullptr;
    }

    void wait_for(uint64_t task) {
        Place& wanted = place(task);
        const Clock::time_point start = Clock::now();
        while (wanted.outcome == Outcome::none) {
            if (wait_for_post(control->done, 50)) continue;
            look_after_processes();
            const double waited = std::chrono::duration<double>(Clock::now() - start).count();
            if (waited < options.timeout || complained) continue;
            complained = true;
            say(LogLevel::warning,
                fmt::format("MultiprocessIterator: example {} takes longer than {:g} s "
                            "(dataset_timeout)",
                            wanted.index, options.timeout));
        }
    }

    /// The example in a slot; rethrows its error.
    std::exception_ptr take(Place& from, std::vector<Example>& examples) {
        try {
            if (from.outcome == Outcome::error)
                throw_again(from.kind, std::string(elements_of(from), from.bytes));
            if (from.outcome == Outcome::example) {
                examples.push_back(example_from({elements_of(from), from.bytes}));
                return nullptr;
            }
            SharedBlock block = map_shared_block(from.reader, from.file, from.bytes);
            if (!block.data)
                fail<Error>(
                    "MultiprocessIterator: the {} bytes of example {} cannot be read: {}; use a "
                    "larger shared_mem",
                    from.bytes, from.index, std::strerror(errno));
            examples.push_back(example_from({static_cast<const char*>(block.data), from.bytes}));
            unmap_shared_block(block);
        } catch (...) {
            return std::current_exception();
        }
        return nullptr;
    }
};

WorkerProcesses::WorkerProcesses(const Dataset& dataset, WorkerOptions options)
    : body_(std::make_unique<Body>(dataset, options)) {
    for (int k = 0; k < options.processes; ++k) body_->fork_one();
}

WorkerProcesses::~WorkerProcesses() = default;

void WorkerProcesses::start(std::span<const Task> tasks) {
    Body& b = *body_;
    CATENA_ASSERT(pending() + int64_t(tasks.size()) <= b.options.tasks_at_once,
                  "more tasks than places");
    b.look_after_processes();
    for (const Task& task : tasks) {
        Place& place = b.place(b.started++);
        place.index = task.index;
        place.seed = task.seed;
        place.reader = 0;
        place.outcome = Outcome::none;
        sem_post(&b.control->wanted);
    }
}

std::vector<Example> WorkerProcesses::collect(size_t count) {
    Body& b = *body_;
    std::vector<Example> examples;
    std::exception_ptr error;
    for (size_t k = 0; k < count; ++k) {
        const uint64_t task = b.control->collected;
        b.wait_for(task);
        if (std::exception_ptr problem = b.take(b.place(task), examples); problem && !error)
            error = problem;
        b.control->collected = task + 1;
    }
    if (error) std::rethrow_exception(error);
    return examples;
}

int64_t WorkerProcesses::pending() const {
    return int64_t(body_->started - body_->control->collected);
}

}  // namespace catena
