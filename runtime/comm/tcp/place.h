#pragma once

#include <string>

namespace catena {

/// Who is to come to a rendezvous, and where it is: as Rendezvous (runtime/comm/rendezvous.h).
struct Invitation {
    std::string place;
    int rank = 0, size = 1;
    std::string secret = {};
};

/// A rendezvous in parts.
struct Place {
    std::string host = {};
    int port = 0;
    /// The rendezvous file, from which host, port and a part of the secret are read; "": none.
    std::string file = {};
    std::string secret =
        {};  ///< What its ranks must know; empty: whoever reaches the loopback host.
};

/// ValueError when it is none, for a host that other machines reach without a secret, and for a
/// secret that is too short.
Place place_of(const Invitation& where);

/// Writes "HOST PORT SECRET" to the file, readable by this user alone; it is complete when it
/// appears. A file of the same name is replaced if it is this user's alone, too; otherwise a
/// CommunicationError says whose it is.
void write_place(const Place& place, const std::string& secret_of_file);
/// Takes host, port and secret from the file; false while there is none. CommunicationError when
/// it is not a file of this user alone (owner, mode 0600, no symbolic link): another user could
/// have written it.
bool read_place(Place& place);

}  // namespace catena
