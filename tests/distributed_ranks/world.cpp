#include "tests/distributed_ranks/world.h"

#include "runtime/comm/create.h"
#include "runtime/comm/tcp.h"

namespace catena {

std::string usual_world() { return Rendezvous::is_in_environment() ? "tcp" : "flat"; }
std::shared_ptr<Communicator> make_world(const std::string& name) {
    return create_communicator(name);
}
bool run_mode(const std::string&) { return false; }

}  // namespace catena
