#pragma once

#include <string>
#include <vector>

#include "runtime/comm/rendezvous.h"
#include "runtime/comm/socket.h"

namespace catena {

/// Connections of this rank to every other one, by rank; its own is empty.
using Mesh = std::vector<Socket>;

/// A rank's address, and the secret that connecting ranks must send first.
struct Endpoint {
    std::string host;
    int port = 0;
};
Mesh meet_at(const Rendezvous& rendezvous, Deadline deadline);
/// Connects to all lower ranks and waits for all higher ones.
Mesh connect_mesh(int rank, const std::vector<Endpoint>& endpoints, uint64_t secret,
                  const Socket& listening, Deadline deadline);
Deadline communication_deadline();

}  // namespace catena
