#pragma once

#include <memory>

#include "runtime/comm/communicator.h"
#include "runtime/comm/rendezvous.h"

namespace catena {

/// A group of processes that talk by TCP; two of them are connected when they first talk. All of
/// them call it. ValueError where other machines can reach the meeting place and no secret is
/// given; CommunicationError, naming the missing ranks, when they have not all met within
/// communication_timeout() seconds. Ranks prove to each other that they know the secret; nothing is
/// encrypted.
std::shared_ptr<Communicator> tcp_communicator(const Rendezvous& rendezvous);

}  // namespace catena
