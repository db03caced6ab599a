#include "tests/fuzz_files/supervised.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <new>
#include <thread>
#include <typeinfo>

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

namespace catena::fuzz {
namespace {

using Clock = std::chrono::steady_clock;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool has_sanitizer = true;  // They reserve terabytes of addresses.
#else
constexpr bool has_sanitizer = false;
#endif

constexpr int64_t inputs_of_child = 4096;

/// Reported by a child while it runs; it may crash at any time.
struct Report {
    volatile uint64_t seed;
    volatile int64_t done, accepted, refused;
    volatile double slowest;
    char error[1024];
};

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

int64_t peak_bytes_of_this() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return int64_t(usage.ru_maxrss) * 1024;
}

[[noreturn]] void run_child(const Supervision& how, const std::function<bool(uint64_t)>& input,
                            uint64_t seed, Clock::time_point end, int64_t still_least,
                            Report& report) {
    std::freopen("/dev/null", "w", stderr);
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    if (how.address_bytes > 0 && !has_sanitizer) {
        const rlimit most{rlim_t(how.address_bytes), rlim_t(how.address_bytes)};
        setrlimit(RLIMIT_AS, &most);
    }
    for (int64_t i = 0; i < inputs_of_child && (i < still_least || Clock::now() < end); ++i) {
        report.seed = seed + uint64_t(i);
        const Clock::time_point begin = Clock::now();
        try {
            if (input(report.seed))
                report.accepted = report.accepted + 1;
            else
                report.refused = report.refused + 1;
        } catch (const std::exception& error) {
            std::snprintf(report.error, sizeof report.error, "%s: %s", typeid(error).name(),
                          error.what());
            _exit(3);
        } catch (...) {
            std::snprintf(report.error, sizeof report.error, "an exception that is none of std's");
            _exit(3);
        }
        report.slowest = std::max(double(report.slowest), seconds_since(begin));
        if (const int64_t bytes = peak_bytes_of_this(); how.most_bytes && bytes > how.most_bytes) {
            std::snprintf(report.error, sizeof report.error, "took %lld MiB",
                          static_cast<long long>(bytes >> 20));
            _exit(3);
        }
        report.done = report.done + 1;
    }
    _exit(0);
}

/// Waits for the child; kills it when one input takes too long.
std::string wait_for(pid_t child, const Supervision& how, const Report& report,
                     int64_t& peak_bytes) {
    uint64_t seen = report.seed;
    Clock::time_point since = Clock::now();
    bool hung = false;
    int status = 0;
    rusage usage{};
    while (wait4(child, &status, WNOHANG, &usage) == 0) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        if (report.seed != seen) {
            seen = report.seed;
            since = Clock::now();
        } else if (!hung && seconds_since(since) > how.patience) {
            hung = true;
            kill(child, SIGKILL);
        }
    }
    peak_bytes = std::max(peak_bytes, int64_t(usage.ru_maxrss) * 1024);
    if (hung) return fmt::format("took longer than {} s", how.patience);
    if (WIFSIGNALED(status)) return fmt::format("died of {}", strsignal(WTERMSIG(status)));
    if (WEXITSTATUS(status) == 3) return report.error;
    return WEXITSTATUS(status) == 0 ? "" : fmt::format("ended with {}", WEXITSTATUS(status));
}

}  // namespace

Tally supervised(const Supervision& how, const std::function<bool(uint64_t)>& input) {
    void* shared =
        mmap(nullptr, sizeof(Report), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) throw std::bad_alloc();
    const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                        std::chrono::duration<double>(how.seconds));
    Tally tally;
    uint64_t seed = how.first_seed;
    while ((tally.inputs < how.least_inputs || Clock::now() < end) &&
           tally.failures.size() < how.most_failures) {
        Report& report = *new (shared) Report{};
        report.seed = seed;
        const pid_t child = fork();
        if (child < 0) break;
        if (child == 0) run_child(how, input, seed, end, how.least_inputs - tally.inputs, report);
        const std::string problem = wait_for(child, how, report, tally.peak_bytes);
        tally.accepted += report.accepted;
        tally.refused += report.refused;
        tally.slowest = std::max(tally.slowest, double(report.slowest));
        tally.inputs += report.done + !problem.empty();
        if (!problem.empty()) tally.failures.push_back({report.seed, problem});
        seed = problem.empty() ? seed + uint64_t(report.done) : report.seed + 1;
    }
    munmap(shared, sizeof(Report));
    return tally;
}

bool in_child(const std::function<void()>& work) {
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) {
        try {
            work();
        } catch (const std::exception& error) {
            std::fprintf(stderr, "%s\n", error.what());
            _exit(1);
        }
        _exit(0);
    }
    int status = 0;
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

}  // namespace catena::fuzz
