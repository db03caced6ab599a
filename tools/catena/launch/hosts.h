#pragma once

#include <string>
#include <vector>

namespace catena::tool {

/// Where a rank of `catena launch` runs.
struct PlacedRank {
    int rank = 0;
    std::string host;  ///< Empty: on this machine, without ssh.
    int local_rank = 0, local_size = 1;
};

/// A machine for ranks.
struct Host {
    std::string name;  ///< Empty: this machine, without ssh.
    int slots = 1;     ///< How many ranks it takes.
};

/// The hosts of a file as mpirun has it: lines "HOST" or "HOST slots=4", and comments behind '#'.
/// FileError for a file that cannot be read, or with other lines.
std::vector<Host> hosts_in(const std::string& path);

int slots_of(const std::vector<Host>& hosts);

/// The ranks, host by host, each host as many as it has slots; as many as there are slots at most.
std::vector<PlacedRank> place_ranks(int ranks, const std::vector<Host>& hosts);

}  // namespace catena::tool
