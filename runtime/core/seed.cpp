#include "runtime/core/seed.h"

#include <atomic>
#include <random>

#include "runtime/core/environment.h"

namespace catena {
namespace {

constexpr uint64_t first_host_operation = uint64_t(1) << 63;

int64_t seed_of_process() {
    if (auto seed = environment::whole_number("CATENA_SEED")) return *seed;
    std::random_device device;
    return int64_t(uint64_t(device()) << 32 | device());
}

RandomStream& host_stream() {
    thread_local RandomStream next{uint64_t(first_seed()), first_host_operation};
    return next;
}

}  // namespace

int64_t first_seed() {
    static const int64_t of_process = seed_of_process();
    static std::atomic<uint64_t> threads{0};
    thread_local const uint64_t of_thread = threads++ * 0x9E3779B97F4A7C15u;
    return int64_t(uint64_t(of_process) + of_thread);
}

RandomStream next_host_stream() {
    RandomStream stream = host_stream();
    host_stream().operation += 1;
    return stream;
}

void restart_host_streams(int64_t seed) { host_stream() = {uint64_t(seed), first_host_operation}; }

const RandomStream& host_stream_state() { return host_stream(); }
void restore_host_streams(const RandomStream& next) { host_stream() = next; }

}  // namespace catena
