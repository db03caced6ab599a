#include "runtime/core/seed.h"

#include <atomic>
#include <cstdlib>

namespace catena {
namespace {

constexpr uint64_t first_host_stream = uint64_t(1) << 63;

uint64_t seed_of_environment() {
    const char* text = std::getenv("CATENA_SEED");
    return text ? std::strtoull(text, nullptr, 10) : 0;
}

struct Seed {
    std::atomic<uint64_t> value = seed_of_environment();
    std::atomic<uint64_t> generation = 0;
    std::atomic<uint64_t> next_stream = first_host_stream;
};

Seed& seed() {
    static Seed instance;
    return instance;
}

}  // namespace

uint64_t random_seed() { return seed().value; }

void set_seed(uint64_t value) {
    seed().value = value;
    seed().next_stream = first_host_stream;
    seed().generation += 1;
}

uint64_t seed_generation() { return seed().generation; }

uint64_t next_host_stream() { return seed().next_stream++; }

}  // namespace catena
