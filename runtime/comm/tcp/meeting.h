#pragma once

#include <string>
#include <vector>

#include "runtime/comm/tcp/place.h"
#include "runtime/comm/tcp/reception.h"

namespace catena {

/// Where a rank listens.
struct Endpoint {
    std::string host;
    int port = 0;
};

/// What a rank knows of its group after the rendezvous. Few are connected yet.
struct MetRanks {
    int rank = 0, size = 1;
    std::string host;  ///< Where ranks listen; "": at all addresses.
    std::vector<Endpoint> endpoints;
    Reception reception;        ///< This rank's, with the key of the group.
    std::vector<Socket> lines;  ///< The connections by rank; those of the tree below are there.
};

/// The rank from which this one hears in a binomial tree; rank 0 is its root.
constexpr int parent_in_tree(int rank) { return rank & (rank - 1); }
/// The ranks that hear from this one in the tree.
std::vector<int> children_in_tree(int rank, int size);

/// Rank 0 collects where all ranks listen; what it has collected goes down the tree.
/// CommunicationError, naming the missing ranks, when the deadline passes.
MetRanks meet_at(const Invitation& rendezvous, Deadline deadline);
/// Now and communication_timeout() seconds.
Deadline communication_deadline();

}  // namespace catena
