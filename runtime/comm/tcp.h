#pragma once

#include <memory>
#include <string>

#include "runtime/comm/communicator.h"

namespace catena {

/// Where the processes of a job find each other when no mpirun started them.
struct Rendezvous {
    /// "tcp://HOST:PORT": rank 0 listens there. "file:///FOLDER/NAME": rank 0 writes there where it
    /// listens and a secret that the others must know; the file is removed when all have met.
    std::string place;
    int rank = 0, size = 1;

    /// CATENA_RENDEZVOUS, CATENA_RANK and CATENA_SIZE; ValueError that says what is wrong with
    /// them.
    static Rendezvous from_environment();
    static bool is_in_environment();
};

/// A group of processes that are connected pairwise by TCP. All of them call it;
/// CommunicationError, naming the ranks that are missing, when they have not within
/// communication_timeout() seconds. Nothing is encrypted: for networks whose machines you trust.
std::shared_ptr<Communicator> tcp_communicator(const Rendezvous& rendezvous);

}  // namespace catena
