#include "tools/catena/launch/rank_process.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/core.h>

#include "runtime/core/system/error.h"

namespace catena::tool {
namespace {

constexpr size_t longest_line = 1 << 20;

struct Pipe {
    int read = -1, write = -1;
    Pipe() {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC) != 0)
            fail<Error>("launch: there is no pipe for a rank: {}", std::strerror(errno));
        read = ends[0];
        write = ends[1];
    }
    Pipe(const Pipe&) = delete;
    ~Pipe() {
        close_end(read);
        close_end(write);
    }
    static void close_end(int& end) {
        if (end >= 0) close(end);
        end = -1;
    }
    int take(int& end) { return std::exchange(end, -1); }
};

/// In the new process, where nothing but the system may be called: until it is another program.
[[noreturn]] void become(char* const* words, char* const* environment, int input, int output,
                         int errors, int problem, pid_t parent) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    signal(SIGPIPE, SIG_DFL);
    dup2(input, 0);
    if (output >= 0) dup2(output, 1);
    if (errors >= 0) dup2(errors, 2);
    execvpe(words[0], words, environment);
    const int error = errno;
    if (write(problem, &error, sizeof error) < 0) _exit(126);
    _exit(127);
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> all;
    for (std::string& text : texts) all.push_back(text.data());
    all.push_back(nullptr);
    return all;
}

/// This process's variables with the settings, of which the last of a name counts.
std::vector<std::string> environment_with(const Settings& settings) {
    std::vector<std::string> all;
    const auto is_set = [&](std::string_view entry) {
        for (const auto& [name, value] : settings)
            if (entry.starts_with(name + "=")) return true;
        return false;
    };
    for (char** entry = environ; *entry; ++entry)
        if (!is_set(*entry)) all.push_back(*entry);
    for (size_t i = 0; i < settings.size(); ++i) {
        bool is_last = true;
        for (size_t j = i + 1; j < settings.size(); ++j)
            if (settings[j].first == settings[i].first) is_last = false;
        if (is_last) all.push_back(settings[i].first + "=" + settings[i].second);
    }
    return all;
}

void write_all(int file, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = write(file, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return;  // Who does not listen has ended, or will be ended by force.
        text.remove_prefix(size_t(written));
    }
}

}  // namespace

RankLines::RankLines(int rank, std::FILE* stream)
    : prefix_(fmt::format("[{}] ", rank)), stream_(stream) {}

void RankLines::print(std::string_view line) {
    std::string text = prefix_;
    text += line;
    text += '\n';
    std::fwrite(text.data(), 1, text.size(), stream_);
}

void RankLines::add(std::string_view text) {
    for (size_t end; (end = text.find('\n')) != text.npos; text.remove_prefix(end + 1)) {
        print(rest_ + std::string(text.substr(0, end)));
        rest_.clear();
    }
    rest_ += text;
    if (rest_.size() > longest_line) end();
    std::fflush(stream_);
}

void RankLines::end() {
    if (!rest_.empty()) print(rest_);
    rest_.clear();
    std::fflush(stream_);
}

RankProcess::RankProcess(int rank, const RankProgram& program, bool with_prefix)
    : rank_(rank), output_lines_(rank, stdout), error_lines_(rank, stderr) {
    Pipe output, errors, input, problem;
    std::vector<std::string> words = program.words,
                             variables = environment_with(program.environment);
    std::vector<char*> word_pointers = pointers(words), variable_pointers = pointers(variables);
    if (!program.is_remote) {
        Pipe::close_end(input.read);
        input.read = open("/dev/null", O_RDONLY | O_CLOEXEC);
    }
    const pid_t parent = getpid();
    pid_ = fork();
    if (pid_ < 0) fail<Error>("launch: rank {} cannot be started: {}", rank, std::strerror(errno));
    if (pid_ == 0)
        become(word_pointers.data(), variable_pointers.data(), input.read,
               with_prefix ? output.write : -1, with_prefix ? errors.write : -1, problem.write,
               parent);
    setpgid(pid_, pid_);  // Whoever comes first.
    Pipe::close_end(problem.write);
    int error = 0;
    if (read(problem.read, &error, sizeof error) > 0) {
        waitpid(pid_, nullptr, 0);
        pid_ = 0;
        fail<FileError>("launch: {} cannot be executed: {}", words[0], std::strerror(error));
    }
    if (with_prefix) {
        output_ = output.take(output.read);
        errors_ = errors.take(errors.read);
        fcntl(output_, F_SETFL, O_NONBLOCK);
        fcntl(errors_, F_SETFL, O_NONBLOCK);
    }
    if (program.is_remote) {
        input_ = input.take(input.write);
        fcntl(input_, F_SETFL, O_NONBLOCK);
        write_all(input_, program.secret + "\n");
    }
}

RankProcess::~RankProcess() {
    if (is_running()) {
        end_here();
        waitpid(pid_, nullptr, 0);
    }
    for (int file : {output_, errors_, input_})
        if (file >= 0) close(file);
}

void RankProcess::print_from(int& file, RankLines& lines) {
    char buffer[1 << 16];
    while (file >= 0) {
        const ssize_t bytes = read(file, buffer, sizeof buffer);
        if (bytes < 0 && errno == EINTR) continue;
        if (bytes < 0 && errno == EAGAIN) return;
        if (bytes > 0) {
            lines.add({buffer, size_t(bytes)});
            continue;
        }
        lines.end();
        close(std::exchange(file, -1));
    }
}

void RankProcess::print_lines() {
    print_from(output_, output_lines_);
    print_from(errors_, error_lines_);
}

void RankProcess::signal(int number) {
    if (!is_running()) return;
    if (input_ < 0)
        kill(-pid_, number);
    else
        write_all(input_, std::string(sigabbrev_np(number)) + "\n");
}

void RankProcess::end_here() {
    if (is_running()) kill(-pid_, SIGKILL);
}

bool RankProcess::has_ended() {
    siginfo_t ended{};
    if (!is_running() || waitid(P_PID, id_t(pid_), &ended, WEXITED | WNOHANG | WNOWAIT) != 0 ||
        ended.si_pid != pid_)
        return false;
    if (ended.si_code != CLD_EXITED || ended.si_status != 0)
        kill(-pid_, SIGKILL);  // What it has started, while nobody else can have its number.
    waitpid(pid_, &status_, 0);
    pid_ = 0;
    print_lines();
    output_lines_.end();
    error_lines_.end();
    return true;
}

}  // namespace catena::tool
