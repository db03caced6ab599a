// Is a time that of the program, of the process, or of the hour? Starts several processes that
// prepare the same row of `catena bench` and lets them run in turn, a few milliseconds each, round
// after round: what one process loses in all rounds is its own (where its memory lies), what all
// lose in one round is the machine's. Rounds count apart by where the machine's processors were
// meanwhile: near each other or far (exchange_nanoseconds(), tools/catena/limit.h).
//     processes ROW VARIANT ROUNDS SETTING...
// Each SETTING is one or more processes: [COUNT*][PROGRAM][,NAME=VALUE]... with PROGRAM another
// build's `processes` (- for this one) and values of the environment: `processes lenet step 40 8*-
// 8*/old/build/bin/processes 8*-,CATENA_NUM_THREADS=1`.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <unistd.h>
#include <sys/wait.h>

#include "benchmarks/workloads/workload.h"
#include "benchmarks/workloads/workloads.h"
#include "tools/catena/limit.h"

namespace catena::tool {
namespace {

constexpr double warm_up_milliseconds = 150, turn_milliseconds = 12;

double at(std::vector<double> values, double part) {
    std::sort(values.begin(), values.end());
    return values[size_t(part * double(values.size() - 1))];
}

struct Times {
    double least = 0, median = 0;
};

Times run_for(const Iteration& iteration, double milliseconds) {
    using Clock = std::chrono::steady_clock;
    const auto since = [](Clock::time_point begin) {
        return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
    };
    std::vector<double> times;
    for (const auto start = Clock::now(); times.size() < 5 || since(start) < milliseconds;) {
        const auto begin = Clock::now();
        iteration.run();
        times.push_back(since(begin));
    }
    // The first runs of a turn find the caches full of others' data.
    times.erase(times.begin(), times.begin() + long(times.size() / 4));
    return {at(times, 0), at(times, 0.5)};
}

/// Runs a turn for each line of stdin.
int serve(const std::string& row, const std::string& variant) {
    const Iteration iteration = find_workload(row).prepare(parse_variant(variant), 1);
    for (int i = 0; i < 4 * iteration.cycle; ++i) iteration.run();
    run_for(iteration, warm_up_milliseconds);
    std::puts("ready");
    std::fflush(stdout);
    while (std::getchar() != EOF) {
        const Times times = run_for(iteration, turn_milliseconds);
        std::printf("%.6f %.6f\n", times.least, times.median);
        std::fflush(stdout);
    }
    return 0;
}

struct Setting {
    std::string text, program;
    std::vector<std::string> environment;
    int count = 1;
};

Setting parse(const std::string& text, const std::string& self) {
    Setting result{.text = text, .program = self};
    std::string rest = text;
    if (const size_t star = rest.find('*'); star != std::string::npos) {
        result.count = std::atoi(rest.c_str());
        rest = rest.substr(star + 1);
    }
    bool is_program = true;
    while (!rest.empty()) {
        const std::string part = rest.substr(0, rest.find(','));
        rest = part.size() < rest.size() ? rest.substr(part.size() + 1) : "";
        if (!is_program)
            result.environment.push_back(part);
        else if (part != "-")
            result.program = part;
        is_program = false;
    }
    return result;
}

struct Process {
    const Setting* setting = nullptr;
    pid_t id = 0;
    FILE *to = nullptr, *from = nullptr;
    std::vector<double> least, median;  ///< Of each round.

    void start(const std::string& row, const std::string& variant) {
        int in[2], out[2];
        if (pipe(in) || pipe(out)) std::exit(1);
        id = fork();
        if (id == 0) {
            dup2(in[0], 0);
            dup2(out[1], 1);
            for (int fd = 3; fd < 1024; ++fd)
                close(fd);  // Else children hold each other's pipes open.
            for (const std::string& each : setting->environment)
                putenv(const_cast<char*>(each.c_str()));
            execl(setting->program.c_str(), setting->program.c_str(), row.c_str(), variant.c_str(),
                  nullptr);
            std::_Exit(127);
        }
        close(in[0]);
        close(out[1]);
        to = fdopen(in[1], "w");
        from = fdopen(out[0], "r");
    }
    bool wait_ready() {
        char line[64];
        return std::fgets(line, sizeof line, from) && std::string(line) == "ready\n";
    }
    bool turn() {
        std::fputc('\n', to);
        std::fflush(to);
        double first = 0, second = 0;
        if (std::fscanf(from, "%lf %lf", &first, &second) != 2) return false;
        least.push_back(first);
        median.push_back(second);
        return true;
    }
    void end() {
        std::fclose(to);
        waitpid(id, nullptr, 0);
    }
};

constexpr double far_nanoseconds = 200;

/// Of the rounds that are marked.
void report(const char* which, const std::vector<bool>& marked,
            const std::vector<Setting>& settings, const std::vector<Process>& processes) {
    const auto chosen = [&](const std::vector<double>& all) {
        std::vector<double> kept;
        for (size_t r = 0; r < all.size(); ++r)
            if (marked[r]) kept.push_back(all[r]);
        return kept;
    };
    const auto count = std::count(marked.begin(), marked.end(), true);
    if (count == 0) return;
    std::printf(
        "%ld rounds %s; a process a line: least, 1st quartile and median over rounds of a turn's "
        "least; of a turn's median\n",
        long(count), which);
    for (const Setting& setting : settings) {
        std::printf("%s\n", setting.text.c_str());
        std::vector<double> all, all_medians, own;
        for (const Process& process : processes) {
            if (process.setting != &setting) continue;
            const std::vector<double> least = chosen(process.least),
                                      median = chosen(process.median);
            std::printf("  %8.4f %8.4f %8.4f; %8.4f %8.4f %8.4f\n", at(least, 0), at(least, 0.25),
                        at(least, 0.5), at(median, 0), at(median, 0.25), at(median, 0.5));
            all.insert(all.end(), least.begin(), least.end());
            all_medians.insert(all_medians.end(), median.begin(), median.end());
            own.push_back(at(least, 0.25));
        }
        std::printf(
            "  all: least %.4f, quartile %.4f, median %.4f; of medians %.4f %.4f %.4f; quartiles "
            "of processes differ by %.2f\n",
            at(all, 0), at(all, 0.25), at(all, 0.5), at(all_medians, 0), at(all_medians, 0.25),
            at(all_medians, 0.5), at(own, 1) / at(own, 0));
    }
}

int run(const std::string& self, const std::vector<std::string>& arguments) {
    std::vector<Setting> settings;
    for (size_t i = 3; i < arguments.size(); ++i) settings.push_back(parse(arguments[i], self));
    std::vector<Process> processes;
    for (const Setting& setting : settings)
        for (int i = 0; i < setting.count; ++i) {
            processes.push_back({.setting = &setting});
            processes.back().start(arguments[0], arguments[1]);
            if (!processes.back().wait_ready())
                return std::fprintf(stderr, "processes: %s did not start\n", setting.text.c_str()),
                       1;
        }
    const int rounds = std::atoi(arguments[2].c_str());
    std::vector<bool> near, far;
    double before = exchange_nanoseconds();
    for (int r = 0; r < rounds; ++r) {
        for (size_t p = 0; p < processes.size();
             ++p)  // Each round begins with another one, so that none always follows the same.
            if (Process& process = processes[(p + size_t(r)) % processes.size()]; !process.turn())
                return std::fprintf(stderr, "processes: %s ended\n", process.setting->text.c_str()),
                       1;
        const double after = exchange_nanoseconds();
        near.push_back(before < far_nanoseconds && after < far_nanoseconds);
        far.push_back(before >= far_nanoseconds && after >= far_nanoseconds);
        before = after;
    }
    for (Process& process : processes) process.end();
    report("near", near, settings, processes);
    report("far", far, settings, processes);
    return 0;
}

}  // namespace
}  // namespace catena::tool

int main(int count, char** arguments) {
    using namespace catena::tool;
    if (count == 3) return serve(arguments[1], arguments[2]);
    if (count < 5) return std::fprintf(stderr, "processes ROW VARIANT ROUNDS SETTING...\n"), 2;
    return run(arguments[0], std::vector<std::string>(arguments + 1, arguments + count));
}
