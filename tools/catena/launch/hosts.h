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

/// The ranks, host by host in the order of the file, each host as many as it has slots. The file
/// is one of mpirun: lines "HOST" or "HOST slots=4", and comments behind '#'. An empty name is this
/// machine with any number of ranks. `ranks` is 0 for as many as there are slots. ValueError for
/// more; FileError for a file that cannot be read, or with other lines.
std::vector<PlacedRank> place_ranks(int ranks, const std::string& hosts_file);

}  // namespace catena::tool
