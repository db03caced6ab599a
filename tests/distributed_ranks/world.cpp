#include "tests/distributed_ranks/world.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

#include "runtime/comm/create.h"

namespace catena {

std::string usual_world() { return host_communicator(); }
std::shared_ptr<Communicator> make_world(const std::string& name) {
    return create_communicator(name);
}

/// Rank 1 stops in the middle of a broadcast of its array, of which MPI moves 1,000 bytes at a
/// time.
bool run_mode(const std::string& mode) {
    if (mode != "stops") return false;
    world->set_config("mpi_bytes_per_call", "1000");
    const Array x = Array::full({Dtype::uint8, {64 << 20}}, 1);
    world->barrier();  // However long it took them to start.
    setenv("CATENA_COMM_TIMEOUT", "1", 1);
    std::thread stopping([] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        if (world->rank() == 1) std::raise(SIGSTOP);
    });
    stopping.detach();
    while (true) world->bcast(x, 1);
}

}  // namespace catena
