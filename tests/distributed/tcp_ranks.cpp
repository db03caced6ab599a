#include "tests/distributed/tcp_ranks.h"

#include <gtest/gtest.h>

#include <thread>

#include <unistd.h>

#include "runtime/comm/tcp/socket.h"
#include "runtime/comm/tcp.h"

namespace catena {

std::string file_place(const std::string& name) {
    return "file://" + ::testing::TempDir() + "rendezvous_" + std::to_string(getpid()) + "_" + name;
}

std::vector<std::string> run_tcp(
    int size, const std::string& place,
    const std::function<void(const std::shared_ptr<Communicator>&)>& f) {
    std::vector<std::string> errors(static_cast<size_t>(size));
    std::vector<std::thread> threads;
    for (int r = 0; r < size; ++r)
        threads.emplace_back([&, r] {
            try {
                f(tcp_communicator({place, r, size}));
            } catch (const std::exception& error) {
                errors[size_t(r)] = error.what();
            }
        });
    for (std::thread& thread : threads) thread.join();
    return errors;
}

int free_port(const std::string& host) { return port_of(listen_at(host, 0, 1)); }

}  // namespace catena
