#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tools/catena/launch/hosts.h"

namespace catena::tool {

/// Variables with their values.
using Settings = std::vector<std::pair<std::string, std::string>>;

/// What is executed on this machine for a rank.
struct RankProgram {
    std::vector<std::string> words;
    Settings environment;  ///< Beside this process's own.
    /// Whether it is a shell on another machine, which reads from its standard input first the
    /// secret, then names of signals for the program; where that input ends, so does the program.
    bool is_remote = false;
    std::string secret;
};

/// What all ranks of one start have in common.
struct Start {
    std::vector<std::string> command;
    std::string rendezvous, secret;
    int size = 1;
    Settings given;  ///< By the user, for all ranks.
    std::vector<std::string> ssh;
    double grace = 10;
};

/// The program of a rank. Its environment says who it is. Processors are divided among the ranks of
/// a machine unless CATENA_NUM_THREADS or OMP_NUM_THREADS is set.
RankProgram program_of(const Start& start, const PlacedRank& placed);

/// A secret that nobody guesses: 128 bits in hexadecimal digits.
std::string random_secret();

}  // namespace catena::tool
