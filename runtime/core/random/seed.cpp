#include "runtime/core/random/seed.h"

#include <atomic>
#include <random>

#include "runtime/core/system/environment.h"
#include "runtime/core/system/per_thread.h"

namespace catena {
namespace {

constexpr uint64_t first_host_operation = uint64_t(1) << 63;

int64_t seed_of_process() {
    if (auto seed = environment::whole_number("CATENA_SEED")) return *seed;
    std::random_device device;
    return int64_t(uint64_t(device()) << 32 | device());
}

RandomStream& host_stream() {
    static constinit PerThread<RandomStream> next;
    return next.get([] { return RandomStream{uint64_t(first_seed()), first_host_operation}; });
}

}  // namespace

int64_t first_seed() {
    static const int64_t of_process = seed_of_process();
    static std::atomic<uint64_t> threads{0};
    static constinit PerThread<uint64_t> of_thread;
    return int64_t(uint64_t(of_process) +
                   of_thread.get([] { return threads++ * 0x9E3779B97F4A7C15u; }));
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
