#pragma once

#include <memory>
#include <string>

#include "runtime/comm/communicator.h"

namespace catena {

/// All processes of this run.
extern std::shared_ptr<Communicator> world;

// What differs between the programs made of these files.
std::string usual_world();  ///< The name of the communicator that the checks are for.
std::shared_ptr<Communicator> make_world(const std::string& name);
bool run_mode(const std::string& mode);  ///< False when the program has no such mode of its own.

}  // namespace catena
