#pragma once

#include <memory>

#include "runtime/comm/communicator.h"
#include "runtime/comm/rendezvous.h"

namespace catena {

/// A group of processes that are connected pairwise by TCP. All of them call it;
/// CommunicationError, naming the missing ranks, when they are not all connected within
/// communication_timeout() seconds. Nothing is encrypted: for networks whose machines you trust.
std::shared_ptr<Communicator> tcp_communicator(const Rendezvous& rendezvous);

}  // namespace catena
