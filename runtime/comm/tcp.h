#pragma once

#include <memory>
#include <string>

#include "runtime/comm/communicator.h"

namespace catena {

/// How processes that were not started by mpirun find each other.
struct Rendezvous {
    /// The meeting place. "tcp://HOST:PORT": rank 0 listens there. "file:///FOLDER/NAME": rank 0
    /// writes its address and a secret to this file; it is removed when all ranks are connected.
    std::string place;
    int rank = 0, size = 1;

    /// The meeting place from CATENA_RENDEZVOUS, CATENA_RANK and CATENA_SIZE; ValueError if they
    /// are invalid.
    static Rendezvous from_environment();
    static bool is_in_environment();
};

/// A group of processes that are connected pairwise by TCP. All of them call it;
/// CommunicationError, naming the missing ranks, when they are not all connected within
/// communication_timeout() seconds. Nothing is encrypted: for networks whose machines you trust.
std::shared_ptr<Communicator> tcp_communicator(const Rendezvous& rendezvous);

}  // namespace catena
