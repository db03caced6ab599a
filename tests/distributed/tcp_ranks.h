#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runtime/comm/communicator.h"

namespace catena {

/// A place for Rendezvous, of this process alone.
std::string file_place(const std::string& name);

/// Runs f on `size` threads that meet there; returns the error of each rank, "" for none.
std::vector<std::string> run_tcp(
    int size, const std::string& place,
    const std::function<void(const std::shared_ptr<Communicator>&)>& f);

/// A port that was free a moment ago.
int free_port(const std::string& host = "127.0.0.1");

}  // namespace catena
