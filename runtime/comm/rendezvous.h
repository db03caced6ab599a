#pragma once

#include <string>

namespace catena {

/// How processes that were not started by mpirun find each other.
struct Rendezvous {
    /// The meeting place. "tcp://HOST:PORT": rank 0 listens there. "file:///FOLDER/NAME": rank 0
    /// writes its address and a secret to this file; it is removed when all ranks are connected.
    std::string place;
    int rank = 0, size = 1;
    /// What all ranks must know, at least 16 characters; needed where `place` is a host that other
    /// machines reach. Where `place` is a file, needed in addition to the file's own.
    std::string secret = {};

    /// The meeting place from CATENA_RENDEZVOUS, CATENA_RANK, CATENA_SIZE and, where it is set,
    /// CATENA_RENDEZVOUS_SECRET; ValueError if they are invalid.
    static Rendezvous from_environment();
    static bool is_in_environment();
};

}  // namespace catena
