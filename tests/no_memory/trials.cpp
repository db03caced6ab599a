#include "tests/no_memory/trials.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>
#include <thread>
#include <typeinfo>

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/core/system/error.h"

namespace catena::testing {
namespace {

/// What children leave, whatever happens to them.
struct Board {
    int64_t count = 0;     ///< Trials begun.
    bool is_over = false;  ///< No allocation is left.
    Trial list[1];
};
Board* board = nullptr;

Trial& current() { return board->list[board->count - 1]; }

void on_death(int signal) {
    current().death.take();
    std::signal(signal, SIG_DFL);
    raise(signal);
}

void prepare_for_death() {
    static char* const stack = static_cast<char*>(
        mmap(nullptr, 1 << 18, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    const stack_t other{.ss_sp = stack, .ss_flags = 0, .ss_size = 1 << 18};
    sigaltstack(&other, nullptr);
    for (int signal : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL}) {
        struct sigaction action = {};
        action.sa_handler = on_death;
        action.sa_flags = SA_ONSTACK | SA_NODEFER;
        sigaction(signal, &action, nullptr);
    }
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    std::freopen("/dev/null", "w", stderr);
}

void note(Trial& trial, Outcome outcome, const char* type = "", const char* text = "") {
    trial.outcome = outcome;
    std::snprintf(trial.message, sizeof trial.message, "%s%s%s", type, *type ? ": " : "", text);
}

/// What run() does while allocations fail; how many there were.
int64_t run_failing(Work& work, Trial& trial, const TrialOptions& options) {
    int64_t seen = 0;
    trial.outcome = Outcome::right;
    begin_failing(trial.number, options.many, &trial.failed, &trial.latest);
    try {
        work.run();
        seen = end_failing();
    } catch (const Error& error) {
        seen = end_failing();
        note(trial, Outcome::refused, "", error.what());
    } catch (const std::exception& error) {
        seen = end_failing();
        note(trial, Outcome::other_error, typeid(error).name(), error.what());
    } catch (...) {
        seen = end_failing();
        note(trial, Outcome::other_error, "not of std");
    }
    return seen;
}

/// False when there was no such allocation any more.
bool run_trial(Work& work, Trial& trial, const TrialOptions& options, const std::string& expected) {
    if (!options.first_run) work.prepare();
    trial.outcome = Outcome::died;
    const int64_t seen = run_failing(work, trial, options);
    const Outcome outcome = trial.outcome;
    trial.outcome = Outcome::died;
    try {
        if (outcome == Outcome::right && work.result() != expected)
            return note(trial, Outcome::other_bits), true;
        work.prepare();
        work.run();
        if (work.result() != expected) return note(trial, Outcome::unusable, "other bits"), true;
    } catch (const std::exception& error) {
        return note(trial, Outcome::unusable, typeid(error).name(), error.what()), true;
    }
    trial.outcome = outcome;
    return seen > trial.number;
}

[[noreturn]] void run_child(const std::function<std::unique_ptr<Work>()>& make,
                            const TrialOptions& options, const std::string& expected) {
    prepare_for_death();
    const std::unique_ptr<Work> work = make();
    if (!options.first_run) {  // What is made once per process is there.
        for (int i = 0; i < 3; ++i) {
            work->prepare();
            work->run();
        }
    }
    while (board->count < options.most) {
        Trial& trial = board->list[board->count];
        trial.number = options.numbers.empty() ? options.first + board->count * options.step
                                               : options.numbers[size_t(board->count)];
        ++board->count;
        // A run of another process may ask less often: of a list the later ones are tried all the
        // same.
        if (!run_trial(*work, trial, options, expected) && options.numbers.empty()) {
            --board->count;
            board->is_over = true;
            break;
        }
        if (options.first_run || trial.outcome == Outcome::unusable) break;  // Begin anew.
    }
    _exit(0);
}

/// The result of a run in which nothing fails, by a child, too.
std::string expected_result(const std::function<std::unique_ptr<Work>()>& make) {
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("no pipe");
    const pid_t child = fork();
    if (child == 0) {
        const std::unique_ptr<Work> work = make();
        work->prepare();
        work->run();
        const std::string result = work->result();
        size_t done = 0;
        while (done < result.size()) {
            const ssize_t put = write(ends[1], result.data() + done, result.size() - done);
            if (put <= 0) _exit(1);
            done += size_t(put);
        }
        _exit(0);
    }
    close(ends[1]);
    std::string result;
    char part[4096];
    for (ssize_t got; (got = read(ends[0], part, sizeof part)) > 0;)
        result.append(part, size_t(got));
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    if (status != 0) throw std::runtime_error("the work fails although memory is there");
    return result;
}

/// Kills a child that stays with one trial for too long.
void wait_for(pid_t child, double patience) {
    using Clock = std::chrono::steady_clock;
    int64_t seen = board->count;
    auto since = Clock::now();
    int status = 0;
    while (waitpid(child, &status, WNOHANG) == 0) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        if (board->count != seen) {
            seen = board->count;
            since = Clock::now();
        } else if (std::chrono::duration<double>(Clock::now() - since).count() > patience) {
            const bool was_told = *current().message != 0;
            note(current(), Outcome::died, "hangs");
            kill(child, was_told ? SIGKILL : SIGABRT);  // It says first where it is.
            since = Clock::now();
        }
    }
    if (WIFSIGNALED(status) && !*current().message)
        note(current(), Outcome::died, strsignal(WTERMSIG(status)));
}

void* shared_memory(size_t bytes) {
    void* const shared = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (shared == MAP_FAILED) throw std::bad_alloc();
    return shared;
}

}  // namespace

const char* name_of(Outcome outcome) {
    static const char* const names[] = {"none",        "right",    "refused", "other bits",
                                        "other error", "unusable", "died"};
    return names[int(outcome)];
}

std::vector<int64_t> own_allocations(const std::function<std::unique_ptr<Work>()>& make) {
    constexpr int64_t room = 1 << 24;
    bool* const own = static_cast<bool*>(shared_memory(room));
    const pid_t child = fork();
    if (child == 0) {
        const std::unique_ptr<Work> work = make();
        begin_noting(own, room);
        work->run();
        end_failing();
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (child < 0 || status != 0) throw std::runtime_error("its allocations could not be noted");
    std::vector<int64_t> numbers;
    for (int64_t i = 0; i < room; ++i)
        if (own[i]) numbers.push_back(i);
    munmap(own, room);
    return numbers;
}

std::vector<Trial> trials(const std::function<std::unique_ptr<Work>()>& make,
                          const TrialOptions& options) {
    const std::string expected = expected_result(make);
    const size_t bytes = sizeof(Board) + size_t(options.most) * sizeof(Trial);
    void* const shared = shared_memory(bytes);
    board = new (shared) Board;
    while (!board->is_over && board->count < options.most) {
        const pid_t child = fork();
        if (child < 0) throw std::runtime_error("no child");
        if (child == 0) run_child(make, options, expected);
        const int64_t before = board->count;
        wait_for(child, options.patience);
        if (!board->is_over && board->count == before && !options.first_run)
            throw std::runtime_error("a child died before its first trial");
    }
    std::vector<Trial> result(board->list, board->list + board->count);
    munmap(shared, bytes);
    return result;
}

}  // namespace catena::testing
