#pragma once

#include <cstdint>

#include "runtime/core/random/random_stream.h"

namespace catena {

/// The initial seed of this thread's random numbers: CATENA_SEED, else a different number in every
/// process; threads differ.
int64_t first_seed();

/// A new stream for random numbers on the host that are not recorded: initial parameters,
/// shuffling. Recorded operations have their own counter, below 2^63.
RandomStream next_host_stream();
/// Makes the host streams of this thread a function of `seed`; set_seed() does it too.
void restart_host_streams(int64_t seed);
/// The stream that next_host_stream() gives next on this thread, to be saved and restored.
const RandomStream& host_stream_state();
void restore_host_streams(const RandomStream& next);

}  // namespace catena
