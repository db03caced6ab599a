#pragma once

#include <string>

namespace catena {

/// How processes find each other without MPI.
struct Rendezvous {
    /// The meeting place. "tcp://HOST:PORT": rank 0 listens there. "file:///FOLDER/NAME": rank 0
    /// writes its address and a secret to this file; it is removed when all ranks are connected.
    std::string place;
    int rank = 0, size = 1;
    /// What all ranks must know, at least 16 characters; needed where `place` is a host that other
    /// machines reach. Where `place` is a file, needed in addition to the file's own.
    std::string secret = {};

    /// What the launcher tells (find_launched), with the secret of CATENA_RENDEZVOUS_SECRET where
    /// it is set; ValueError if it tells no place, or something invalid.
    static Rendezvous from_environment();
};

}  // namespace catena
