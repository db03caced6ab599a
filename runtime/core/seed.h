#pragma once

#include <cstdint>

namespace catena {

/// The process's seed: CATENA_SEED, else 0, until set_seed().
uint64_t random_seed();
/// Makes every random number that follows a function of `seed`: parameters drawn by initializers, random
/// operations, shuffling.
void set_seed(uint64_t seed);
/// How often set_seed() was called: who counts random operations starts again when this changes.
uint64_t seed_generation();

/// A number for RandomStream::operation that nothing else uses. Host-side draws (initializers, shuffling) take one each;
/// those of recorded operations, which compiled programs must count themselves, are below 2^63.
uint64_t next_host_stream();

}  // namespace catena
