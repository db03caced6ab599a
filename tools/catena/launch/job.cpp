#include "tools/catena/launch/job.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <memory>
#include <optional>

#include <poll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/core.h>

#include "runtime/core/system/error.h"
#include "tools/catena/launch/rank_process.h"
#include "tools/catena/terminal.h"

namespace catena::tool {
namespace {

using Clock = std::chrono::steady_clock;

/// Signals as messages in a file, while it exists.
class Signals {
public:
    Signals() {
        sigset_t wanted;
        sigemptyset(&wanted);
        for (const int number : {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2})
            sigaddset(&wanted, number);
        pthread_sigmask(SIG_BLOCK, &wanted, &before_);
        pipe_before_ = std::signal(SIGPIPE, SIG_IGN);
        file_ = signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
        if (file_ < 0) fail<Error>("launch: signals cannot be read: {}", std::strerror(errno));
    }
    ~Signals() {
        close(file_);
        std::signal(SIGPIPE, pipe_before_);
        pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }
    Signals(const Signals&) = delete;
    int file() const { return file_; }
    /// The next one that is for the ranks; 0: none.
    int next() const {
        signalfd_siginfo info{};
        while (read(file_, &info, sizeof info) == ssize_t(sizeof info))
            if (int(info.ssi_signo) != SIGCHLD) return int(info.ssi_signo);
        return 0;
    }

private:
    sigset_t before_{};
    void (*pipe_before_)(int) = nullptr;
    int file_ = -1;
};

std::string ending_of(int rank, int status) {
    if (WIFSIGNALED(status))
        return fmt::format("rank {} was ended by signal {} ({})", rank, WTERMSIG(status),
                           sigdescr_np(WTERMSIG(status)));
    return fmt::format("rank {} has ended with status {}", rank, WEXITSTATUS(status));
}

class Job {
public:
    Job(const std::vector<RankProgram>& programs, bool with_prefix, double grace)
        : grace_(
              std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(grace))) {
        for (const RankProgram& program : programs)
            ranks_.push_back(
                std::make_unique<RankProcess>(int(ranks_.size()), program, with_prefix));
    }

    JobEnd run() {
        while (std::ranges::any_of(ranks_, [](const auto& rank) { return rank->is_running(); })) {
            wait();
            while (const int number = signals_.next()) {
                end_.was_told = true;
                for (const auto& rank : ranks_) rank->signal(number);
            }
            for (const auto& rank : ranks_) {
                rank->print_lines();
                if (rank->has_ended() && rank->status() != 0) note_failure(*rank);
            }
            if (next_step_ && Clock::now() >= *next_step_) end_others();
        }
        return end_;
    }

private:
    void wait() const {
        std::vector<pollfd> files{{signals_.file(), POLLIN, 0}};
        for (const auto& rank : ranks_)
            for (const int file : {rank->output(), rank->errors()})
                if (file >= 0) files.push_back({file, POLLIN, 0});
        int milliseconds = -1;
        if (next_step_)
            milliseconds = int(std::max<int64_t>(
                0,
                std::chrono::ceil<std::chrono::milliseconds>(*next_step_ - Clock::now()).count()));
        poll(files.data(), files.size(), milliseconds);
    }

    void note_failure(const RankProcess& rank) {
        if (end_.status != 0) return;
        const int status = rank.status();
        end_.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
        end_.rank = rank.rank();
        end_.failure = ending_of(rank.rank(), status);
        next_step_ = Clock::now();
    }

    /// First politely, then by force, at last without the other machine.
    void end_others() {
        constexpr auto a_moment = std::chrono::seconds(2);
        for (const auto& rank : ranks_) {
            if (steps_ == 0) rank->signal(SIGTERM);
            if (steps_ == 1) rank->signal(SIGKILL);
            if (steps_ > 1) rank->end_here();
        }
        next_step_ = Clock::now() + (steps_ == 0 ? grace_ : Clock::duration(a_moment));
        ++steps_;
    }

    Signals signals_;  // Blocked before there are processes.
    Clock::duration grace_;
    std::vector<std::unique_ptr<RankProcess>> ranks_;
    JobEnd end_;
    std::optional<Clock::time_point> next_step_;
    int steps_ = 0;
};

}  // namespace

JobEnd run_job(const std::vector<RankProgram>& programs, bool with_prefix, double grace) {
    return Job(programs, with_prefix, grace).run();
}

}  // namespace catena::tool
