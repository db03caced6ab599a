#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include <sys/types.h>

#include "tools/catena/launch/program.h"

namespace catena::tool {

/// Prints lines of a rank, each as a whole and behind its number.
class RankLines {
public:
    RankLines(int rank, std::FILE* stream);
    void add(std::string_view text);
    /// Prints what is left of a line without an end.
    void end();

private:
    void print(std::string_view line);
    std::string prefix_, rest_;
    std::FILE* stream_;
};

/// The process of a rank, with a process group of its own. It does not outlive this one.
class RankProcess {
public:
    /// Starts it; its lines are printed behind its number if `with_prefix`. Error if the program
    /// cannot be executed.
    RankProcess(int rank, const RankProgram& program, bool with_prefix);
    ~RankProcess();
    RankProcess(const RankProcess&) = delete;

    int rank() const { return rank_; }
    bool is_running() const { return pid_ > 0; }
    /// Files to read the lines from; -1: closed.
    int output() const { return output_; }
    int errors() const { return errors_; }
    /// Prints what has been written until now.
    void print_lines();
    /// Sends a signal to the program and what it has started.
    void signal(int number);
    /// Ends by force what is on this machine: the program, or the connection to it.
    void end_here();
    /// Looks whether it has ended; then prints its last lines. True: it has, just now.
    bool has_ended();
    /// Of wait(2), once it has ended.
    int status() const { return status_; }

private:
    void print_from(int& file, RankLines& lines);
    int rank_;
    pid_t pid_ = 0;
    int output_ = -1, errors_ = -1, input_ = -1, status_ = 0;
    RankLines output_lines_, error_lines_;
};

}  // namespace catena::tool
