#pragma once

namespace catena::tool {

/// Prints how this process was started, and the communicator that create_communicator() makes.
void print_ranks();

}  // namespace catena::tool
